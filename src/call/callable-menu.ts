import type { Flow } from "../compile/flow.ts";
import { keyFromPath } from "../compile/read-menus.ts";
import { preventsCalls } from "../compile/resolve-menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { menuFolder } from "../project/files.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import type { Around, CallMenu, CallMenus } from "./model.ts";

/** How calls continue from menu to menu. */
export interface CallFlow extends Flow {
  readonly menus: CallMenus;
}

/** The menus that calls can continue in. The menus of unreadable files exist, but cannot be called. */
export function callMenus(
  menus: readonly Pick<ResolvedMenu, "key" | "call">[],
  unreadable: readonly string[],
): CallMenus {
  const byKey = new Map<string, CallMenu | undefined>(unreadable.map((key) => [key, undefined]));
  // Two menus with one key are reported elsewhere. The last counts.
  for (const { key, call } of menus) if (key !== undefined) byKey.set(key, call);
  return byKey;
}

interface Project {
  readonly menus: readonly ResolvedMenu[];
  readonly diagnostics: readonly Diagnostic[];
}

/** All menus of a project, as calls and pictures need them. */
export function aroundIn({ menus, diagnostics }: Project): Around {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const faulty = new Set(errors.map(({ file }) => file));
  return {
    // A file that cannot be read has diagnostics, but no menu.
    menus: callMenus(
      menus,
      diagnostics.filter(isInMenuFile).map(({ file }) => keyFromPath(file)),
    ),
    faulty: new Set(
      menus.flatMap(({ key, source }) => (key && faulty.has(source.file) ? key : [])),
    ),
  };
}

/**
 * The problems with these menu files, or all, and with the configuration and the agent list. With `isUnsure`, calls and
 * pictures could be wrong, because the configuration or the agent list is invalid.
 */
export function problemsWith(files: ReadonlySet<string> | undefined, { diagnostics }: Project) {
  const found = diagnostics.filter(
    (problem) =>
      files === undefined ||
      !isInMenuFile(problem) ||
      [problem, ...(problem.affects ?? [])].some(({ file }) => files.has(file)),
  );
  return {
    found,
    isUnsure: found.some((problem) => !isInMenuFile(problem) && preventsCalls(problem)),
  };
}

function isInMenuFile({ file }: Diagnostic): boolean {
  return file.startsWith(`${menuFolder}/`);
}
