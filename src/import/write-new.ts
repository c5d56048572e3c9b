import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reason } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { failedWith } from "../util/disk.ts";
import { createFile } from "../util/replace-file.ts";

/** Writes a file that is not there yet; whether it did. What is there stays, whoever put it there just now. */
export function writeNew(
  root: string,
  file: string,
  content: string,
  diagnostics: Diagnostics,
): boolean {
  const path = resolve(root, file);
  try {
    if (file.startsWith("ivrs/")) mkdirSync(dirname(path), { recursive: true });
    createFile(path, content);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST")) {
      diagnostics.addFile("IVR658", file, `${file} is there already, and is not overwritten.`);
    } else diagnostics.addFile("IVR127", file, `${file} cannot be written: ${reason(error)}.`);
    return false;
  }
}
