import type { CompiledMenu, ResolvedMenu } from "../../../compile/compiled-menu.ts";
import type { Linter } from "../../../rules/linter.ts";
import type { KeyTarget, KeyChanges } from "../../../rules/rule.ts";
import { plainName } from "../../../model/field-words.ts";
import { type Menu, reachedBy } from "../../../model/menu.ts";
import type { Change } from "./changes.ts";
import type { Diagnostics } from "../../../diagnostics/diagnostic.ts";

interface Changed extends Pick<Change, "key" | "action" | "after"> {
  readonly before?: { readonly menu: Menu } | undefined;
}

/** Runs the rules about changes on every menu that changes. */
export function lintChanges(
  linter: Linter,
  compiled: Iterable<CompiledMenu>,
  changes: readonly Changed[],
  diagnostics: Diagnostics,
): void {
  const byKey = new Map([...compiled].map(({ key, menu }) => [key, menu]));
  for (const change of changes) {
    const { action } = change;
    if (action !== "replace" && action !== "update" && action !== "waiting") continue;
    const menu = byKey.get(change.key);
    if (menu === undefined || !change.before || !change.after) continue;
    const before = targetsOf(change.before.menu);
    const after = targetsOf(change.after);
    linter.run("change", { before, after: withPlaces(menu, after) }, diagnostics);
  }
}

function targetsOf({ options }: Menu): Map<string, KeyTarget> {
  return new Map(
    options.map(({ key, destination, for: purpose }) => [
      key,
      { destination: reachedBy(destination), who: plainName(destination), for: purpose },
    ]),
  );
}

function withPlaces(
  { options = [] }: ResolvedMenu,
  targets: ReadonlyMap<string, KeyTarget>,
): KeyChanges["after"] {
  return options.flatMap(({ key, destination }) => {
    const target = targets.get(key);
    return target === undefined || destination === undefined
      ? []
      : { ...target, key, at: destination.at };
  });
}
