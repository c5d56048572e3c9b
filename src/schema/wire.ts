export type { Payload } from "./fields.ts";

/**
 * A destination that stands for a menu of the project. The service wants `ivr||ID`, and the
 * id is not known until that menu exists, so the plan replaces this text. An id contains no space,
 * so no destination that can be sent has this form.
 */
export function menuReference(key: string): string {
  return `${referencePrefix}${key}`;
}

/** The destination of a menu with this id on the service. */
export function menuDestination(id: string): string {
  return `${menuKind}${id}`;
}

/** The id of the menu that a destination goes to; undefined for a reference, and for other kinds. */
export function menuIdIn(destination: string): string | undefined {
  return destination.startsWith(menuKind) && !destination.startsWith(referencePrefix)
    ? destination.slice(menuKind.length)
    : undefined;
}

const menuKind = "ivr||";
const referencePrefix = "ivr||menu ";
