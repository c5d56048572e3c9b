import { many } from "../util/many.ts";
import type { Page } from "./terminal.ts";

interface Formatted {
  /** The files that were not in the right format before. */
  readonly changed: readonly string[];
  /** The number of files that were already formatted. */
  readonly unchanged: number;
  /** Whether the files were only checked. */
  readonly check: boolean;
}

/** How many files were formatted. */
export function formattedText({ changed, unchanged, check }: Formatted, { command }: Page): string {
  const already = unchanged === 0 ? "" : `Already formatted: ${many(unchanged, "file")}.\n`;
  if (changed.length === 0) return already;
  return check
    ? `Not formatted: ${many(changed.length, "file")}. To format ${changed.length === 1 ? "it" : "them"}, run:\n  ${command(["fmt"])}\n`
    : `Formatted: ${many(changed.length, "file")}.\n${already}`;
}
