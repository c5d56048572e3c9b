import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { failedWith, pathExists, slashed } from "../util/disk.ts";
import { createFile } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";
import { reportUnwritable } from "../project/write-file.ts";
import type { TemplateFile } from "./templates.ts";

/** Paths relative to the project. */
export interface Written {
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Creates files in a folder, each completely or not at all, and keeps those that exist. Reports the
 * first one that cannot be written, and stops there.
 */
export function writeFiles(
  { base, root }: { readonly base: string; readonly root: string },
  files: readonly TemplateFile[],
  diagnostics: Diagnostics,
): Written {
  const created: string[] = [];
  const kept: string[] = [];
  for (const { file, text } of files) {
    const path = join(base, file);
    const shown = slashed(relative(root, path));
    try {
      refuseLinks(base, file);
      (create(path, text) ? created : kept).push(shown);
    } catch (error) {
      const why = error instanceof InTheWay ? error.message : describeSystemError(error);
      const hint = "Fix this, then run the same command again to write the remaining files.";
      reportUnwritable(shown, why, diagnostics, hint);
      break;
    }
  }
  return { created, kept };
}

/** Returns false if the file exists, also if another process has just created it. */
function create(path: string, text: string): boolean {
  if (pathExists(path)) return false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    createFile(path, text);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST")) return false;
    throw error;
  }
}

class InTheWay extends Error {}

/** A link could point out of the project, and GitHub and GitLab do not follow links. */
function refuseLinks(base: string, file: string): void {
  const parts = file.split("/").slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = parts.slice(0, at + 1).join("/");
    const entry = lstatSync(join(base, folder), { throwIfNoEntry: false });
    if (entry !== undefined && !entry.isDirectory()) {
      throw new InTheWay(`${folder} is ${entry.isSymbolicLink() ? "a link" : "not a folder"}`);
    }
  }
}
