import type { Result } from "../../deploy/apply/results.ts";
import type { DescribedPlan, WaitsFor } from "../../deploy/plan/plan.ts";
import { suggest, suggestId } from "../../util/suggest.ts";
import { type Matter, matter } from "./matter.ts";

/** How to get what the menus of a plan wait for. */
export function waitMatters({ changes, environment }: DescribedPlan, refused: boolean): Matter[] {
  const waits = changes.flatMap(({ action, waitsFor }) => (action === "waiting" ? waitsFor : []));
  const now = waits.filter(({ because }) => because === "unidentified");
  const later = refused ? [] : waits.filter(({ because }) => because === "sent");
  return [
    ...idMatters(
      [...now, ...later],
      environment,
      now.length > 0 ? "Look up" : "After apply, look up",
    ),
    // The errors of a refused plan say why a menu cannot be created.
    ...(refused ? [] : otherMatters(waits, changes, environment)),
  ];
}

/** Those of some menus that a plan, or its result, does not contain. */
function outside(keys: readonly string[], within: readonly { readonly key: string }[]): string[] {
  return keys.filter((one) => !within.some(({ key }) => key === one));
}

/** How to get what menus wait for after an apply. */
export function waitMattersAfter(results: readonly Result[], environment: string): Matter[] {
  const waits = results.flatMap(({ waitsFor = [] }) => waitsFor);
  return [
    ...idMatters(awaitedIds(results), environment, "Look up"),
    ...otherMatters(waits, results, environment),
  ];
}

/** The menus that exist after an apply, and whose ids others wait for. */
export function awaitedIds(results: readonly Result[]): WaitsFor[] {
  const done = new Set(
    results.flatMap(({ key, outcome }) =>
      outcome === "created" || outcome === "moved" || outcome === "restored" ? key : [],
    ),
  );
  return results.flatMap(({ waitsFor = [] }) =>
    waitsFor.filter(
      ({ key, because }) => because === "unidentified" || (because === "sent" && done.has(key)),
    ),
  );
}

const mostCommands = 5;

/** How to record ids. */
function idMatters(waits: readonly WaitsFor[], environment: string, start: string): Matter[] {
  const keys = keysOf(waits);
  if (keys.length === 0) return [];
  const what =
    keys.length === 1
      ? `the id of ${keys[0]} on the console, and record it`
      : "the ids of these menus on the console, and record them";
  const subjects = keys.slice(0, mostCommands).map((key) => `${key}=ID`);
  return [matter(`${start} ${what}${moreThanShown(keys)}:`, suggestId(subjects, environment))];
}

/** How to go on with menus that `--target` leaves out: those that do not exist, or whose outcome is unknown. */
function otherMatters(
  waits: readonly WaitsFor[],
  within: readonly { readonly key: string }[],
  environment: string,
): Matter[] {
  const left = (wanted: WaitsFor["because"]) =>
    outside(keysOf(waits.filter(({ because }) => because === wanted)), within);
  const [absent, unknown] = [left("absent"), left("unknown")];
  const targets = absent.slice(0, mostCommands).flatMap((key) => ["--target", key]);
  return [
    ...(absent.length === 0
      ? []
      : [
          matter(
            `First create ${absent.length === 1 ? absent[0] : "the menus that these link to"}${moreThanShown(absent)}:`,
            suggest("apply", [], environment, targets),
          ),
        ]),
    ...(unknown.length === 0
      ? []
      : [
          matter(
            `First resolve the unknown outcome of ${unknown.length === 1 ? unknown[0] : "these menus"}${moreThanShown(unknown)}. To see how, run:`,
            suggest("state show", unknown.slice(0, mostCommands), environment),
          ),
        ]),
  ];
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

function keysOf(waits: readonly WaitsFor[]): string[] {
  return [...new Set(waits.map(({ key }) => key))];
}

function moreThanShown({ length }: readonly string[]): string {
  return length > mostCommands ? ` (the first ${mostCommands} of ${length})` : "";
}
