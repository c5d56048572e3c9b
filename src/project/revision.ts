import { posix, relative, resolve, sep } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import {
  configName,
  decode,
  kindOf,
  menuFolder,
  realLocation,
  realPath,
  shownPath,
  snapshotName,
} from "./files.ts";
import type { FileLimit } from "../schema/limits.ts";
import { type Blob, type Ran, readBatch, runGit } from "./git.ts";

/** The files of a project as they were at a revision. */
export interface RevisionFiles {
  /** The commit's id. */
  readonly commit: string;
  /** Undefined if it did not exist, or is outside the repository. */
  readonly config: Source | undefined;
  /** Whether the configuration is outside the repository, and so has no history. */
  readonly configOutside: boolean;
  /** Sorted by path. */
  readonly menus: readonly Source[];
  readonly agents: Source | undefined;
}

interface Request {
  readonly root: string;
  readonly configFile: string | undefined;
  readonly ref: string;
}

/**
 * Reads a revision's objects through git; nothing is checked out. What keeps it from
 * being read at all goes to `diagnostics`, faults of its files to `faults`.
 */
export async function readRevision(
  { root, configFile, ref }: Request,
  diagnostics: Diagnostics,
  faults: Diagnostics,
): Promise<RevisionFiles | undefined> {
  const prefixed = await runGit(root, ["rev-parse", "--show-prefix"]);
  if (prefixed.kind !== "done") {
    refuse(prefixed, "IVR641", `git finds no repository in ${root}`, diagnostics);
    return undefined;
  }
  const prefix = prefixed.stdout.toString("utf8").replace(/\/?\n$/, "");
  const commit = await commitOf(root, ref, diagnostics);
  if (commit === undefined) return undefined;
  const config = configPath(root, prefix, configFile);
  // Of the project's own tree, so that no link leads out of the project.
  const tree = await runGit(root, ["rev-parse", "--verify", "--quiet", `${commit}:${prefix}`]);
  if (tree.kind !== "done") {
    return {
      commit,
      config: undefined,
      configOutside: config === undefined,
      menus: [],
      agents: undefined,
    };
  }
  const project = tree.stdout.toString("utf8").trim();
  const listed = await runGit(root, [
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    project,
    "--",
    menuFolder,
  ]);
  if (listed.kind !== "done") {
    refuse(listed, "IVR643", `git cannot list ${ref}`, diagnostics);
    return undefined;
  }
  const menus = menuEntries(listed.stdout, faults);
  const names = [
    `${project}:${snapshotName}`,
    config === undefined
      ? ""
      : config === configName
        ? `${project}:${config}`
        : `${commit}:${config.slice(1)}`,
    ...menus.map(({ path, link, object }) => (link ? `${project}:${path}` : object)),
  ];
  // A name is a line; a path that holds a line break cannot be asked for.
  const asked = names.map((name) => (/[\n\r]/.test(name) ? "" : name));
  const read = await runGit(
    root,
    ["cat-file", "--batch", "--follow-symlinks"],
    asked.map((name) => `${name}\n`).join(""),
  );
  const blobs = read.kind === "done" ? readBatch(read.stdout, asked.length) : [];
  if (read.kind !== "done" || blobs.length !== asked.length) {
    refuse(read, "IVR643", `git cannot read ${ref}`, diagnostics);
    return undefined;
  }
  const [agents, settings, ...texts] = blobs;
  return {
    commit,
    config: textOf(
      configFile === undefined ? configName : shownPath(root, resolve(root, configFile)),
      settings,
      "yamlFile",
      faults,
    ),
    configOutside: config === undefined,
    menus: menus.flatMap(({ path }, at) => {
      const blob = texts[at];
      if (blob?.kind === "none") {
        faults.addFile("IVR123", path, `${path} cannot be read: ${blob.why}.`);
      }
      return textOf(path, blob, "yamlFile", faults) ?? [];
    }),
    agents: textOf(snapshotName, agents, "agentList", faults),
  };
}

async function commitOf(
  root: string,
  ref: string,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  const verify = (name: string) => runGit(root, ["rev-parse", "--verify", "--quiet", name]);
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
  diagnostics.addFile(
    "IVR642",
    menuFolder,
    `git knows no commit by the name \`${ref}\`.`,
    ref === "HEAD"
      ? "Nothing has been committed yet."
      : "Name a branch, a tag or a commit. In a pipeline it may have to be fetched first.",
  );
  return undefined;
}

function refuse(ran: Ran, code: "IVR641" | "IVR643", what: string, diagnostics: Diagnostics): void {
  if (ran.kind === "missing") {
    diagnostics.addFile("IVR643", menuFolder, `git cannot be run: ${ran.problem}.`);
  } else {
    const why = ran.kind === "failed" ? ran.problem : "its answer is not whole";
    diagnostics.addFile(code, menuFolder, `${what}: ${why}.`);
  }
}

/**
 * Where git has the configuration: `ivrctl.yaml` of the project, or with a `/`
 * before it a path from the top of the repository. Undefined if it is outside.
 */
function configPath(root: string, prefix: string, named: string | undefined): string | undefined {
  if (named === undefined) return configName;
  const place = relative(realPath(root), realLocation(resolve(root, named)));
  const path = posix.join(prefix, place.split(sep).join("/"));
  return path === ".." || path.startsWith("../") ? undefined : `/${path}`;
}

interface Entry {
  readonly path: string;
  readonly object: string;
  readonly link: boolean;
}

function menuEntries(stdout: Buffer, faults: Diagnostics): Entry[] {
  const entries = stdout
    .toString("utf8")
    .split("\0")
    .flatMap((line): Entry[] => {
      const found = /^(?<mode>\d+) \w+ (?<object>[0-9a-f]+)\t(?<path>.*)$/s.exec(line)?.groups;
      if (found === undefined) return [];
      const { mode, object = "", path = "" } = found;
      if (path.split("/").some((part) => part.startsWith("."))) return [];
      if (mode === "160000" || path === menuFolder) {
        const what = mode === "160000" ? "a submodule, which is not read" : "not a folder";
        faults.addFile("IVR122", path, `${path} is ${what}.`);
        return [];
      }
      const link = mode === "120000";
      return kindOf(path, faults) === "menu" ? [{ path, object, link }] : [];
    });
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function textOf(
  file: string,
  blob: Blob | undefined,
  limit: FileLimit,
  faults: Diagnostics,
): Source | undefined {
  return blob?.kind === "blob" ? decode(file, blob.content, limit, faults) : undefined;
}
