import { isUtf8 } from "node:buffer";
import { type Stats, lstatSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type FileLimit, limits, shownLimit } from "../schema/limits.ts";
import { pathExists, slashed } from "../util/disk.ts";
import { describeSystemError } from "../util/system-error.ts";

export const configName = "ivrctl.yaml";
export const menuFolder = "ivrs";

/** What a YAML file under ivrs/ is. Files whose names start with `_` are never menus. */
type FileKind = "menu" | "defaults" | "hidden" | "test";

export const folderDefaultsName = "_defaults.yaml";

/** The files with defaults that a menu may have: `ivrs/_defaults.yaml`, `ivrs/sales/_defaults.yaml`. */
export function folderDefaultsOf(file: string): string[] {
  const folders = file.split("/").slice(0, -1);
  return folders.map((_, at) => [...folders.slice(0, at + 1), folderDefaultsName].join("/"));
}

/** Returns what a YAML file under ivrs/ is, by its name. */
export function fileKind(path: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.endsWith(".test.yaml")) return "test";
  // A misspelled name is reported. Its defaults apply, so that menus do not seem to lack fields.
  if (/^_?defaults?\.ya?ml$/i.test(name)) return "defaults";
  return name.startsWith("_") ? "hidden" : "menu";
}

export function isTestFile(path: string): boolean {
  return fileKind(path) === "test";
}

/** The files of a project: on disk, of a git revision, or texts in memory. Paths have `/`. */
export interface Files {
  /** Whether something has this path. */
  has(path: string): boolean;
  /** The paths of the files under ivrs/, in any order. Reports what cannot be listed. */
  list(diagnostics: Diagnostics): readonly string[];
  /** Reads a file. Undefined, and reported, if it cannot be read. */
  read(path: string, limit: FileLimit, diagnostics: Diagnostics): Source | undefined;
}

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

export const noFiles: MenuFiles = { menus: [], folders: [], hidden: [], tests: [] };

/** Reads all menus, and the test files if requested. Leaves out names that start with a dot. */
export function readMenuFiles(
  files: Files,
  diagnostics: Diagnostics,
  { tests }: { readonly tests: boolean },
): MenuFiles {
  const paths = files.list(diagnostics).filter((path) => !/(?:^|\/)\./.test(path));
  const menuFiles = paths.toSorted().flatMap((path) => {
    const kind = kindOf(path, diagnostics);
    if (kind === "other" || (kind === "test" && !tests)) return [];
    // A hidden file may be anything, so its problems do not matter.
    const problems = kind === "hidden" ? new Diagnostics() : diagnostics;
    return files.read(path, "yamlFile", problems) ?? [];
  });
  const of = (kind: FileKind) => menuFiles.filter(({ file }) => fileKind(file) === kind);
  return { menus: of("menu"), folders: of("defaults"), hidden: of("hidden"), tests: of("test") };
}

/** Returns what a file under ivrs/ is, by its name. Reports a name such as `menu.yml`. */
function kindOf(path: string, diagnostics: Diagnostics): FileKind | "other" {
  const name = basename(path);
  const kind = fileKind(path);
  const ignored = (why: string, better: string) =>
    diagnostics.addFile(
      "IVR124",
      path,
      `ivrctl would ignore ${path}, because ${why}.`,
      `Rename it to ${better}.`,
    );
  if (kind === "defaults" && name !== folderDefaultsName) {
    ignored(`the defaults of a folder are in ${folderDefaultsName}`, folderDefaultsName);
    return kind;
  }
  if (path.endsWith(".yaml")) return kind;
  if (!name.startsWith("_") && /\.ya?ml$/i.test(name)) {
    ignored("menu files end in .yaml", name.replace(/\.ya?ml$/i, ".yaml"));
  }
  return "other";
}

