import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Files, configName, decode, menuFolder, isTestFile } from "./files.ts";
import { snapshotNames } from "./agents-lock.ts";
import { type Blob, type Ran, readBatch, runGit } from "./git.ts";
import type { Host } from "../util/host.ts";

interface Request {
  readonly root: string;
  readonly ref: string;
  /** The revision as messages name it. Default: `ref`. */
  readonly shown?: string;
  readonly host: Host;
  /** The environment whose agent list is read. */
  readonly environment: string;
}

interface Revision {
  /** The commit's id. */
  readonly commit: string;
  /** Its files, without tests. */
  readonly files: Files;
}

/** Reads the files of a revision from git, without a checkout. Reports why git cannot read them. */
export async function readRevision(
  { root, host, ref, shown = ref, environment }: Request,
  diagnostics: Diagnostics,
): Promise<Revision | undefined> {
  const git: RunGit = (args, input) => runGit(root, args, host, input);
  const prefixed = await git(["rev-parse", "--show-prefix"]);
  if (prefixed.kind !== "done") {
    const inRepository = "Run this command in a git repository.";
    refuse(prefixed, `git did not find a repository in ${root}`, inRepository, diagnostics);
    return undefined;
  }
  const prefix = prefixed.stdout.toString("utf8").replace(/\/?\n$/, "");
  const commit = await commitOf(git, ref, diagnostics);
  if (commit === undefined) return undefined;
  // The files are read from the tree of the project's folder, so that no link points out of it.
  const found = await git(["rev-parse", "--verify", "--quiet", `${commit}:${prefix}`]);
  if (found.kind !== "done") return { commit, files: filesOf([], [], shown) };
  const tree = found.stdout.toString("utf8").trim();
  const paths = [configName, ...snapshotNames(environment), menuFolder];
  const listed = await git(["ls-tree", "-r", "-z", "--full-tree", tree, "--", ...paths]);
  if (listed.kind !== "done") {
    refuse(listed, `git cannot list ${ref}`, checkRepository, diagnostics);
    return undefined;
  }
  const entries = entriesIn(listed.stdout);
  const names = entries.map(({ path, mode, object }) => {
    const name = mode === linkMode ? `${tree}:${path}` : object;
    // git reads one name from each line, so a path with a line break cannot be requested.
    return isRead(path) && !/[\n\r]/.test(name) ? name : "";
  });
  const args = ["cat-file", "--batch", "--follow-symlinks"];
  const read = await git(args, names.map((name) => `${name}\n`).join(""));
  const blobs = read.kind === "done" ? readBatch(read.stdout, names.length) : [];
  if (read.kind === "done" && blobs.length === names.length) {
    return { commit, files: filesOf(entries, blobs, shown) };
  }
  refuse(read, `git cannot read ${ref}`, checkRepository, diagnostics);
  return undefined;
}

type RunGit = (args: readonly string[], input?: string) => Promise<Ran>;

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly object: string;
}

const linkMode = "120000";
const submoduleMode = "160000";

function entriesIn(stdout: Buffer): Entry[] {
  const lines = stdout.toString("utf8").split("\0");
  return lines.flatMap((line) => {
    const found = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line);
    const [, mode = "", object = "", path = ""] = found ?? [];
    return found === null ? [] : { path, mode, object };
  });
}

/** Whether a file is read. Other files may be large. */
function isRead(path: string): boolean {
  return !path.startsWith(`${menuFolder}/`) || (/\.ya?ml$/i.test(path) && !isTestFile(path));
}

function filesOf(entries: readonly Entry[], blobs: readonly Blob[], shown: string): Files {
  const byPath = new Map(entries.map(({ path }, at) => [path, blobs[at]]));
  return {
    has: (path) => byPath.has(path),
    list: (diagnostics) =>
      entries.flatMap(({ path, mode }) => {
        const what =
          mode === submoduleMode
            ? "a submodule, which ivrctl does not read"
            : path === menuFolder
              ? "not a folder"
              : undefined;
        if (what !== undefined) diagnostics.addFile("IVR121", path, `${path} is ${what}.`);
        return what === undefined && path.startsWith(`${menuFolder}/`) ? path : [];
      }),
    read(path, limit, diagnostics) {
      const blob = byPath.get(path);
      if (blob?.kind === "blob") return decode(path, blob.content, limit, diagnostics);
      if (blob === undefined) {
        diagnostics.addFile("IVR126", path, `There is no ${path} in ${shown}.`);
      } else diagnostics.addFile("IVR121", path, `${path} cannot be read: ${blob.why}.`);
      return undefined;
    },
  };
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
