import type { Result } from "../../deploy/apply/results.ts";
import type { Change, Plan } from "../../deploy/plan/plan.ts";
import type { WaitsFor } from "../../schema/plan.ts";
import { suggest } from "../../util/suggest.ts";

type Waiting = Extract<Change, { action: "waiting" }>;

/** What a menu waits for: `the id of sales/india, which is known only after apply`. */
export function waitWords({ key, because }: WaitsFor): string {
  switch (because) {
    case "sent":
      return `the id of ${key}, which is known only after apply`;
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

/** The menus of a plan that lead to the old menu of a key, and wait for the id of the new one. */
export function leadersIn(key: string, { changes }: Plan): string[] {
  return changes.flatMap((change) =>
    change.action === "waiting" &&
    Object.values(change.before?.naming.menus ?? {}).includes(key) &&
    change.waitsFor.some((one) => one.key === key)
      ? change.key
      : [],
  );
}

/** The menus that a menu waits for, as the result of an apply: `the id of sales/india, support`. */
export function waitsBriefly(waitsFor: readonly WaitsFor[]): string {
  return waitsFor
    .map(({ key, because }) =>
      because === "sent" || because === "unidentified" ? `the id of ${key}` : key,
    )
    .join(", ");
}

/** The commands that record ids, and when to run them. */
interface IdHint {
  readonly words: string;
  readonly commands: readonly string[];
}

/** How to record the ids that the menus of a plan wait for; undefined if no id is missing. */
export function idHint({ changes, environment }: Plan): IdHint | undefined {
  const waits = changes.flatMap((change) => (change.action === "waiting" ? change.waitsFor : []));
  const now = waits.filter(({ because }) => because === "unidentified");
  const later = waits.filter(({ because }) => because === "sent");
  return idCommands([...now, ...later], environment, now.length > 0 ? "Look up" : afterApply);
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
    .flatMap(({ waitsFor = [] }) => waitsFor)
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
