import type { Change } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { folderDefaultsName } from "../../project/file-kind.ts";
import { menuFolder } from "../../project/files.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";

/**
 * The problems that matter for a plan, each once: errors, and what concerns menus that change. Without
 * changes, there is no plan, and all problems matter. `changed` are other files to look at.
 */
export function concerningChanges(
  diagnostics: readonly Diagnostic[],
  changes: readonly Change[] | undefined,
  changed: ReadonlySet<string> = new Set(),
): { readonly near: readonly Diagnostic[]; readonly others: number } {
  const own = (changes ?? []).flatMap(({ file }) => file ?? []);
  const files = new Set([...changed, ...own, ...own.flatMap(defaultsOf)]);
  const near = diagnostics.filter(
    ({ severity, code, file }) =>
      changes === undefined ||
      severity === "error" ||
      // What the plan itself found.
      code.startsWith("IVR6") ||
      !file.startsWith(`${menuFolder}/`) ||
      files.has(file),
  );
  return { near: grouped(near), others: diagnostics.length - near.length };
}

/** The files with the defaults of a menu file. */
function defaultsOf(file: string): string[] {
  const folders = file.split("/").slice(0, -1);
  return folders.map((_, depth) => [...folders.slice(0, depth + 1), folderDefaultsName].join("/"));
}

/** The same problem with an agent in several places becomes one, which names the other places. */
export function grouped(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const alike = groupBy(diagnostics, (one) =>
    one.code.startsWith("IVR30") ? `${one.code} ${one.message}` : one,
  );
  return [...alike.values()].map(([first, ...more]) => {
    if (more.length === 0) return first;
    const places = listed(more.map(({ file, line }) => `${file}:${line}`));
    const others = `The same in ${many(more.length, "more place")}: ${places}.`;
    return Object.assign({}, first, { message: `${first.message} ${others}` });
  });
}
