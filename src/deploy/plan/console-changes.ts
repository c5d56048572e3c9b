import { isDeepStrictEqual } from "node:util";
import { placeOf } from "../../call/words.ts";
import type { Difference } from "./digest.ts";
import { type Change, isDeleting } from "./plan.ts";
import type { Reachable } from "./reachable.ts";

/** What changed on the service between two comparisons with the same record. */
export function between(then: readonly Difference[], now: readonly Difference[]): Difference[] {
  const [was, is] = [byField(then), byField(now)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((field) => {
    const [old, own] = [was.get(field), is.get(field)];
    const recorded = (old ?? own)?.before ?? null;
    const before = old === undefined ? recorded : old.after;
    const after = own === undefined ? recorded : own.after;
    return before === after ? [] : { field, before, after };
  });
}

/** What somebody changed on the console since a change was reviewed, in words. */
export function changesOnConsole(reviewed: Change, now: Change, reachable: Reachable): string[] {
  const [then, present] = [onService(reviewed), onService(now)];
  if (then === undefined || present === undefined) return [];
  const changed = between(then.drift, present.drift).map(({ field, before, after }) => {
    const isDestination = /^destination\.|_destination$/.test(field);
    const words = (value: string | null) =>
      isDestination ? reachable.words(value) : value === null ? "nothing" : `“${value}”`;
    return `${fieldWords(field)}: ${words(before)} → ${words(after)}`;
  });
  return isDeepStrictEqual(then.webhooks, present.webhooks) ? changed : [...changed, "webhooks"];
}

function onService(change: Change) {
  if (change.action !== "update" && !isDeleting(change)) return undefined;
  return { drift: change.drift?.differences ?? [], webhooks: change.webhooks };
}

/** A field as in the payload, except for options: `key 1`. */
function fieldWords(field: string): string {
  return field.replace(/^destination\./, placeOf(""));
}

function byField(differences: readonly Difference[]): ReadonlyMap<string, Difference> {
  return new Map(differences.map((difference) => [difference.field, difference]));
}
