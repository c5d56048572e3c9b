import type { Result } from "../../deploy/apply/results.ts";
import type { Change } from "../../deploy/plan/plan.ts";
import type { WaitsFor } from "../../schema/plan.ts";
import { suggest } from "../../util/suggest.ts";
import type { AnyChange, PlanOutlook } from "./parts.ts";

type Waiting = Extract<Change, { action: "waiting" }>;

/** What a menu waits for: `the id of sales/india, which is known only after apply`. */
export function waitWords({ key, because }: WaitsFor, changes: readonly AnyChange[]): string {
  switch (because) {
    case "sent": {
      const action = changes.find((one) => one.key === key)?.action;
      // The menu exists already, but its id can be recorded only after apply.
      const isThere = action === "restore" || action === "move";
      return `the id of ${key}, which is ${isThere ? "not on record" : "known only after apply"}`;
    }
    case "unidentified":
      return `the id of ${key}, which is not on record`;
    case "unknown":
      return `${key}, whose outcome is unknown`;
    case "waiting":
      return `${key}, which waits too`;
    case "absent":
      return `${key}, which does not exist yet and is not part of this plan`;
    case "circle":
      return `${key}, which leads back to this menu`;
  }
}

/** What callers reach until a menu that waits is replaced. */
export function meanwhileWords({ before, waitsFor }: Waiting): string {
  if (before === null) return "Nothing is sent for this menu now.";
  const reached = Object.entries(before.naming.menus ?? {}).flatMap(([id, key]) => {
    const because = waitsFor.find((one) => one.key === key)?.because;
    if (because === undefined) return [];
    return because === "sent" || because === "waiting"
      ? `the old ${key}`
      : `${key} with the id ${id}`;
  });
  const from = reached.length === 0 ? "" : `, and from there ${reached.join(" and ")}`;
  return `Nothing is sent for this menu now. Until then, callers reach the old one${from}.`;
}

/** Those of some menus that a plan, or its result, does not contain. */
export function leadersOutside(
  leaders: readonly string[],
  within: readonly { readonly key: string }[],
): string[] {
  return leaders.filter((leader) => !within.some(({ key }) => key === leader));
}

/** What a menu waits for after an apply: `the id of sales/india`, `support (not created)`. */
export function waitsBriefly(waitsFor: readonly WaitsFor[], results: readonly Result[]): string {
  return waitsFor
    .map(({ key, because }) => {
      const outcome = results.find((result) => result.key === key)?.outcome;
      if (because === "sent" && (outcome === "failed" || outcome === "not_attempted")) {
        return `${key} (not created)`;
      }
      return because === "sent" || because === "unidentified" ? `the id of ${key}` : key;
    })
    .join(", ");
}

/** The commands that record ids, and when to run them. */
interface IdHint {
  readonly words: string;
  readonly commands: readonly string[];
}

/** How to record the ids that the menus of a plan wait for; undefined if no id is missing. */
export function idHint({ plan, refused }: PlanOutlook): IdHint | undefined {
  const { changes, environment, list } = plan;
  const waits = changes.flatMap((change): readonly WaitsFor[] => {
    if (change.action === "waiting") return change.waitsFor;
    return change.action === "replace" && list === undefined ? awaitedOutside(change, changes) : [];
  });
  const now = waits.filter(({ because }) => because === "unidentified");
  const later = refused === true ? [] : waits.filter(({ because }) => because === "sent");
  return idCommands([...now, ...later], environment, now.length > 0 ? "Look up" : afterApply);
}

/** A replaced menu whose new id is needed for menus that are not part of the plan. */
function awaitedOutside(
  { key, ledBy = [], id }: Pick<Result, "key" | "ledBy" | "id">,
  within: readonly { readonly key: string }[],
): readonly WaitsFor[] {
  return id !== undefined || leadersOutside(ledBy, within).length === 0
    ? []
    : [{ key, because: "sent" }];
}

const afterApply = "After apply, look up";

/** How to record the ids that menus wait for after an apply. */
export function idHintAfter(results: readonly Result[], environment: string): IdHint | undefined {
  const done = new Set(
    results.flatMap(({ key, outcome }) =>
      outcome === "created" || outcome === "moved" || outcome === "restored" ? key : [],
    ),
  );
  const waits = results
    .flatMap((result) => result.waitsFor ?? awaitedOutside(result, results))
    .filter(
      ({ key, because }) => because === "unidentified" || (because === "sent" && done.has(key)),
    );
  return idCommands(waits, environment, "Look up");
}

const mostCommands = 5;

function idCommands(
  waits: readonly WaitsFor[],
  environment: string,
  start: string,
): IdHint | undefined {
  const keys = [...new Set(waits.map(({ key }) => key))];
  if (keys.length === 0) return undefined;
  const what =
    keys.length === 1
      ? `the id of ${keys[0]} on the console, and record it`
      : "the ids of these menus on the console, and record them";
  const more = keys.length > mostCommands ? ` (the first ${mostCommands} of ${keys.length})` : "";
  return {
    words: `${start} ${what}${more}:`,
    commands: keys
      .slice(0, mostCommands)
      .map((key) => suggest("state set-id", [key, "ID"], environment, "--evidence TEXT")),
  };
}
