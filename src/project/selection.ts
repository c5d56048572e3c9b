import { resolve } from "node:path";
import { pathExists } from "../util/disk.ts";
import { configName, isFolder, menuFolder, shownPath } from "./files.ts";
import { reportNoMenu } from "./menu-names.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";

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
  const own = new Set(files.map(({ file }) => file));
  const chosen = new Set<string>();
  const folders: string[] = [];
  for (const path of paths) {
    const absolute = resolve(root, path);
    const file = shownPath(root, absolute);
    if (isFolder(absolute)) {
      const hasFile = files.some((one) => isIn(file, one.file));
      if (!hasFile) reportForeign(file, `There are no menus of this project in ${file}.`, found);
      folders.push(file);
      continue;
    }
    chosen.add(file);
    if (own.has(file)) continue;
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
