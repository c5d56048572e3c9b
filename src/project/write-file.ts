import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { failedWith } from "../util/disk.ts";
import { createFile, replaceFile, writeNamed } from "../util/replace-file.ts";
import type { Hint } from "../util/suggest.ts";
import { describeSystemError } from "../util/system-error.ts";
import { isSnapshotName } from "./agents-lock.ts";
import { configName, shownPath } from "./files.ts";

/** Thrown for a file that must not be written. The message says why. */
export class Refused extends Error {}

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
    const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) {
      return `${folder} is ${stats.isSymbolicLink() ? "a link" : "not a folder"}`;
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

/**
 * Writes the file that the user named with `--out`; `-` is the standard output. Refuses a file of the
 * project, also behind a link. If it cannot be written, reports why and returns false.
 */
export function writeOut(
  root: string,
  out: string,
  content: string,
  terminal: Parameters<typeof writeNamed>[3],
  diagnostics: Diagnostics,
): boolean {
  const write = () => {
    const path = resolve(root, out);
    const paths = existsSync(path) ? [path, realpathSync(path)] : [path];
    if (out !== "-" && paths.some((one) => isOfProject(shownPath(root, one))))
      throw new Refused("it is part of the project");
    writeNamed(root, out, content, terminal);
  };
  const hint = "Fix this, or choose a different file for --out.";
  return attemptWrite(out, diagnostics, write, hint);
}

/** Whether a file is a menu, the configuration, an agent list or a part of the state. */
function isOfProject(path: string): boolean {
  return path === configName || isSnapshotName(path) || /^(?:ivrs|\.ivrctl)(?:\/|$)/.test(path);
}

/** Writes a new text to a file. With `check`, only says whether the text differs. */
export function rewrite(
  root: string,
  source: Source,
  text: string,
  check: boolean,
  diagnostics: Diagnostics,
): "changed" | "unchanged" | "failed" {
  let isChanged = true;
  const write = () => {
    isChanged = textToReplace(root, source) !== text;
    if (isChanged && !check) replaceFile(resolve(root, source.file), text);
  };
  if (!attemptWrite(source.file, diagnostics, write, tryAgain)) return "failed";
  return isChanged ? "changed" : "unchanged";
}

const tryAgain = "Check the file, then try again. It was not changed.";

export const byteOrderMark = /^\uFEFF/;

/** The text of a regular file. Refuses a file that has changed since it was read. */
export function textToReplace(root: string, { file, text }: Pick<Source, "file" | "text">): string {
  const path = resolve(root, file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new Refused("it is not a regular file");
  }
  const now = readFileSync(path, "utf8");
  if (now.replace(byteOrderMark, "") === text) return now;
  throw new Refused("another program has just changed it");
}
