import type { CompiledMenu, ResolvedMenu } from "../../compile/menu.ts";
import type { Linter } from "../../rules/linter.ts";
import type { KeyTarget, KeyChanges } from "../../rules/rule.ts";
import { namedDestination } from "./names.ts";
import { keyPlace, describeWireDestination } from "../../call/describe-call.ts";
import type { Change } from "./changes.ts";
import type { MenuContent } from "../../schema/plan.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";

interface Changed extends Pick<Change, "key" | "action" | "after"> {
  readonly before?: MenuContent | undefined;
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
    const before = targetsOf(change.before);
    const after = targetsOf(change.after);
    linter.run("change", { before, after: withPlaces(menu, after) }, diagnostics);
  }
}

function targetsOf({
  payload,
  naming,
}: Pick<MenuContent, "payload" | "naming">): Map<string, KeyTarget> {
  const names = new Map(naming.agents.map(({ place, name }) => [place, name]));
  return new Map(
    payload.option.map((option, at) => {
      const key = String(option);
      const destination = namedDestination(payload.destination[at] ?? "", naming);
      const who = names.get(keyPlace(key)) ?? describeWireDestination(destination);
      return [key, { destination, who, for: naming.purposes[key] }];
    }),
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
