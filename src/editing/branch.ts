import { existsSync } from "node:fs";
import { join } from "node:path";
import { git, withoutSecrets } from "../project/git.ts";
import { EditProblem } from "../references/edits.ts";
import type { Draft, EditAnswer, SaveRequest } from "../schema/edit-request.ts";
import { many } from "../util/many.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";

/** Commits exactly these files on a new branch. Pushes it only if the person asked for that. */
export async function saveBranch(
  { root, host }: ProjectPlace,
  drafts: readonly Draft[],
  { branch, message, push }: SaveRequest,
): Promise<EditAnswer> {
  const env = { ...host.env, GIT_LITERAL_PATHSPECS: "1" };
  const run = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await git(["-C", root, ...args], { ...host, env });
    if (exit === 0) return stdout.toString("utf8").trim();
    const why = withoutSecrets(stderr).split("\n").find(Boolean) ?? "it failed";
    throw refusal(`git ${args[0]}: ${why.replace(/^(?:fatal|error): /, "")}`);
  };
  const find = (...args: string[]) => run(...args).catch(() => undefined);
  const files = drafts.map(({ file }) => file);
  const created = drafts.flatMap(({ file, isNew }) => (isNew ? file : []));
  if (files.length === 0) throw refusal("There is nothing to save.");
  const top = await run("rev-parse", "--show-toplevel");
  if ((await find("var", "GIT_AUTHOR_IDENT")) === undefined) {
    throw refusal(
      'git does not know who you are. Run `git config --global user.name "Your name"` and `git config --global user.email "you@example.com"`, then save again.',
    );
  }
  for (const [name, what] of unfinished) {
    if (existsSync(join(root, await run("rev-parse", "--git-path", name))))
      throw refusal(`git is in the middle of ${what}. Finish it first.`);
  }
  // What is staged may be the only copy of a text.
  const [staged = "", other = ""] = [
    await find("diff", "--name-only", "--cached", "--relative", "--", ...files),
    await find("diff", "--name-only", "--relative", "--", ...files),
  ];
  const both = staged.split("\n").filter((file) => file !== "" && other.split("\n").includes(file));
  if (both.length > 0) {
    const what = `${both[0]}${both.length > 1 ? ` and ${many(both.length - 1, "other file")}` : ""}`;
    throw refusal(`${what}: a different text is staged. Commit or unstage it first.`);
  }
  const name = await find("symbolic-ref", "--short", "--quiet", "HEAD");
  const before = name === undefined ? ["--detach", await run("rev-parse", "HEAD")] : [name];
  await run("check-ref-format", "--branch", branch);
  await run("switch", "--quiet", "--create", branch);
  try {
    if (created.length > 0) await run("add", "--intent-to-add", "--", ...created);
    await run("commit", "--quiet", "--only", `--message=${message}`, "--", ...files);
  } catch (error) {
    if (created.length > 0) await find("reset", "--quiet", "--", ...created);
    await run("switch", "--quiet", ...before);
    await run("branch", "--quiet", "--delete", "--force", branch);
    throw error;
  }
  const remote = await find("remote", "get-url", "origin");
  let notPushed =
    push && remote === undefined ? "This repository has no remote `origin`." : undefined;
  if (push && remote !== undefined) {
    await run("push", "--quiet", "--set-upstream", "origin", branch).catch((error: unknown) => {
      if (!(error instanceof EditProblem)) throw error;
      notPushed = error.message;
    });
  }
  const platform = existsSync(join(top, ".gitlab-ci.yml")) ? "gitlab" : "github";
  return {
    branch,
    isPushed: push && notPushed === undefined,
    notPushed,
    link: remote && requestLink(remote, branch, platform),
  };
}

function refusal(message: string): EditProblem {
  return new EditProblem(message, { file: "ivrs" });
}

/** Files that git has while something is not finished. */
const unfinished = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
] as const;

/** The page where a person opens a pull request. The files say what a host with a name of its own runs. */
export function requestLink(
  remote: string,
  branch: string,
  platform: "github" | "gitlab",
): string | undefined {
  const [, scheme, address = ""] = /^(https?|ssh|git):\/\/(?:[^@/]*@)?(.+)$/.exec(remote) ?? [];
  const [, host, port, path] =
    scheme === undefined
      ? (/^(?:[^@/\s]+@)?([\w.-]{2,})():(?!\/\/)\/?(.+)$/.exec(remote) ?? [])
      : (/^([\w.-]+)(:\d+)?\/(.+)$/.exec(address) ?? []);
  if (host === undefined || path === undefined) return undefined;
  const isWeb = scheme === "https" || scheme === "http";
  const repository = path.replace(/\/+$/, "").replace(/\.git$/, "");
  const site = `${isWeb ? scheme : "https"}://${host}${isWeb ? (port ?? "") : ""}/${repository}`;
  const name = encodeURIComponent(branch);
  const [forge = platform] = /github|gitlab/.exec(host) ?? [];
  return forge === "gitlab"
    ? `${site}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${name}`
    : `${site}/compare/${name}?expand=1`;
}
