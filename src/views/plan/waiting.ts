import type { Result } from "../../deploy/apply/results.ts";
import type { Change } from "../../deploy/plan/plan.ts";
import type { WaitsFor } from "../../schema/plan.ts";
import { type Argv, suggest, suggestId } from "../../util/suggest.ts";
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
    case "missing":
      return `${key}, which the service does not list any more`;
    case "circle":
      return `${key}, which leads back to this menu`;
  }
}

/** What callers reach until a menu that waits is replaced. */
export function meanwhileWords({ before, waitsFor }: Waiting): string {
  if (before === null) return "Nothing is sent for this menu now.";
  const reached = Object.entries(before.naming.menus ?? {}).flatMap(([id, key]) => {
    const because = waitsFor.find((one) => one.key === key)?.because;
    if (because === undefined || because === "missing") return [];
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

/** What a person does for menus that wait, and the commands. */
interface WaitHint {
  readonly words: string;
  readonly commands: readonly Argv[];
}

/** How to get what the menus of a plan wait for. */
export function waitHints({ plan, refused }: PlanOutlook): WaitHint[] {
  const { changes, environment, list } = plan;
  const waits = changes.flatMap((change): readonly WaitsFor[] => {
    if (change.action === "waiting") return change.waitsFor;
    return change.action === "replace" && list === undefined ? awaitedOutside(change, changes) : [];
  });
  const now = waits.filter(({ because }) => because === "unidentified");
  const later = refused === true ? [] : waits.filter(({ because }) => because === "sent");
  return [
    ...idHints(
      [...now, ...later],
      environment,
      now.length > 0 ? "Look up" : "After apply, look up",
    ),
    // The errors of a refused plan say why a menu cannot be created.
    ...(refused === true ? [] : otherHints(waits, changes, environment)),
  ];
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

/** How to get what menus wait for after an apply. */
export function waitHintsAfter(results: readonly Result[], environment: string): WaitHint[] {
  const done = new Set(
    results.flatMap(({ key, outcome }) =>
      outcome === "created" || outcome === "moved" || outcome === "restored" ? key : [],
    ),
  );
  const waits = results.flatMap((result) => result.waitsFor ?? awaitedOutside(result, results));
  const ids = waits.filter(
    ({ key, because }) => because === "unidentified" || (because === "sent" && done.has(key)),
  );
  return [...idHints(ids, environment, "Look up"), ...otherHints(waits, results, environment)];
}

const mostCommands = 5;

/** How to record ids. */
function idHints(waits: readonly WaitsFor[], environment: string, start: string): WaitHint[] {
  const keys = keysOf(waits);
  if (keys.length === 0) return [];
  const what =
    keys.length === 1
      ? `the id of ${keys[0]} on the console, and record it`
      : "the ids of these menus on the console, and record them";
  return [
    {
      words: `${start} ${what}${moreThanShown(keys)}:`,
      commands: [
        suggestId(
          keys.slice(0, mostCommands).map((key) => `${key}=ID`),
          environment,
        ),
      ],
    },
  ];
}

/** How to go on with menus that `--target` leaves out: those that do not exist, or whose outcome is unknown. */
function otherHints(
  waits: readonly WaitsFor[],
  within: readonly { readonly key: string }[],
  environment: string,
): WaitHint[] {
  const outside = (wanted: WaitsFor["because"]) =>
    leadersOutside(keysOf(waits.filter(({ because }) => because === wanted)), within);
  const [absent, unknown] = [outside("absent"), outside("unknown")];
  const targets = absent.slice(0, mostCommands).flatMap((key) => ["--target", key]);
  return [
    ...(absent.length === 0
      ? []
      : [
          {
            words: `First create ${absent.length === 1 ? absent[0] : "the menus that these lead to"}${moreThanShown(absent)}:`,
            commands: [suggest("apply", [], environment, targets)],
          },
        ]),
    ...(unknown.length === 0
      ? []
      : [
          {
            words: `First resolve the unknown outcome of ${unknown.length === 1 ? unknown[0] : "these menus"}${moreThanShown(unknown)}. To see how, run:`,
            commands: [suggest("state show", unknown.slice(0, mostCommands), environment)],
          },
        ]),
  ];
}

function keysOf(waits: readonly WaitsFor[]): string[] {
  return [...new Set(waits.map(({ key }) => key))];
}

function moreThanShown({ length }: readonly string[]): string {
  return length > mostCommands ? ` (the first ${mostCommands} of ${length})` : "";
}
