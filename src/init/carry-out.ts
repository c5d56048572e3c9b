import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { reason } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { failedWith } from "../util/disk.ts";
import { createFile, replaceFile } from "../util/replace-file.ts";
import type { Step } from "./project-files.ts";

/** Paths from the project, in the order in which they were come to. */
export interface Done {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly kept: readonly string[];
}

/** Writes file by file, each whole or not at all, and stops at the first that cannot be written. */
export function carryOut(steps: readonly Step[], diagnostics: Diagnostics): Done {
  const created: string[] = [];
  const changed: string[] = [];
  const kept: string[] = [];
  const listOf = (step: Step): string[] => {
    switch (step.kind) {
      case "create":
        return create(step.path, step.text) ? created : kept;
      case "change":
        replaceFile(step.path, step.text);
        return changed;
      case "keep":
        return kept;
      default:
        return step satisfies never;
    }
  };
  for (const step of steps) {
    const { file } = step;
    try {
      listOf(step).push(file);
    } catch (error) {
      diagnostics.addFile(
        "IVR127",
        file,
        `${file} cannot be written: ${reason(error)}.`,
        "Nothing further was written. Once that is mended, the same command adds the rest.",
      );
      break;
    }
  }
  return { created, changed, kept };
}

/** Whether it was made; if not, somebody was faster, and it is theirs. */
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

/** With those above it. Node's own way never ends where a system has no room for folders, under /proc say. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!failedWith(error, "EEXIST")) throw error;
  }
}
