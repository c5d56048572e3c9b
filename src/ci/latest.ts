import { type Project, openFiles } from "../workspace/open-project.ts";
import { fetch, runGit } from "../project/git.ts";
import { readRevision } from "../project/revision.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { JobProblem } from "./forge.ts";
import type { EnvironmentJob } from "./job.ts";

/**
 * Returns the project as it is on the default branch now, with the plugins of the checkout. An apply
 * may wait for an approval or be run again, so newer commits may have reverted what it would send.
 */
export async function latestProject(
  { forge, context, environment }: EnvironmentJob,
  project: Project,
): Promise<Project> {
  const branch = forge.defaultBranch;
  const { root, host } = context;
  const fetched = await fetch(context, `refs/heads/${branch}`);
  const about = { ref: "FETCH_HEAD", shown: branch, environment };
  const read = fetched.kind === "done" ? await projectAt(context, project, about) : fetched;
  if (!("project" in read)) {
    throw new JobProblem(
      "IVR681",
      `The plan was not sent, because the last commit of ${branch} cannot be read: ${read.problem.replace(/\.$/, "")}.`,
      "Check that `git fetch origin` works in this job with its token. Then run the job again.",
    );
  }
  const { commit } = read;
  const compared = await runGit(root, ["diff-tree", "--quiet", "HEAD", commit], host);
  if (compared.kind === "done") return { ...project, commit };
  context.terminal.say(`${branch} has changed since this run. Its files at ${commit} count.\n`);
  return { ...read.project, branch, commit };
}

/** Returns the project of a commit, with the plugins of the checkout, or why it cannot be read. */
export async function projectAt(
  { root, host }: Pick<EnvironmentJob["context"], "root" | "host">,
  project: Project,
  about: { readonly ref: string; readonly shown: string; readonly environment: string },
): Promise<{ readonly project: Project; readonly commit: string } | { readonly problem: string }> {
  const unreadable = new Diagnostics();
  const read = await readRevision({ root, host, ...about }, unreadable);
  if (read === undefined) return { problem: unreadable.sorted()[0]?.message ?? "git failed" };
  const files = openFiles(read.files, { environment: about.environment, variables: host.env });
  const found = { ...files.found, plugins: project.found.plugins };
  return {
    project: { root, host, ...files, plugins: project.plugins, found },
    commit: read.commit,
  };
}
