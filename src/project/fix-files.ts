import { type Fix, fixed } from "../yaml/fix.ts";
import { readProject } from "./files.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Context } from "../cli/command.ts";
import { select } from "./load-project.ts";
import { bring, distinct } from "./rewrite.ts";

export interface FixedFiles {
  readonly fixes: readonly Fix[];
  /** Files that could not be written. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Puts right what has one right answer, in all files of the project or in those
 * named. What cannot be read stays as it is: whoever validates tells of it.
 */
export function fixFiles({ root, globals, args }: Context): FixedFiles {
  const unread = new Diagnostics();
  const found = new Diagnostics();
  const { config, menus } = readProject(root, globals.config, unread);
  const selection = select(root, args, menus, unread);
  const sources = [config ?? [], ...menus]
    .flat()
    .filter(({ file }) => selection.has(file))
    .concat(selection.outside);
  const fixes: Fix[] = [];
  for (const chosen of distinct(root, sources, found)) {
    const { source } = chosen;
    const result = fixed(source, source === config ? "config" : "menu");
    if (result === undefined) continue;
    const outcome = bring(chosen, (mark) => mark + result.text, false, found);
    if (outcome === "changed") fixes.push(...result.fixes);
  }
  return { fixes, diagnostics: found.sorted() };
}
