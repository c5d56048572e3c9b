import { Diagnostics } from "../diagnostics/diagnostic.ts";
import {
  type Files,
  configName,
  decodeUtf8,
  menuFolder,
  isTestFile,
  reportIrregular,
} from "./files.ts";
import { snapshotNames } from "./agents-lock.ts";
import { type Ran, readBatch, runGit } from "./git.ts";
import { TextFiles } from "./text-files.ts";
import type { Host } from "../util/host.ts";

interface RevisionRequest {
  readonly root: string;
  readonly ref: string;
  /** The revision as messages name it. Default: `ref`. */
  readonly label?: string;
  readonly host: Host;
  /** The environment whose agent list is read. */
  readonly environment: string;
  /** Whether to read the tests. Default: false. */
  readonly tests?: boolean | undefined;
}

interface Revision {
  readonly commit: string;
  readonly files: Files;
}

/** The revision that was read last. A page compares with the same one again and again. */
let lastRead: { readonly place: string; readonly revision: Revision } | undefined;

/** Reads the files of a revision from git, without a checkout. Reports why git cannot read them. */
export async function readRevision(
  { root, host, ref, label = ref, environment, tests = false }: RevisionRequest,
  diagnostics: Diagnostics,
): Promise<Revision | undefined> {
  const git = (args: readonly string[], input?: string) => runGit(root, args, host, input);
  // git would take a leading hyphen for an option.
  const verified: Ran = /^-|\0/.test(ref)
    ? { kind: "failed", problem: "", exit: 1 }
    : await git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (verified.kind === "failed" && verified.exit === 1) {
    diagnostics.addAt(
      "IVR641",
      { file: menuFolder },
      `There is no commit \`${ref}\`.`,
      ref === "HEAD"
        ? "Commit the project first."
        : "Use a branch, a tag or a commit. In a pipeline, you may have to fetch it first.",
    );
    return undefined;
  }
  if (verified.kind !== "done") {
    const inRepository = "Run this command in a git repository.";
    refuse(verified, `git did not find ${ref} in ${root}`, inRepository, diagnostics);
    return undefined;
  }
  const commit = verified.stdout.toString("utf8").trim();
  const place = JSON.stringify([root, commit, label, environment, tests]);
  if (lastRead?.place === place) return lastRead.revision;
  const paths = [configName, ...snapshotNames(environment), menuFolder];
  // git lists only this folder, with paths from here.
  const listed = await git(["ls-tree", "-r", "-z", commit, "--", ...paths]);
  const entries = listed.kind === "done" ? entriesIn(listed.stdout) : [];
  const isRead = (entry: Entry) => isNeeded(entry, tests);
  const objects = entries.filter(isRead).map((entry) => `${entry.object}\n`);
  const read =
    listed.kind === "done" ? await git(["cat-file", "--batch"], objects.join("")) : listed;
  const contents = read.kind === "done" ? readBatch(read.stdout, objects.length) : [];
  if (read.kind === "done" && contents.length === objects.length) {
    const texts = filesOf(entries, entries.filter(isRead), contents, label);
    const revision = { commit, files: new TextFiles({}, texts) };
    lastRead = { place, revision };
    return revision;
  }
  const checkRepository = "Run `git fsck` to check the repository.";
  refuse(read, `git cannot read ${ref}`, checkRepository, diagnostics);
  return undefined;
}

interface Entry {
  readonly path: string;
  /** Whether it is a file: neither a link nor a submodule. */
  readonly isFile: boolean;
  readonly object: string;
}

function entriesIn(stdout: Buffer): Entry[] {
  const lines = stdout.toString("utf8").split("\0");
  return lines.flatMap((line) => {
    const columns = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line);
    const [, mode = "", object = "", path = ""] = columns ?? [];
    return columns === null ? [] : { path, isFile: mode.startsWith("100"), object };
  });
}

/** Whether a file is read. Other files may be large. */
function isNeeded({ path, isFile }: Entry, tests: boolean): boolean {
  const isMenu = /\.ya?ml$/i.test(path) && (tests || !isTestFile(path));
  return isFile && (isMenu || !path.startsWith(`${menuFolder}/`));
}

/** The files of a tree. `contents` are those of the entries that were read, in the same order. */
function filesOf(
  entries: readonly Entry[],
  read: readonly Entry[],
  contents: readonly (Buffer | undefined)[],
  label: string,
): Files {
  const byPath = new Map(read.map(({ path }, at) => [path, contents[at]]));
  return {
    has: (path) => entries.some((entry) => entry.path === path),
    list: (diagnostics) =>
      entries.flatMap(({ path, isFile }) => {
        const isIn = path.startsWith(`${menuFolder}/`);
        // Without an extension, it may be a folder with menus.
        if (isIn && (isFile || /\.\w+$/.test(path))) return path;
        if (isIn || path === menuFolder) reportIrregular(path, diagnostics);
        return [];
      }),
    read(path, limit, diagnostics) {
      const content = byPath.get(path);
      if (content !== undefined) return decodeUtf8(path, content, limit, diagnostics);
      if (this.has(path)) reportIrregular(path, diagnostics);
      else diagnostics.addFile("IVR126", path, `There is no ${path} in ${label}.`);
      return undefined;
    },
  };
}

function refuse(ran: Ran, what: string, hint: string, diagnostics: Diagnostics): void {
  const why = ran.kind === "done" ? "its answer is incomplete" : ran.problem;
  const [message, help] =
    ran.kind === "missing"
      ? [`git cannot be run: ${why}.`, "Install git, and check that it is in the PATH."]
      : [`${what}: ${why}.`, hint];
  diagnostics.addAt("IVR641", { file: menuFolder }, message, help);
}
