import { type Flow, menuFlow } from "../compile/flow.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import { preventsCalls } from "../compile/resolve-menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { menuFolder } from "../project/files.ts";
import type { Around } from "./simulated-call.ts";
import type { CallMenu } from "../model/call-menu.ts";

export interface CallFlow extends Flow, Around {}

/** How calls continue. The menus of unreadable files exist, but cannot be called. */
export function callFlow(
  menus: readonly ResolvedMenu[],
  unreadable: readonly string[],
  diagnostics: readonly Diagnostic[],
): CallFlow {
  const byKey = new Map<string, CallMenu | undefined>(unreadable.map((key) => [key, undefined]));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const files = new Set(errors.map(({ file }) => file));
  const faulty = new Set<string>();
  for (const { key, call, source } of menus) {
    if (key === undefined) continue;
    // Two menus with one key are reported elsewhere. The last counts.
    byKey.set(key, call);
    if (files.has(source.file)) faulty.add(key);
  }
  return { ...menuFlow(menus), menus: byKey, faulty };
}

/**
 * The problems with these menu files, or all, and with the configuration and the agent list. With `isUnsure`, calls and
 * pictures could be wrong, because the configuration or the agent list is invalid.
 */
export function problemsWith(
  files: ReadonlySet<string> | undefined,
  diagnostics: readonly Diagnostic[],
) {
  const problems = diagnostics.filter(
    (problem) =>
      files === undefined ||
      !isInMenuFile(problem) ||
      [problem, ...(problem.affects ?? [])].some(({ file }) => files.has(file)),
  );
  return {
    found: problems,
    isUnsure: problems.some((problem) => !isInMenuFile(problem) && preventsCalls(problem)),
  };
}

function isInMenuFile({ file }: Diagnostic): boolean {
  return file.startsWith(`${menuFolder}/`);
}
