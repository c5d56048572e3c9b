import type { CompiledMenu, ResolvedMenu } from "../../compile/menu.ts";
import type { Linter } from "../../rules/linter.ts";
import type { RuledChange, Way } from "../../rules/rule.ts";
import { placeOf } from "../../call/words.ts";
import type { Compared } from "./compare.ts";
import type { Change, Made } from "./plan.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";

/** Lets the rules check what changes for the callers of a menu. */
export function judgeChanges(
  linter: Linter,
  compiled: Iterable<CompiledMenu>,
  changes: readonly (Change | Compared)[],
  diagnostics: Diagnostics,
): void {
  const byKey = new Map([...compiled].map(({ key, menu }) => [key, menu]));
  for (const change of changes) {
    if (change.action !== "replace" || change.before === null) continue;
    const menu = byKey.get(change.key);
    if (menu === undefined) continue;
    const before = waysOf(change.before);
    const after = waysOf(change.after);
    linter.change({ before, after: placed(menu, after) }, diagnostics);
  }
}

function waysOf({ payload, naming }: Pick<Made, "payload" | "naming">): Map<string, Way> {
  const names = new Map(naming.agents.map(({ place, name }) => [place, name]));
  return new Map(
    payload.option.map((option, at) => {
      const key = String(option);
      const destination = payload.destination[at] ?? "";
      const who = names.get(placeOf(key)) ?? destination;
      return [key, { destination, who, for: naming.purposes[key] }];
    }),
  );
}

function placed(
  { options = [] }: ResolvedMenu,
  ways: ReadonlyMap<string, Way>,
): RuledChange["after"] {
  return options.flatMap(({ key, destination }) => {
    const way = ways.get(key);
    return way === undefined || destination === undefined
      ? []
      : { ...way, key, at: destination.span };
  });
}
