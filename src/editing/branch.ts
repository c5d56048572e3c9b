import { git, withoutSecrets } from "../project/git.ts";
import { EditProblem } from "../references/edits.ts";
import type { Draft, EditAnswer, SaveRequest } from "../schema/edit-request.ts";
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
    const [why = ""] = withoutSecrets(stderr).split("\n");
    throw new EditProblem(`git ${args[0]}: ${why.replace(/^(?:fatal|error): /, "")}`, {
      file: "ivrs",
    });
  };
  const files = drafts.map(({ file }) => file);
  if (files.length === 0) throw new EditProblem("There is nothing to save.", { file: "ivrs" });
  const before = await run("rev-parse", "--abbrev-ref", "HEAD");
  await run("check-ref-format", "--branch", branch);
  await run("switch", "--quiet", "--create", branch);
  try {
    await run("add", "--intent-to-add", "--", ...files);
    await run("commit", "--quiet", "--only", `--message=${message}`, "--", ...files);
  } catch (error) {
    await run("switch", "--quiet", before);
    await run("branch", "--quiet", "--delete", "--force", branch);
    throw error;
  }
  const remote = await run("remote", "get-url", "origin").catch(() => undefined);
  if (push && remote !== undefined)
    await run("push", "--quiet", "--set-upstream", "origin", branch);
  return {
    branch,
    isPushed: push && remote !== undefined,
    link: remote && requestLink(remote, branch),
  };
}

/** The page where a person opens a pull request, for the platforms that ivrctl knows. */
export function requestLink(remote: string, branch: string): string | undefined {
  const [, host, path] =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(
      remote,
    ) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const name = encodeURIComponent(branch);
  return /gitlab/.test(host)
    ? `https://${host}/${path}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${name}`
    : `https://${host}/${path}/compare/${name}?expand=1`;
}
