import { posix, relative, sep } from "node:path";
import { join } from "node:path";
import * as z from "zod/mini";
import { type ProjectPlace, openConfiguration } from "../project/open-project.ts";
import { pluginFiles } from "../project/plugins.ts";
import { configName, menuFolder } from "../project/files.ts";
import { runGit } from "../project/git.ts";
import type { Review } from "./forge.ts";

/** What the pull request job found in an environment. */
export const verdicts = ["changes", "nothing", "unaffected", "failed"] as const;
export type Verdict = (typeof verdicts)[number];

/** The file that the pull request job leaves beside its plans. */
export const JobFile = z.object({
  version: z.literal(1),
  /** The commit that was checked. */
  commit: z.string(),
  environments: z.record(z.string(), z.enum(verdicts)),
});
export type JobFile = z.infer<typeof JobFile>;

/** The folder for the files of a job, which the pipeline keeps. */
export function workFolder(top: string): string {
  return join(top, "ivrctl-ci");
}

export function planFileName(environment: string): string {
  return `plan.${environment}.json`;
}

/** Returns the commit that a change under review is compared with. */
export async function baseOf(root: string, { base, head }: Review): Promise<string> {
  const [, into, merged] = (
    (await gitText(root, ["rev-list", "--parents", "-n", "1", "HEAD"])) ?? ""
  ).split(" ");
  // The checkout may be a merge commit. Its first parent is the target branch.
  if (into !== undefined && merged === head) return into;
  return (await gitText(root, ["merge-base", "HEAD", base])) ?? base;
}

/** Returns the commits that a push added to its branch, the oldest first, without those that they merged. */
export async function pushedCommits(
  root: string,
  before: string | undefined,
  after: string,
): Promise<readonly string[]> {
  const range = before === undefined || /^0+$/.test(before) ? undefined : `${before}..${after}`;
  const args = ["rev-list", "--first-parent", "--reverse", "--max-count=100"];
  const listed = range && (await gitText(root, [...args, range, "--"]));
  return listed ? listed.split("\n") : [after];
}

/**
 * Whether a change touches a menu, a test, the configuration, an agent list, a custom rule, the
 * version of ivrctl or the pipeline. In case of doubt, it does.
 */
export async function isAffected(
  place: ProjectPlace,
  top: string,
  from: string,
  to = "HEAD",
): Promise<boolean> {
  const options = ["-r", "--name-only", "-z", "--no-renames"];
  const listed = await runGit(top, ["diff-tree", ...options, from, to]);
  if (listed.kind !== "done") return true;
  const folder = relative(top, place.root).split(sep).join("/");
  const { config } = openConfiguration(place);
  const rules = config === undefined ? [] : pluginFiles(config);
  const own = [place.globals.config ?? configName, menuFolder, ...rules.map(folderOf)];
  const watched = [...own.map((path) => posix.join(folder, path)), ...ofPipelines];
  return listed.stdout
    .toString("utf8")
    .split("\0")
    .some(
      (path) =>
        /(?:^|\/)(?:agents(?:\.[^/]+)?\.lock\.json|package(?:-lock)?\.json)$/.test(path) ||
        watched.some((one) => path === one || path.startsWith(`${one}/`)),
    );
}

const ofPipelines = [".github/workflows", ".gitlab-ci.yml", ".gitlab"];

/** A custom rule may import other files of its folder. */
function folderOf(file: string): string {
  return posix.dirname(file) === "." ? file : posix.dirname(file);
}

async function gitText(root: string, args: readonly string[]): Promise<string | undefined> {
  const ran = await runGit(root, args);
  return ran.kind === "done" ? ran.stdout.toString("utf8").trim() : undefined;
}
