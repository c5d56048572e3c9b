import { type Project, openFiles } from "../workspace/open-project.ts";
import { fetch, runGit } from "../project/git.ts";
import { readRevision } from "../project/revision.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { JobProblem } from "./forge.ts";
import type { Job } from "./job.ts";

/**
 * Returns the project as it is on the default branch now, with the plugins of the checkout. A job
 * may wait for an approval or be run again, so newer commits may have reverted what it would send, or fixed
 * what it would report.
 */
export async function latestProject(
  { forge, context }: Job,
  environment: string,
  project: Project,
): Promise<Project> {
  const branch = forge.defaultBranch;
  const { root, host } = context;
  const unread = new Diagnostics();
  const fetched = await fetch(context, `refs/heads/${branch}`);
  const latest = { root, host, ref: "FETCH_HEAD", shown: branch, environment };
  const read = fetched.kind === "done" ? await readRevision(latest, unread) : undefined;
  if (read === undefined) {
    const why = fetched.kind === "done" ? unread.sorted()[0]?.message : fetched.problem;
    throw new JobProblem(
      "IVR681",
      `Nothing was sent, because the last commit of ${branch} cannot be read: ${(why ?? "git failed").replace(/\.$/, "")}.`,
      "Check that `git fetch origin` works in this job with its token. Then run the job again.",
    );
  }
  const { commit, files } = read;
  const compared = await runGit(root, ["diff-tree", "--quiet", "HEAD", commit], host);
  if (compared.kind === "done") return { ...project, commit };
  context.terminal.say(`${branch} has changed since this run. Its files at ${commit} count.\n`);
  const opened = openFiles(files, { environment, variables: host.env });
  const found = { ...opened.found, plugins: project.found.plugins };
  return { root, host, ...opened, plugins: project.plugins, found, branch, commit };
}
