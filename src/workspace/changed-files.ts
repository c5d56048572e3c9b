import { posix } from "node:path";
import { configName, menuFolder } from "../project/files.ts";
import { fetch, runGit } from "../project/git.ts";
import { type ProjectPlace, openConfiguration } from "./open-project.ts";
import { pluginFiles } from "../rules/load-plugins.ts";

type Place = Pick<ProjectPlace, "root" | "host">;

/**
 * Returns the commit that a change is compared with. The checkout may be a merge commit of the
 * change. Then its first parent is the target branch.
 */
export async function reviewBase(place: Place, base: string, head: string): Promise<string> {
  const parents = await gitText(place, ["rev-list", "--parents", "-n", "1", "HEAD"]);
  const [, into, merged] = parents?.split(" ") ?? [];
  if (into !== undefined && merged === head) return into;
  return mergeBase(place, base, "HEAD");
}

/** The last commit that two branches have in common. The first one if git does not find any. */
export async function mergeBase(place: Place, branch: string, other: string): Promise<string> {
  return (await gitText(place, ["merge-base", branch, other])) ?? branch;
}

/** What the author of a commit wrote about it. */
export async function messageOf(place: Place, commit: string): Promise<string> {
  return (await gitText(place, ["show", "--no-patch", "--format=%B", commit])) ?? "";
}

export async function hasCommit(place: Place, commit: string): Promise<boolean> {
  return (await gitText(place, ["cat-file", "-t", commit])) === "commit";
}

/**
 * Returns the commits that a push added to its branch, the oldest first, without those that they
 * merged. If the commit before the push is not given, or the branch was set back, only the last one.
 * Undefined if git cannot list them, although it has fetched what a shallow checkout lacks.
 */
export async function pushedCommits(
  place: Place,
  before: string | undefined,
  after: string,
): Promise<readonly string[] | undefined> {
  if (before === undefined || /^0*$/.test(before)) return [after];
  if ((await gitText(place, ["rev-parse", "--is-shallow-repository"])) === "true") {
    await fetch(place, after, "--unshallow");
  }
  const args = ["rev-list", "--first-parent", "--reverse"];
  const isCut = (await gitText(place, ["rev-parse", "--is-shallow-repository"])) === "true";
  const listed = isCut ? undefined : await gitText(place, [...args, `${before}..${after}`, "--"]);
  return listed === "" ? [after] : listed?.split("\n");
}

/**
 * Whether something between two commits concerns ivrctl: a menu, a test, the configuration, an
 * agent list, a custom rule, the version of ivrctl or the pipeline. True if git cannot tell.
 * `prefix` is the path from the top of the repository to the project.
 */
export async function isAffected(
  place: ProjectPlace,
  prefix: string,
  from: string,
  to = "HEAD",
): Promise<boolean> {
  const changed = await changedFiles(place, from, to);
  if (changed === undefined) return true;
  const { config } = openConfiguration(place);
  const rules = config === undefined ? [] : pluginFiles(config);
  const inProject = [configName, menuFolder, ...rules.map(folderOf)];
  const watched = [...inProject.map((path) => posix.join(prefix, path)), ...ofPipelines];
  return changed.some(
    (path) =>
      /(?:^|\/)(?:agents(?:\.[^/]+)?\.lock\.json|package(?:-lock)?\.json)$/.test(path) ||
      watched.some((parent) => path === parent || path.startsWith(`${parent}/`)),
  );
}

/** Returns the paths that differ between two commits, from the top of the repository. Undefined if git cannot tell. */
export async function changedFiles(
  { root, host }: Place,
  from: string,
  to = "HEAD",
): Promise<readonly string[] | undefined> {
  const options = ["-r", "--name-only", "-z", "--no-renames"];
  const listed = await runGit(root, ["diff-tree", ...options, from, to], host);
  return listed.kind === "done" ? listed.stdout.toString("utf8").split("\0") : undefined;
}

export interface DatedCommit {
  readonly id: string;
  readonly at: string;
}

/** How far back to look for the commit that a change comes from. */
const mostProjectCommits = 50;

/** The newest commits of a branch, up to this one, that changed or merged something in the project's folder. */
export async function projectCommits(place: Place, from: string): Promise<readonly DatedCommit[]> {
  const options = ["--first-parent", "--timestamp", `--max-count=${mostProjectCommits}`];
  const listed = await gitText(place, ["rev-list", ...options, from, "--", "."]);
  return (
    (listed || undefined)?.split("\n").map((line) => {
      const [seconds = "", id = ""] = line.split(" ");
      return { id, at: new Date(Number(seconds) * 1000).toISOString() };
    }) ?? []
  );
}

const ofPipelines = [".github/workflows", ".gitlab-ci.yml", ".gitlab"];

/** A custom rule may import other files of its folder. */
function folderOf(file: string): string {
  return posix.dirname(file) === "." ? file : posix.dirname(file);
}

async function gitText(
  { root, host }: Place,
  args: readonly string[],
): Promise<string | undefined> {
  const ran = await runGit(root, args, host);
  return ran.kind === "done" ? ran.stdout.toString("utf8").trim() : undefined;
}
