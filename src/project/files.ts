import { isUtf8 } from "node:buffer";
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type FileLimit, limits, shownLimit } from "../schema/limits.ts";
import { pathExists } from "../util/disk.ts";
import type { Buffers } from "./buffers.ts";
import { type FileKind, fileKind, folderDefaultsName } from "./file-kind.ts";
import { shellWord } from "../util/shell-word.ts";
import { describeSystemError } from "../util/system-error.ts";
import { slashed } from "../util/slashed.ts";
import type { Hint } from "../util/suggest.ts";

export const configName = "ivrctl.yaml";
export const menuFolder = "ivrs";

export interface MenuFiles {
  /** Sorted by path. */
  readonly menus: readonly Source[];
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
  /** Other files whose names start with `_`. They are not menus. */
  readonly hidden: readonly Source[];
  /** The test files, if they were requested. */
  readonly tests: readonly Source[];
}

/** Reads the configuration and every menu, as far as they can be read. */
export function readProject(
  root: string,
  diagnostics: Diagnostics,
): Pick<MenuFiles, "menus" | "folders"> & { readonly config: Source | undefined } {
  const config = readConfigFile(root, diagnostics);
  const files = config ? readMenuFiles(root, diagnostics, { tests: false }) : noFiles;
  return { config, ...files };
}

export const noFiles: MenuFiles = { menus: [], folders: [], hidden: [], tests: [] };

interface Wanted {
  /** Whether to read the test files. */
  readonly tests: boolean;
  /** Texts that replace files. */
  readonly buffers?: Buffers | undefined;
}

/** Reads all menus, and the test files if requested. */
export function readMenuFiles(root: string, diagnostics: Diagnostics, wanted: Wanted): MenuFiles {
  const found = readMenuAndTestFiles(root, diagnostics, wanted);
  const of = (kind: FileKind) => found.filter(({ file }) => fileKind(file) === kind);
  return { menus: of("menu"), folders: of("defaults"), hidden: of("hidden"), tests: of("test") };
}

/** Reads every YAML file under ivrs/, but no test file if `tests` is false. */
export function readMenuAndTestFiles(
  root: string,
  diagnostics: Diagnostics,
  wanted: Wanted = { tests: true },
): readonly Source[] {
  const path = join(root, menuFolder);
  const exists = pathExists(path);
  if (!exists && wanted.buffers === undefined) return [];
  if (!exists || lstatSync(path).isDirectory()) {
    return readFolder(root, menuFolder, wanted, diagnostics);
  }
  diagnostics.addAt(
    "IVR121",
    { file: menuFolder },
    `${menuFolder} is not a folder.`,
    "Replace it with a folder that contains the menus.",
  );
  return [];
}

/** Reads a file that the user named. It may be outside the project. */
export function readNamed(
  root: string,
  path: string,
  limit: FileLimit,
  diagnostics: Diagnostics,
  buffers?: Buffers,
): Source | undefined {
  const absolute = resolve(root, path);
  const shown = shownPath(root, absolute);
  return attempt(shown, diagnostics, () => {
    const entry = statSync(absolute);
    // `--agents <(…)` names a pipe.
    if (entry.isFile() || entry.isFIFO()) {
      return readText(shown, absolute, limit, diagnostics, buffers);
    }
    const what = entry.isDirectory() ? "a folder" : "a device";
    diagnostics.addFile("IVR121", shown, `${shown} is ${what}, not a file.`, "Name a file.");
    return undefined;
  });
}

/** The path as messages show it: relative to the project, or in full if the file is outside. */
export function shownPath(root: string, absolute: string): string {
  const path = relative(root, absolute);
  if (!leadsOutside(path)) return slashed(path) || ".";
  // The project may have been named through a link.
  const real = relative(realPath(root), realLocation(absolute));
  return slashed(leadsOutside(real) ? absolute : real) || ".";
}

