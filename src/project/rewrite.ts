import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { replaceFile } from "../util/replace-file.ts";
import { describeSystemError } from "../util/system-error.ts";
import { reportUnwritable } from "./write-file.ts";

type Outcome = "changed" | "unchanged" | "failed";

/** Writes a new text to a file. With `check`, only says whether the text differs. */
export function rewrite(
  root: string,
  { file, text: before }: Source,
  text: string,
  check: boolean,
  found: Diagnostics,
): Outcome {
  const failed = (why: string) => {
    reportUnwritable(file, why, found, "Check the file, then try again. It was not changed.");
    return "failed" as const;
  };
  try {
    // Replace the file that a link points to, not the link.
    const target = realpathSync(resolve(root, file));
    if (!statSync(target).isFile()) return failed("it is not a regular file");
    const now = readFileSync(target, "utf8");
    if (now === text) return "unchanged";
    if (now.replace(/^\uFEFF/, "") !== before) return failed("another program has just changed it");
    if (!check) replaceFile(target, text);
    return "changed";
  } catch (error) {
    return failed(describeSystemError(error));
  }
}
