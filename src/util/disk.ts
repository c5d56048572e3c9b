import {
  constants,
  existsSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";

/** Whether a system error has one of these codes. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Whether a file, a folder or a link has this path. */
export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Reads a file of ivrctl. In place of it may be a pipe, which is empty without a writer. */
export function readWithoutWaiting(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a folder to disk, so that new and changed names in it survive a power failure. */
export function syncFolder(path: string): void {
  // Windows cannot open a folder.
  if (sep === "\\") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A path with `/` between its parts, on every system. */
export function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** The folder of this package. A bundle is not as deep in it as this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error("the package.json of ivrctl is missing");
    folder = dirname(folder);
  }
  return folder;
}