/** Whether a relative path leads out of the folder that it starts from. */
export function leadsOutside(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`);
}

/** The path with the links in its folder resolved. The file itself need not exist. */
function realLocation(absolute: string): string {
  return join(realPath(dirname(absolute)), basename(absolute));
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads ivrctl.yaml. */
export function readConfigFile(
  root: string,
  diagnostics: Diagnostics,
  buffers?: Buffers,
): Source | undefined {
  const found = new Diagnostics();
  const source = readConfigText(root, found, buffers);
  // A file that cannot be decoded may contain secrets, so messages show nothing of it.
  if (source === undefined) for (const each of found.sorted()) each.source?.hideAll();
  diagnostics.addAll(found);
  return source;
}

function readConfigText(
  root: string,
  diagnostics: Diagnostics,
  buffers: Buffers | undefined,
): Source | undefined {
  if (pathExists(join(root, configName))) {
    return readProjectFile(root, configName, "yamlFile", diagnostics, buffers);
  }
  const [message, hint] = isFolder(root)
    ? [`There is no ${configName} in ${root}.`, helpToFindProject(root)]
    : [`There is no folder ${root}.`, "Name the folder of the project with -C."];
  diagnostics.addFile("IVR126", configName, message, hint);
  return undefined;
}

function helpToFindProject(root: string): Hint {
  if (pathExists(join(root, "ivrctl.yml"))) return "Rename ivrctl.yml to ivrctl.yaml.";
  for (let folder = root; folder !== dirname(folder);) {
    folder = dirname(folder);
    if (!pathExists(join(folder, configName))) continue;
    return `Use -C ${shellWord(folder)} for the project in a folder above this one.`;
  }
  return {
    words:
      "Change to a folder of the project, or name its top folder with -C. To create a project here, run:",
    argv: ["init"],
  };
}

function readFolder(
  root: string,
  path: string,
  wanted: Wanted,
  diagnostics: Diagnostics,
): Source[] {
  const { tests, buffers } = wanted;
  const folder = join(root, path);
  // An editor may have a file that it has not saved for the first time yet, in a new folder.
  const onDisk =
    buffers !== undefined && !pathExists(folder)
      ? []
      : (attempt(path, diagnostics, () => readdirSync(folder, { withFileTypes: true })) ?? []);
  const inEditor = buffers?.entriesIn(path, new Set(onDisk.map(({ name }) => name))) ?? [];
  const all = [...inEditor, ...onDisk];
  const entries = [...new Map(all.map((entry) => [entry.name, entry])).values()];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const inner = `${path}/${entry.name}`;
    if (entry.name.startsWith(".")) return [];
    if (entry.isDirectory()) return readFolder(root, inner, wanted, diagnostics);
    if (entry.isSymbolicLink() && isFolder(join(root, inner))) {
      diagnostics.addAt(
        "IVR121",
        { file: inner },
        `${inner} is a link to a folder. ivrctl does not follow such links.`,
        "Replace the link with the folder itself.",
      );
      return [];
    }
    const kind = kindOf(inner, diagnostics);
    if (kind === "other" || (kind === "test" && !tests)) return [];
    // A hidden file may be anything, so its problems do not matter.
    const found = kind === "hidden" ? new Diagnostics() : diagnostics;
    const source = entry.isFile()
      ? attempt(inner, found, () => readText(inner, join(root, inner), "yamlFile", found, buffers))
      : readProjectFile(root, inner, "yamlFile", found, buffers);
    return source ?? [];
  });
}

/** Returns what a file under ivrs/ is, by its name. Reports a name such as `menu.yml`. */
export function kindOf(path: string, diagnostics: Diagnostics): FileKind | "other" {
  const name = basename(path);
  const kind = fileKind(path);
  if (kind === "defaults" && name !== folderDefaultsName) {
    diagnostics.addFile(
      "IVR124",
      path,
      `ivrctl would ignore ${path}, because the defaults of a folder are in ${folderDefaultsName}.`,
      `Rename it to ${folderDefaultsName}.`,
    );
    return kind;
  }
  if (path.endsWith(".yaml")) return kind;
  if (name.startsWith("_")) return "other";
  if (/\.ya?ml$/i.test(path)) {
    const better = path.replace(/\.ya?ml$/i, ".yaml");
    diagnostics.addFile(
      "IVR124",
      path,
      `ivrctl would ignore ${path}, because menu files end in .yaml.`,
      `Rename it to ${basename(better)}.`,
    );
  }
  return "other";
}

/** Reads a regular file of the project, or one that a link inside the project leads to. */
export function readProjectFile(
  root: string,
  path: string,
  limit: FileLimit,
  diagnostics: Diagnostics,
  buffers?: Buffers,
): Source | undefined {
  return attempt(path, diagnostics, () => {
    const target = realpathSync(join(root, path));
    if (leadsOutside(relative(realpathSync(root), target))) {
      diagnostics.addFile(
        "IVR121",
        path,
        `${path} is a link to a file outside the project.`,
        "Copy the file into the project.",
      );
      return undefined;
    }
    if (statSync(target).isFile()) return readText(path, target, limit, diagnostics, buffers);
    diagnostics.addFile(
      "IVR121",
      path,
      `${path} is not a regular file.`,
      "Replace it with a file.",
    );
    return undefined;
  });
}

/** Calls `read` and reports an error of the operating system as a problem of the file. */
function attempt<T>(file: string, diagnostics: Diagnostics, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    diagnostics.addFile(
      "IVR121",
      file,
      `${file} cannot be read: ${describeSystemError(error)}.`,
      "Check that the file exists and that you have permission to read it.",
    );
    return undefined;
  }
}

function readText(
  shown: string,
  path: string,
  limit: FileLimit,
  diagnostics: Diagnostics,
  buffers: Buffers | undefined,
): Source | undefined {
  const unsaved = buffers?.get(shown);
  if (unsaved !== undefined) {
    return decode(shown, Buffer.from(unsaved), limit, diagnostics, buffers);
  }
  const file = openSync(path, "r");
  try {
    const entry = fstatSync(file);
    if (entry.size > limits[limit]) return tooLarge(shown, limit, diagnostics);
    const bytes = entry.isFile() ? readFileSync(file) : readAtMost(file, limits[limit] + 1);
    return decode(shown, bytes, limit, diagnostics, buffers);
  } finally {
    closeSync(file);
  }
}

/** Reads from a pipe, whose size is unknown until it ends. */
function readAtMost(file: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  for (let left = most; left > 0;) {
    const chunk = Buffer.allocUnsafe(Math.min(left, 65_536));
    const count = readSync(file, chunk);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    left -= count;
  }
  return Buffer.concat(chunks);
}

function tooLarge(file: string, limit: FileLimit, diagnostics: Diagnostics): undefined {
  diagnostics.addFile(
    "IVR130",
    file,
    `${file} is larger than the limit of ${shownLimit(limit)}.`,
    limit === "yamlFile" ? "Split it into several files." : "Check that this is the right file.",
  );
}

const byteOrderMark = Buffer.from("\uFEFF");

/** Decodes UTF-8 without its byte order mark. Reports a file that is too large or not UTF-8. */
export function decode(
  file: string,
  bytes: Buffer,
  limit: FileLimit,
  diagnostics: Diagnostics,
  buffers?: Buffers,
): Source | undefined {
  if (bytes.length > limits[limit]) return tooLarge(file, limit, diagnostics);
  const own = byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length))
    ? bytes.subarray(byteOrderMark.length)
    : bytes;
  const text = own.toString("utf8");
  const source = buffers?.source(file, text) ?? new Source(file, text);
  if (isUtf8(own)) return source;
  const utf16 = /^(?:\xFF\xFE|\xFE\xFF)/.test(bytes.toString("latin1", 0, 2));
  const start = Math.max(source.text.indexOf("\uFFFD"), 0);
  diagnostics.add(
    "IVR104",
    source.span(start, start + 1),
    utf16 ? "This file is UTF-16, not UTF-8." : "This byte is not valid UTF-8.",
    "Save the file as UTF-8.",
  );
  return undefined;
}

/** A folder, or a link to one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
