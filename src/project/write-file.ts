import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
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

/** Creates a file of the project, with its folder. Never changes an existing file. */
export function writeNew(
  root: string,
  file: string,
  content: string,
  diagnostics: Diagnostics,
): boolean {
  const path = resolve(root, file);
  const write = () => {
    mkdirSync(dirname(path), { recursive: true });
    createFile(path, content);
  };
  const hint = "Check the folder and its permissions. ivrctl does not overwrite a file.";
  return attemptWrite(file, diagnostics, write, hint);
}