export class DiskFiles implements Files {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  has(path: string): boolean {
    return pathExists(join(this.#root, path));
  }

  list(diagnostics: Diagnostics): readonly string[] {
    const look = () => lstatSync(join(this.#root, menuFolder), { throwIfNoEntry: false });
    const stats = attempt(menuFolder, diagnostics, look);
    if (stats === undefined) return [];
    if (stats.isDirectory()) return this.#listFolder(menuFolder, diagnostics);
    reportIrregular(menuFolder, diagnostics);
    return [];
  }

  #listFolder(folder: string, diagnostics: Diagnostics): string[] {
    const read = () => readdirSync(join(this.#root, folder), { withFileTypes: true });
    return (attempt(folder, diagnostics, read) ?? []).flatMap((entry) => {
      const inner = `${folder}/${entry.name}`;
      if (entry.name.startsWith(".")) return [];
      if (entry.isDirectory()) return this.#listFolder(inner, diagnostics);
      // There may be menus behind a link to a folder. `read` refuses a menu that is a link.
      if (entry.isFile() || !isFolder(join(this.#root, inner))) return inner;
      reportIrregular(inner, diagnostics);
      return [];
    });
  }

  read(path: string, limit: FileLimit, diagnostics: Diagnostics): Source | undefined {
    if (path === configName && !this.has(path)) {
      reportNoProject(this.#root, diagnostics);
      return undefined;
    }
    return attempt(path, diagnostics, () => {
      const full = join(this.#root, path);
      if (lstatSync(full).isFile()) return readText(path, full, limit, diagnostics);
      reportIrregular(path, diagnostics);
      return undefined;
    });
  }
}

/** Reports a link, a submodule, a pipe or a device. A link could point out of the project. */
export function reportIrregular(path: string, diagnostics: Diagnostics): void {
  const what = path === menuFolder ? "folder" : "regular file or folder";
  diagnostics.addFile(
    "IVR121",
    path,
    `${path} is not a ${what}.`,
    "Put a file or a folder in its place. ivrctl does not follow links.",
  );
}

function reportNoProject(root: string, diagnostics: Diagnostics): void {
  const words =
    "Change to a folder in the project, or choose its top folder with -C. To create a project here, run:";
  const [message, hint] = !isFolder(root)
    ? [`There is no folder ${root}.`, "Choose the project's folder with -C."]
    : [
        `There is no ${configName} in ${root}.`,
        pathExists(join(root, "ivrctl.yml"))
          ? "Rename ivrctl.yml to ivrctl.yaml."
          : { words, argv: ["init"] },
      ];
  diagnostics.addFile("IVR126", configName, message, hint);
}

/** Reads a file that the user named. It may be outside the project. */
export function readNamed(
  root: string,
  path: string,
  limit: FileLimit,
  diagnostics: Diagnostics,
): Source | undefined {
  const absolute = resolve(root, path);
  const shown = shownPath(root, absolute);
  return attempt(shown, diagnostics, () => {
    const entry = statSync(absolute);
    if (entry.isFile() || isPipeOfShell(absolute, entry))
      return readText(shown, absolute, limit, diagnostics);
    const what = entry.isDirectory() ? "a folder" : "a pipe or a device";
    diagnostics.addFile("IVR121", shown, `${shown} is ${what}, not a file.`, "Use a file.");
    return undefined;
  });
}

/** Whether a path is a pipe that a shell opened, as for `--agents <(…)`. Any other pipe may never end. */
export function isPipeOfShell(path: string, entry: Stats): boolean {
  return entry.isFIFO() && /^\/(?:dev|proc\/[^/]+)\/fd\//.test(path);
}

/** The path as messages show it: relative to the project, or in full if the file is outside. */
export function shownPath(root: string, absolute: string): string {
  const path = relative(root, absolute);
  if (!leadsOutside(path)) return slashed(path) || ".";
  // The project may have been named through a link.
  const real = relative(realPath(root), join(realPath(dirname(absolute)), basename(absolute)));
  return slashed(leadsOutside(real) ? absolute : real) || ".";
}

/** Whether a relative path points out of the folder that it starts from. */
export function leadsOutside(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A folder, or a link to one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
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
  name: string,
  path: string,
  limit: FileLimit,
  diagnostics: Diagnostics,
): Source | undefined {
  return statSync(path).size > limits[limit]
    ? tooLarge(name, limit, diagnostics)
    : decodeUtf8(name, readFileSync(path), limit, diagnostics);
}

function tooLarge(file: string, limit: FileLimit, diagnostics: Diagnostics): undefined {
  diagnostics.addFile(
    "IVR130",
    file,
    `${file} is larger than the limit of ${shownLimit(limit)}.`,
    limit === "yamlFile" ? "Split it into several files." : "Check that this is the right file.",
  );
}

/** Decodes UTF-8 without its byte order mark. Reports a file that is too large or not UTF-8. */
export function decodeUtf8(
  file: string,
  bytes: Buffer,
  limit: FileLimit,
  diagnostics: Diagnostics,
): Source | undefined {
  if (bytes.length > limits[limit]) return tooLarge(file, limit, diagnostics);
  const source = new Source(file, new TextDecoder().decode(bytes));
  if (isUtf8(bytes)) return source;
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

/** The menu key of a file: its path under ivrs/ without `.yaml`. Outside ivrs/, its name alone. */
export function keyFromPath(file: string): string {
  const inside = file.startsWith("ivrs/") ? file.slice("ivrs/".length) : file.replace(/^.*\//, "");
  return inside.replace(/\.yaml$/, "");
}
