import type { ResolvedDestination, ResolvedMenu } from "../compile/compiled-menu.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import { reachedBy } from "../model/menu.ts";
import type { CallDestination } from "../model/call-menu.ts";
import type { WantedDestination } from "../schema/intent.ts";

/**
 * Everything that callers, the service and colleagues get from a menu, by path, as texts that are equal if
 * the values are. Unlike a compiled menu, it is there for a menu with errors too.
 */
export type Facts = Map<string, string>;

export function factsOf(menu: ResolvedMenu): Facts {
  const { name, numbers, owner, entry, isPresent, options = [], facts } = menu;
  const menuFacts: Facts = new Map([
    ["name", name?.value ?? ""],
    ["numbers", numbersFact(numbers.map(({ value }) => value))],
    ["others", JSON.stringify([owner, entry, isPresent])],
    [orderPath, options.map(({ key }) => key).join(" ")],
  ]);
  const texts = [fieldsOfKind("text"), fieldsOfKind("count"), fieldsOfKind("number")].flat();
  for (const path of texts) if (path !== "name") setFact(menuFacts, path, facts[path]?.value);
  for (const path of fieldsOfKind("destination"))
    setFact(menuFacts, path, destinationFact(facts[path]));
  for (const path of fieldsOfKind("recording")) {
    const recording = facts[path]?.value;
    setFact(menuFacts, path, recording?.id);
    setFact(menuFacts, `${path}.says`, recording?.says);
  }
  for (const { key, for: purpose, sms, destination } of options) {
    setFact(menuFacts, `options.${key}`, destinationFact(destination));
    setFact(menuFacts, `options.${key}.for`, purpose?.value);
    setFact(menuFacts, `options.${key}.sms`, sms?.id);
  }
  return menuFacts;
}

function setFact(facts: Facts, path: string, text: string | undefined): void {
  if (text === undefined || text === "") facts.delete(path);
  else facts.set(path, text);
}

function destinationFact(destination: ResolvedDestination | undefined): string | undefined {
  if (destination === undefined) return undefined;
  return destination.value ? identity(destination.value) : JSON.stringify(destination.reference);
}

/** What a destination is, whatever it is called. */
export function identity(to: CallDestination | WantedDestination): string {
  return to.kind === "unreachable" ? `unreachable ${to.name}` : reachedBy(to);
}

/** The facts after some changes. Undefined removes one. */
export function changedFacts(
  facts: Facts,
  changes: Readonly<Record<string, string | undefined>>,
): Facts {
  const next: Facts = new Map(facts);
  for (const [path, text] of Object.entries(changes)) setFact(next, path, text);
  return next;
}

export function differences(before: Facts, after: Facts): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) =>
    path === orderPath
      ? commonOrder(before, after) !== commonOrder(after, before)
      : before.get(path) !== after.get(path),
  );
}

/** The path of the keys in the order announced. */
export const orderPath = "order";

/** The order of the keys that both have, so that a new key may be at any place. */
function commonOrder(facts: Facts, others: Facts): string {
  const keys = new Set(others.get(orderPath)?.split(" "));
  return (facts.get(orderPath)?.split(" ") ?? []).filter((key) => keys.has(key)).join(" ");
}

/** Phone numbers have no order. */
export function numbersFact(numbers: readonly string[]): string {
  return numbers
    .map((number) => number.replaceAll(" ", ""))
    .toSorted()
    .join();
}
