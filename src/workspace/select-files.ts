import { resolve } from "node:path";
import { readMenus } from "../compile/read-menus.ts";
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
  keyFromPath,
} from "../project/files.ts";
import { fromRoot } from "../project/root.ts";

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
   * Returns the menu keys that a word means where a key is expected. A file with several menus has
   * several keys. Returns a word that is not the path of a menu unchanged.
   */
  keys(word: string): readonly string[] {
    if (!word.endsWith(".yaml")) return [word];
    const file = shownPath(this.#root, resolve(this.#folder, word));
    if (!file.startsWith(`${menuFolder}/`) || isTestFile(file)) return [word];
    const keys = this.all().flatMap((menu) => (menu.file === file ? menu.key : []));
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
    return this.all().find(({ key }) => key === word)?.file ?? path;
  }

  /** The menus of the project. The command itself reports problems of the files. */
  all(): readonly NamedMenu[] {
    const read = () =>
      readMenuFiles(new DiskFiles(this.#root), new Diagnostics(), { tests: false });
    this.#menus ??= namedMenus(read().menus);
    return this.#menus;
  }
}

interface NamedMenu {
  readonly key: string;
  readonly file: string;
}

function namedMenus(sources: readonly Source[]): NamedMenu[] {
  return sources.flatMap((source) => {
    const { file } = source;
    const keys = readMenus(source, new Diagnostics()).flatMap(({ key }) => key ?? []);
    // The menu of an unreadable file can be named too, so that its problems can be shown.
    return (keys.length > 0 ? keys : [keyFromPath(file)]).map((key) => ({ key, file }));
  });
}

/** Returns the keys that are most similar to a word. The word may be a path, or the end of a key. */
export function nearestKeys(word: string, keys: readonly string[]): string[] {
  const wanted = word.replace(/^ivrs\/|\.yaml$/g, "");
  const near = nearest(wanted, keys);
  const nameOf = (key: string) => key.replace(/^.*\//, "");
  return near.length > 0 ? near : keys.filter((key) => nameOf(key) === nameOf(wanted)).slice(0, 3);
}

export function reportNoKey(
  key: string,
  menuKeys: readonly string[],
  problems: Diagnostics,
  help = menuKeyHelp,
): void {
  problems.addFile(
    "IVR313",
    menuFolder,
    `There is no menu with the key \`${key}\`.`,
    didYouMean(nearestKeys(key, menuKeys)) ?? help,
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
  problems: Diagnostics,
): Selection {
  if (paths.length === 0) return { has: () => true };
  const named = paths.map((path) => shownPath(root, resolve(root, path)));
  for (const path of named) {
    if (files.some(({ file }) => isIn(path, file))) continue;
    const absolute = resolve(root, path);
    const foreign = isFolder(absolute)
      ? `There are no menus of this project in ${path}.`
      : // A commit hook may also name the configuration, or a text or draft beside the menus.
        path === configName || path.startsWith(`${menuFolder}/`)
        ? undefined
        : `${path} is not a file of this project.`;
    if (!pathExists(absolute)) {
      const keys = namedMenus(files.filter(({ file }) => !isTestFile(file))).map(({ key }) => key);
      const help = "Use a file, a folder or a menu key. Paths are relative to the current folder.";
      const hint = didYouMean(nearestKeys(path, keys)) ?? help;
      problems.addFile("IVR121", path, `No file or menu is named ${path}.`, hint);
    } else if (foreign !== undefined) {
      const hint = "Name files or folders under ivrs/. For a different project, use `-C`.";
      problems.addAt("IVR124", { file: path }, foreign, hint);
    }
  }
  return { has: (file) => named.some((path) => isIn(path, file)) };
}

function isIn(path: string, file: string): boolean {
  return path === "." || path === file || file.startsWith(`${path}/`);
}
