import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { failedWith } from "../util/disk.ts";
import { createFile, replaceFile } from "../util/replace-file.ts";
import type { Hint } from "../util/suggest.ts";
import { describeSystemError } from "../util/system-error.ts";

/** Thrown for a file that must not be written. The message says why. */
class Refused extends Error {}

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
    const why =
      error instanceof Refused
        ? error.message
        : // The file need not exist, but its folder must.
          failedWith(error, "ENOENT")
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
  const write = () => {
    const wrong = folderInTheWay(root, file);
    if (wrong !== undefined) throw new Refused(wrong);
    const path = resolve(root, file);
    mkdirSync(dirname(path), { recursive: true });
    createFile(path, content);
  };
  return attemptWrite(file, diagnostics, write, hint);
}

/** Writes a new text to a file. With `check`, only says whether the text differs. */
export function rewrite(
  root: string,
  { file, text: before }: Source,
  text: string,
  check: boolean,
  diagnostics: Diagnostics,
): "changed" | "unchanged" | "failed" {
  let isChanged = true;
  const write = () => {
    const path = resolve(root, file);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new Refused("it is not a regular file");
    }
    const now = readFileSync(path, "utf8");
    isChanged = now !== text;
    if (isChanged && now.replace(/^\uFEFF/, "") !== before) {
      throw new Refused("another program has just changed it");
    }
    if (isChanged && !check) replaceFile(path, text);
  };
  const hint = "Check the file, then try again. It was not changed.";
  if (!attemptWrite(file, diagnostics, write, hint)) return "failed";
  return isChanged ? "changed" : "unchanged";
}
