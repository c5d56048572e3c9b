import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { replaceFile } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";
import { reportUnwritable } from "./write-file.ts";

/** A file to rewrite. */
interface Chosen {
  readonly source: Source;
  /** The path of the file, with links resolved. */
  readonly target: string;
}

/** Returns each file once, even if it has several paths. */
export function distinct(root: string, sources: readonly Source[], found: Diagnostics): Chosen[] {
  const chosen = new Map<string, Chosen>();
  for (const source of sources) {
    try {
      const target = realpathSync(resolve(root, source.file));
      if (!chosen.has(target)) chosen.set(target, { source, target });
    } catch (error) {
      unwritable(source, describeSystemError(error), found);
    }
  }
  return [...chosen.values()];
}

type Outcome = "changed" | "unchanged" | "failed";

/** Writes a new text to a file. With `check`, only says whether the text differs. */
export function rewrite(
  { source, target }: Chosen,
  text: string,
  check: boolean,
  found: Diagnostics,
): Outcome {
  try {
    if (!statSync(target).isFile()) {
      const { file } = source;
      found.addFile("IVR121", file, `${file} is not a regular file.`, "Name a regular file.");
      return "failed";
    }
    const now = readFileSync(target, "utf8");
    if (now === text) return "unchanged";
    if (now.replace(/^\uFEFF/, "") !== source.text) {
      unwritable(source, "another program has just changed it", found);
      return "failed";
    }
    if (!check) replaceFile(target, text);
    return "changed";
  } catch (error) {
    unwritable(source, describeSystemError(error), found);
    return "failed";
  }
}

function unwritable({ file }: Source, why: string, found: Diagnostics): void {
  reportUnwritable(file, why, found, "Check the file, then try again. It was not changed.");
}
