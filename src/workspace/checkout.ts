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

/** Commits that a checkout does not contain. */
export interface MissingCommits {
  /** The newest first. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  /** Whether the checkout has no commits of its own. */
  readonly isOlder: boolean;
}

type Place = Pick<Project, "root" | "host">;

/**
 * Returns the commits up to `to` that `from` does not contain, if they change files of the project. Undefined
 * if there are none, or if git does not know both commits with a common one. A commit is also contained as a copy:
 * cherry-picked, rebased, or squashed with all others.
 */
export async function missingCommits(
  place: Place,
  from: string,
  to: string,
): Promise<MissingCommits | undefined> {
  if (!isId(from) || !isId(to) || (await haveSameFiles(place, from, to))) return undefined;
  const git = gitIn(place);
  const base = await git("merge-base", from, to);
  if (base === undefined || (await haveSameFiles(place, base, to))) return undefined;
  const isOlder = base === from;
  // The history of a shallow clone may lack commits that `from` contains.
  const isComplete = (await git("rev-parse", "--is-shallow-repository")) === "false";
  if (!isOlder && (!isComplete || (await isSquashed(place, { from, to, base })))) return undefined;
  const how = ["--oneline", "--no-abbrev-commit", "--no-merges", "--cherry-pick", "--right-only"];
  const listed = await git("rev-list", ...how, `${from}...${to}`, ...projectFiles);
  const commits = (listed ?? "").split("\n").flatMap((line) => {
    const [, id = "", subject = ""] = /^([0-9a-f]+) (.*)$/.exec(line) ?? [];
    return id === "" ? [] : [{ id, subject }];
  });
  return commits.length === 0 ? undefined : { commits, isOlder };
}

/** Whether two commits have the same files of the project. False if git does not know both. */
export async function haveSameFiles(place: Place, commit: string, other: string): Promise<boolean> {
  if (!isId(commit) || !isId(other)) return false;
  return (await gitIn(place)("diff-tree", "--quiet", commit, other, ...projectFiles)) !== undefined;
}

/** Whether a commit since the base makes the same change as all commits up to `to` together. */
async function isSquashed(
  { root, host }: Place,
  { from, to, base }: { readonly from: string; readonly to: string; readonly base: string },
): Promise<boolean> {
  const git = gitIn({ root, host });
  const commits = await git("rev-list", "--no-merges", `${base}..${from}`, ...projectFiles);
  const patches = async (args: readonly string[], input = "") => {
    const how = ["diff-tree", "-p", "-r", "--no-ext-diff", "--no-textconv"];
    const diff = await runGit(root, [...how, ...args, ...projectFiles], host, input);
    const patch = diff.kind === "done" ? diff.stdout : "";
    const ids = await runGit(root, ["patch-id", "--stable"], host, patch);
    const lines = ids.kind === "done" ? ids.stdout.toString("latin1").split("\n") : [];
    return lines.flatMap((line) => line.split(" ", 1)).filter((id) => id !== "");
  };
  const [whole] = await patches([base, to]);
  return whole !== undefined && (await patches(["--stdin"], commits)).includes(whole);
}

/** Runs git, and returns what it printed. Undefined if it failed. */
function gitIn({ root, host }: Place): (...args: string[]) => Promise<string | undefined> {
  return async (...args) => {
    const ran = await runGit(root, args, host);
    return ran.kind === "done" ? ran.stdout.toString("utf8").trim() : undefined;
  };
}

const projectFiles = ["--", configName, menuFolder];

function isId(commit: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(commit);
}
