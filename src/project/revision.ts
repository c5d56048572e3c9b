import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { configName, decode, kindOf, menuFolder } from "./files.ts";
import { fileKind } from "./file-kind.ts";
import { snapshotNames } from "./agents-lock.ts";
import type { FileLimit } from "../schema/limits.ts";
import { type Blob, type Ran, readBatch, runGit } from "./git.ts";
import type { Host } from "../util/host.ts";

/** The files of a project as they were at a revision. */
export interface RevisionFiles {
  /** The commit's id. */
  readonly commit: string;
  /** Undefined if it did not exist. */
  readonly config: Source | undefined;
  /** Sorted by path. */
  readonly menus: readonly Source[];
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
  /** The agent list of the environment. */
  readonly agents: Source | undefined;
}

interface Request {
  readonly root: string;
  readonly ref: string;
  readonly host: Host;
  readonly environment: string;
}

/**
 * Reads the files of a revision from git, without a checkout. Adds to `diagnostics` why git cannot
 * read the revision, and to `fileProblems` the problems of single files.
 */
export async function readRevision(
  { root, host, ref, environment }: Request,
  diagnostics: Diagnostics,
  fileProblems: Diagnostics,
): Promise<RevisionFiles | undefined> {
  const git: RunGit = (args, input) => runGit(root, args, host, input);
  const prefixed = await git(["rev-parse", "--show-prefix"]);
  if (prefixed.kind !== "done") {
    refuse(prefixed, `git did not find a repository in ${root}`, inRepository, diagnostics);
    return undefined;
  }
  const prefix = prefixed.stdout.toString("utf8").replace(/\/?\n$/, "");
  const commit = await commitOf(git, ref, diagnostics);
  if (commit === undefined) return undefined;
  // The files are read from the tree of the project's folder, so that no link leads out of it.
  const found = await git(["rev-parse", "--verify", "--quiet", `${commit}:${prefix}`]);
  if (found.kind !== "done") {
    return { commit, config: undefined, menus: [], folders: [], agents: undefined };
  }
  const tree = found.stdout.toString("utf8").trim();
  const menus = await listMenus(git, ref, tree, diagnostics, fileProblems);
  if (menus === undefined) return undefined;
  const lists = snapshotNames(environment);
  const names = [
    ...lists.map((name) => `${tree}:${name}`),
    `${tree}:${configName}`,
    ...menus.map(({ path, link, object }) => (link ? `${tree}:${path}` : object)),
  ];
  const blobs = await readObjects(git, ref, names, diagnostics);
  if (blobs === undefined) return undefined;
  const [settings, ...texts] = blobs.slice(lists.length);
  const list = lists.findIndex((_, at) => blobs[at]?.kind === "blob");
  const files = menus.flatMap(({ path }, at) => {
    const blob = texts[at];
    if (blob?.kind === "none") {
      fileProblems.addFile("IVR121", path, `${path} cannot be read: ${blob.why}.`);
    }
    return textOf(path, blob, "yamlFile", fileProblems) ?? [];
  });
  return {
    commit,
    config: textOf(configName, settings, "yamlFile", fileProblems),
    menus: files.filter(({ file }) => fileKind(file) === "menu"),
    folders: files.filter(({ file }) => fileKind(file) === "defaults"),
    agents: textOf(lists[list] ?? "", blobs[list], "agentList", fileProblems),
  };
}

type RunGit = (args: readonly string[], input?: string) => Promise<Ran>;

async function listMenus(
  git: RunGit,
  ref: string,
  tree: string,
  diagnostics: Diagnostics,
  fileProblems: Diagnostics,
): Promise<Entry[] | undefined> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree, "--", menuFolder];
  const listed = await git(args);
  if (listed.kind === "done") return menuEntries(listed.stdout, fileProblems);
  refuse(listed, `git cannot list ${ref}`, checkRepository, diagnostics);
  return undefined;
}

/** Reads objects by their names in git, in the same order. */
async function readObjects(
  git: RunGit,
  ref: string,
  names: readonly string[],
  diagnostics: Diagnostics,
): Promise<Blob[] | undefined> {
  // git reads one name from each line, so a path with a line break cannot be requested.
  const lines = names.map((name) => `${/[\n\r]/.test(name) ? "" : name}\n`);
  const args = ["cat-file", "--batch", "--follow-symlinks"];
  const read = await git(args, lines.join(""));
  const blobs = read.kind === "done" ? readBatch(read.stdout, names.length) : [];
  if (read.kind === "done" && blobs.length === names.length) return blobs;
  refuse(read, `git cannot read ${ref}`, checkRepository, diagnostics);
  return undefined;
}

async function commitOf(
  git: RunGit,
  ref: string,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  const verify = (name: string) => git(["rev-parse", "--verify", "--quiet", name]);
  // No revision starts with a hyphen, and git would take it for an option.
  const found: Ran =
    ref === "" || ref.startsWith("-") || ref.includes("\0")
      ? { kind: "failed", problem: "" }
      : await verify(ref);
  const peeled =
    found.kind === "done"
      ? await verify(`${found.stdout.toString("utf8").trim()}^{commit}`)
      : found;
  if (peeled.kind === "done") return peeled.stdout.toString("utf8").trim();
  diagnostics.addAt(
    "IVR641",
    { file: menuFolder },
    `There is no commit \`${ref}\`.`,
    ref === "HEAD"
      ? "Commit the project first."
      : "Name a branch, a tag or a commit. In a pipeline, you may have to fetch it first.",
  );
  return undefined;
}

const inRepository = "Run this command in a git repository.";
const checkRepository = "Run `git fsck` to check the repository.";

function refuse(ran: Ran, what: string, hint: string, diagnostics: Diagnostics): void {
  if (ran.kind === "missing") {
    diagnostics.addAt(
      "IVR641",
      { file: menuFolder },
      `git cannot be run: ${ran.problem}.`,
      "Install git, and check that it is in the PATH.",
    );
  } else {
    const why = ran.kind === "failed" ? ran.problem : "its answer is incomplete";
    diagnostics.addAt("IVR641", { file: menuFolder }, `${what}: ${why}.`, hint);
  }
}

interface Entry {
  readonly path: string;
  readonly object: string;
  readonly link: boolean;
}

function menuEntries(stdout: Buffer, fileProblems: Diagnostics): Entry[] {
  const entries = stdout
    .toString("utf8")
    .split("\0")
    .flatMap((line): Entry[] => {
      const found = /^(?<mode>\d+) \w+ (?<object>[0-9a-f]+)\t(?<path>.*)$/s.exec(line)?.groups;
      if (found === undefined) return [];
      const { mode, object = "", path = "" } = found;
      if (path.split("/").some((part) => part.startsWith("."))) return [];
      if (mode === "160000" || path === menuFolder) {
        const what = mode === "160000" ? "a submodule, which ivrctl does not read" : "not a folder";
        fileProblems.addFile("IVR121", path, `${path} is ${what}.`);
        return [];
      }
      const link = mode === "120000";
      const kind = kindOf(path, fileProblems);
      return kind === "menu" || kind === "defaults" ? [{ path, object, link }] : [];
    });
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function textOf(
  file: string,
  blob: Blob | undefined,
  limit: FileLimit,
  fileProblems: Diagnostics,
): Source | undefined {
  return blob?.kind === "blob" ? decode(file, blob.content, limit, fileProblems) : undefined;
}
