import { isAbsolute, resolve } from "node:path";
import { pathExists } from "../util/disk.ts";
import { configName, isFolder, readNamed, readProjectFile, shownPath } from "./files.ts";
import { fileKind, isTestFile } from "./file-kind.ts";
import { reportNoMenu } from "./menu-names.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";

/** The files that the user named on the command line. */
export interface Selection {
  /** Whether the file was named, or is in a folder that was named. */
  has(file: string): boolean;
  /** Menus that were named but do not belong to the project. */
  readonly outside: readonly Source[];
  /** Test files that were named but do not belong to the project. */
  readonly tests: readonly Source[];
}

/** Selects files by paths. Without a path, all files of the project are selected. */
export function selectFiles(
  root: string,
  paths: readonly string[],
  files: readonly Source[],
  found: Diagnostics,
): Selection {
  if (paths.length === 0) return { has: () => true, outside: [], tests: [] };
  const own = new Set(files.map(({ file }) => file));
  const chosen = new Set<string>();
  const folders: string[] = [];
  const others = new Map<string, Source>();
  for (const path of paths) {
    const absolute = resolve(root, path);
    const file = shownPath(root, absolute);
    if (isFolder(absolute)) {
      folders.push(file);
      continue;
    }
    chosen.add(file);
    if (own.has(file) || others.has(file)) continue;
    if (!pathExists(absolute)) {
      reportNoMenu(file, files, found);
      continue;
    }
    const source = isAbsolute(file)
      ? readNamed(root, path, "yamlFile", found)
      : readProjectFile(root, file, "yamlFile", found);
    if (source !== undefined && !isOtherProjectFile(file)) others.set(file, source);
  }
  const within = (folder: string) => (file: string) =>
    folder === "." || file.startsWith(`${folder}/`);
  for (const folder of folders) {
    if (files.some(({ file }) => within(folder)(file))) continue;
    found.addAt(
      "IVR129",
      { file: folder },
      `There are no menus of this project in ${folder}.`,
      "Name a folder under ivrs/, or a file.",
    );
  }
  return {
    has: (file) =>
      chosen.has(file) || folders.some((folder) => folder === file || within(folder)(file)),
    outside: [...others.values()].filter(
      ({ file }) => !isTestFile(file) && fileKind(file) !== "defaults",
    ),
    tests: [...others.values()].filter(({ file }) => isTestFile(file)),
  };
}

/** Whether a file belongs to the project but is not a menu. A commit hook may name it. */
function isOtherProjectFile(file: string): boolean {
  const isMenu = fileKind(file) === "menu" || fileKind(file) === "test";
  return (
    file === configName ||
    (file.startsWith("ivrs/") && !isMenu) ||
    /^ivrs\/.*\.(?!yaml$)\w+$/i.test(file)
  );
}
