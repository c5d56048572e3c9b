import type { Reached, ResolvedMenu } from "../../compile/menu.ts";

/** Everywhere that a menu leads: its options, and where wrong keys and silence end. */
export function destinationsOf({ options = [], invalid, timeout }: ResolvedMenu): Reached[] {
  return [
    ...options.map(({ destination }) => destination),
    invalid.destination,
    timeout.destination,
  ].filter((reached) => reached !== undefined);
}

/** The same text for the same place, where it is known. */
export function idOf(reached: Reached | undefined): string | undefined {
  if (reached?.kind === "extension") return `extension||${reached.eid}`;
  return reached?.kind === "other" ? `${reached.name}||${reached.id}` : undefined;
}
