import { type Project, openFiles } from "../project/open-project.ts";
import { fetch, runGit } from "../project/git.ts";
import { readRevision } from "../project/revision.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type EnvironmentJob, JobProblem } from "./forge.ts";

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
  const refuse = (why: string) =>
    new JobProblem(
      "IVR681",
      `The plan was not sent, because the last commit of ${branch} cannot be read: ${why.replace(/\.$/, "")}.`,
      "Check that `git fetch origin` works in this job with its token. Then run the job again.",
    );
  const fetched = await fetch(context, `refs/heads/${branch}`);
  if (fetched.kind !== "done") throw refuse(fetched.problem);
  const compared = await runGit(root, ["diff-tree", "--quiet", "HEAD", "FETCH_HEAD"], host);
  if (compared.kind === "done") {
    const named = await runGit(root, ["rev-parse", "--verify", "FETCH_HEAD"], host);
    return named.kind === "done"
      ? { ...project, commit: named.stdout.toString("utf8").trim() }
      : project;
  }
  const unreadable = new Diagnostics();
  const request = { root, host, ref: "FETCH_HEAD", shown: branch, environment };
  const read = await readRevision(request, unreadable);
  if (read === undefined) throw refuse(unreadable.sorted()[0]?.message ?? "git failed");
  const { commit } = read;
  context.terminal.say(`${branch} has changed since this run. Its files at ${commit} count.\n`);
  const latest = openFiles(read.files, { environment, variables: host.env });
  const found = { ...latest.found, plugins: project.found.plugins };
  return { root, host, ...latest, plugins: project.plugins, branch, commit, found };
}
