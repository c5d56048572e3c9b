import { type Payload, wireOf } from "./fields.ts";

export type { Payload } from "./fields.ts";

/**
 * A destination that stands for a menu of the project. The service wants `ivr||ID`, and the
 * id is not known until that menu exists, so the plan replaces this text. An id contains no space,
 * so no destination that can be sent has this form.
 */
export function menuReference(key: string): string {
  return `${referencePrefix}${key}`;
}

/** The key of the menu that a destination stands for; undefined if it can be sent as it is. */
export function referencedMenu(destination: string): string | undefined {
  return destination.startsWith(referencePrefix)
    ? destination.slice(referencePrefix.length)
    : undefined;
}

/** The destination of a menu with this id on the service. */
export function menuDestination(id: string): string {
  return `${menuKind}${id}`;
}

/** The id of the menu that a destination goes to; undefined for a reference, and for other kinds. */
export function menuIdIn(destination: string): string | undefined {
  return destination.startsWith(menuKind) && referencedMenu(destination) === undefined
    ? destination.slice(menuKind.length)
    : undefined;
}

const menuKind = "ivr||";
const referencePrefix = "ivr||menu ";

/** The destinations of a payload: those of the options, after wrong keys and after silence. */
export function destinationsIn(payload: Payload): readonly string[] {
  return [...payload.destination, ...wireOf("destination").map((name) => payload[name])];
}

/** The payload with every destination changed. */
export function mapDestinations(
  payload: Payload,
  change: (destination: string) => string,
): Payload {
  const others = wireOf("destination").map((name) => [name, change(payload[name])]);
  return {
    ...payload,
    destination: payload.destination.map(change),
    ...Object.fromEntries(others),
  };
}
