import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reason } from "../../compile/read/files.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";

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
    const handle = openSync(path, "wx");
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (error) {
    const taken = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (taken) {
      diagnostics.addFile("IVR658", file, `${file} is there already, and is not overwritten.`);
    } else diagnostics.addFile("IVR127", file, `${file} cannot be written: ${reason(error)}.`);
    return false;
  }
}
