import { resolve } from "node:path";
import { keyFromPath, readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/field-types.ts";
import { pathExists } from "../util/disk.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import {
  DiskFiles,
  configName,
  isFolder,
  isTestFile,
  menuFolder,
  readMenuFiles,
  shownPath,
} from "./files.ts";
import { fromRoot } from "./root.ts";

/** The names that a user can give a menu on the command line: its key, or the path of its file. */
export class MenuNames {
  readonly #root: string;
  readonly #folder: string;
  #menus: readonly NamedMenu[] | undefined;

  /** Paths are relative to `folder`. */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /**
   * Returns the menu keys that a word means where a key is expected. A key comes before a path. A file
   * with several menus has several keys. Returns an unknown word unchanged.
   */
  keys(word: string): readonly string[] {
    if (!word.endsWith(".yaml")) return [word];
    const file = shownPath(this.#root, resolve(this.#folder, word));
    if (!file.startsWith(`${menuFolder}/`) || isTestFile(file)) return [word];
    const menus = this.#all();
    if (menus.some(({ key }) => key === word)) return [word];
    const keys = menus.filter((menu) => menu.file === file).map(({ key }) => key);
    // The state may still have the key of a file that was deleted.
    return keys.length > 0 ? keys : [keyFromPath(file)];
  }

  /**
   * Returns the path, relative to the root, that a word means where a path is expected. A path comes
   * before a key. An unknown word is returned as a path.
   */
  path(word: string): string {
    const path = fromRoot(this.#root, this.#folder, word);
    if (pathExists(resolve(this.#folder, word))) return path;
    return this.#all().find(({ key }) => key === word)?.file ?? path;
  }

  #all(): readonly NamedMenu[] {
    // The command itself reports problems of the files.
    this.#menus ??= namedMenus(
      readMenuFiles(new DiskFiles(this.#root), new Diagnostics(), { tests: false }).menus,
    );
    return this.#menus;
  }
}

interface NamedMenu {
  readonly key: string;
  readonly file: string;
}

/** Reports a path that does not exist, where a menu can also be named by its key. */
function reportNoMenu(path: string, menus: readonly Source[], found: Diagnostics): void {
  const keys = namedMenus(menus).map(({ key }) => key);
  found.addFile(
    "IVR121",
    path,
    `No file or menu is named ${path}.`,
    didYouMean(nearestKeys(path, keys)) ??
      "Name a file, a folder or a menu key. Paths are relative to the current folder.",
  );
}

/** Returns the keys that are most similar to a word. The word may be a path, or the end of a key. */
export function nearestKeys(word: string, keys: readonly string[]): string[] {
  const parts = word.replace(/\.yaml$/, "").split("/");
  for (const [at] of parts.entries()) {
    const near = nearest(parts.slice(at).join("/"), keys);
    if (near.length > 0) return near;
  }
  const [same] = nearest(parts.at(-1) ?? "", keys.map(lastPart));
  return keys.filter((key) => lastPart(key) === same).slice(0, 3);
}

function lastPart(key: string): string {
  return key.replace(/^.*\//, "");
}

function namedMenus(sources: readonly Source[]): NamedMenu[] {
  return sources
    .filter(({ file }) => !isTestFile(file))
    .flatMap((source) => {
      const { file } = source;
      const named = readMenus(source, new Diagnostics()).flatMap(({ key }) =>
        key === undefined ? [] : { key, file },
      );
      // The menu of an unreadable file can be named too, so that its problems can be shown.
      return named.length > 0 ? named : { key: keyFromPath(file), file };
    });
}

/** Reports a key that no menu of the project has. */
export function reportNoKey(key: string, known: readonly string[], found: Diagnostics): void {
  found.addFile(
    "IVR313",
    menuFolder,
    `There is no menu with the key \`${key}\`.`,
    didYouMean(nearestKeys(key, known)) ?? menuKeyHelp,
  );
}

/** The files that the user named on the command line. */
export interface Selection {
  /** Whether the file was named, or is in a folder that was named. */
  readonly has: (file: string) => boolean;
}

/** Selects files of the project by paths. Without a path, all are selected. Reports other paths. */
export function selectFiles(
  root: string,
  paths: readonly string[],
  files: readonly Source[],
  found: Diagnostics,
): Selection {
  if (paths.length === 0) return { has: () => true };
  const known = new Set(files.map(({ file }) => file));
  const chosen = new Set<string>();
  const folders: string[] = [];
  for (const path of paths) {
    const absolute = resolve(root, path);
    const file = shownPath(root, absolute);
    if (isFolder(absolute)) {
      const hasFile = files.some((source) => isIn(file, source.file));
      if (!hasFile) reportForeign(file, `There are no menus of this project in ${file}.`, found);
      folders.push(file);
      continue;
    }
    chosen.add(file);
    if (known.has(file)) continue;
    if (!pathExists(absolute)) reportNoMenu(file, files, found);
    // A commit hook may also name the configuration, or a text or draft beside the menus.
    else if (file !== configName && !file.startsWith(`${menuFolder}/`)) {
      reportForeign(file, `${file} is not a file of this project.`, found);
    }
  }
  return {
    has: (file) => chosen.has(file) || folders.some((folder) => isIn(folder, file)),
  };
}

function isIn(folder: string, file: string): boolean {
  return folder === "." || folder === file || file.startsWith(`${folder}/`);
}

function reportForeign(path: string, message: string, found: Diagnostics): void {
  found.addAt(
    "IVR124",
    { file: path },
    message,
    "Name files or folders under ivrs/. For a different project, use `-C`.",
  );
}
