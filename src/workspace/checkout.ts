import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { configName, menuFolder } from "../project/files.ts";
import { runGit } from "../project/git.ts";
import type { Project } from "./open-project.ts";
import { readRevision } from "../project/revision.ts";

/** The commit that files are from. */
export interface Checkout {
  readonly commit: string;
  /** Whether the files differ from that commit. */
  readonly modified: boolean;
}

/** Returns the commit of a project. Undefined without git, or without a commit. */
export async function commitOf({ root, host, commit }: Project): Promise<string | undefined> {
  if (commit !== undefined) return commit;
  const head = await runGit(root, ["rev-parse", "--verify", "--quiet", "HEAD"], host);
  return head.kind === "done" ? head.stdout.toString("utf8").trim() : undefined;
}

/** Returns the commit of a project, and whether its files differ from it. */
export async function readCheckout(project: Project): Promise<Checkout | undefined> {
  const { root, host, commit, environment } = project;
  if (commit !== undefined) return { commit, modified: false };
  const request = { root, host, ref: "HEAD", environment: environment?.name ?? "" };
  const unread = new Diagnostics();
  const read = await readRevision(request, unread);
  if (read === undefined) return undefined;
  const { files } = read;
  const isSame = ({ file, text }: Source) => files.read(file, "yamlFile", unread)?.text === text;
  const sources = [project.source, ...project.menus, ...project.folders, ...project.hidden];
  const modified = !sources.every((source) => source !== undefined && isSame(source));
  const readFiles = new Set(sources.map((source) => source?.file));
  const isDeleted = files
    .list(unread)
    .some((file) => /\.ya?ml$/i.test(file) && !readFiles.has(file));
  return { commit: read.commit, modified: modified || isDeleted };
}

/**
 * How many commits lead from one commit to a later one, if they change files of the project. Undefined if
 * the second is not later, or if git does not know both.
 */
export async function commitsBetween(
  { root, host }: Pick<Project, "root" | "host">,
  from: string,
  to: string,
): Promise<number | undefined> {
  if (from === to || !isId(from) || !isId(to)) return undefined;
  const git = (...args: string[]) => runGit(root, args, host);
  const isLater = (await git("merge-base", "--is-ancestor", from, to)).kind === "done";
  if (
    !isLater ||
    (await git("diff-tree", "--quiet", from, to, "--", configName, menuFolder)).kind === "done"
  )
    return undefined;
  const counted = await git("rev-list", "--count", `${from}..${to}`);
  return counted.kind === "done" ? Number(counted.stdout.toString("utf8")) : undefined;
}

function isId(commit: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(commit);
}
