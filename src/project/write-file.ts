import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { failedWith } from "../util/disk.ts";
import { createFile } from "../util/replace-file.ts";
import type { Hint } from "../util/suggest.ts";
import { describeSystemError } from "../util/system-error.ts";

/** Calls `write` for a file. If that fails, reports why and returns false. */
export function attemptWrite(
  file: string,
  diagnostics: Diagnostics,
  write: () => void,
  hint?: Hint,
): boolean {
  try {
    write();
    return true;
  } catch (error) {
    // The file need not exist, but its folder must.
    const why = failedWith(error, "ENOENT")
      ? "the folder does not exist"
      : describeSystemError(error);
    reportUnwritable(file, why, diagnostics, hint);
    return false;
  }
}

export function reportUnwritable(
  file: string,
  why: string,
  diagnostics: Diagnostics,
  hint?: Hint,
): void {
  diagnostics.addFile("IVR121", file, `${file} cannot be written: ${why}.`, hint);
}

/**
 * The first folder of a path that is something else, and what it is. A link could point out of the
 * project, so it does not count as a folder.
 */
export function folderInTheWay(root: string, file: string): string | undefined {
  const parts = file.split("/").slice(0, -1);
  for (const at of parts.keys()) {
    const folder = parts.slice(0, at + 1).join("/");
    const found = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) {
      return `${folder} is ${found.isSymbolicLink() ? "a link" : "not a folder"}`;
    }
  }
  return undefined;
}

/** Creates a file and its folder. Never changes an existing file. */
export function writeNew(
  root: string,
  file: string,
  content: string,
  diagnostics: Diagnostics,
  hint: Hint = "Check the folder and its permissions. ivrctl does not overwrite a file.",
): boolean {
  const path = resolve(root, file);
  const wrong = folderInTheWay(root, file);
  if (wrong !== undefined) {
    reportUnwritable(file, wrong, diagnostics, hint);
    return false;
  }
  const write = () => {
    mkdirSync(dirname(path), { recursive: true });
    createFile(path, content);
  };
  return attemptWrite(file, diagnostics, write, hint);
}
