import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { fetch, runGit } from "../project/git.ts";
import { readRevision } from "../project/revision.ts";
import { type Project, openFiles } from "../workspace/open-project.ts";

/**
 * Returns a project as it is on a branch of the remote now, with the plugins of the checkout. `branch` is set
 * if its files differ from those of the checkout. If git cannot read them, returns why.
 */
export async function latestProject(
  project: Project,
  branch: string,
  environment: string,
): Promise<(Project & { readonly commit: string }) | { readonly problem: string }> {
  const { root, host } = project;
  const fetched = await fetch(project, `refs/heads/${branch}`);
  if (fetched.kind !== "done") return fetched;
  const unread = new Diagnostics();
  const latest = { root, host, ref: "FETCH_HEAD", label: branch, environment };
  const read = await readRevision(latest, unread);
  if (read === undefined) return { problem: unread.sorted()[0]?.message ?? "git failed" };
  const { commit, files } = read;
  const compared = await runGit(root, ["diff-tree", "--quiet", "HEAD", commit], host);
  if (compared.kind === "done") return { ...project, commit };
  const opened = openFiles(files, { environment, variables: host.env });
  const found = { ...opened.found, plugins: project.found.plugins };
  return { root, host, ...opened, plugins: project.plugins, found, branch, commit };
}
