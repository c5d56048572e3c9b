import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { failedWith } from "../util/disk.ts";
import { createFile, replaceFile } from "../util/replace-file.ts";
import type { Step } from "./project-files.ts";
import { describeSystemError } from "../util/system-error.ts";

/** Paths relative to the project, in the order in which they were written. */
interface Done {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly kept: readonly string[];
}

/** Writes file by file, each completely or not at all, and stops at the first that cannot be written. */
export function carryOut(steps: readonly Step[], diagnostics: Diagnostics): Done {
  const done: Record<keyof Done, string[]> = { created: [], changed: [], kept: [] };
  for (const step of steps) {
    const { file } = step;
    try {
      done[write(step)].push(file);
    } catch (error) {
      diagnostics.addFile(
        "IVR121",
        file,
        `${file} cannot be written: ${describeSystemError(error)}.`,
        "Fix this, then run the same command again to write the remaining files.",
      );
      break;
    }
  }
  return done;
}

function write({ kind, path, text }: Step): keyof Done {
  switch (kind) {
    case "create":
      return create(path, text) ? "created" : "kept";
    case "change":
      replaceFile(path, text);
      return "changed";
    case "keep":
      return "kept";
  }
}

/** Returns false if another process has just created the file. That file is kept. */
function create(path: string, text: string): boolean {
  makeFolder(dirname(path));
  try {
    createFile(path, text);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST")) return false;
    throw error;
  }
}

/** Creates a folder and those above it. Node's `recursive` never ends under /proc, for example. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!failedWith(error, "EEXIST")) throw error;
  }
}
