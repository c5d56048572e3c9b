export type { Payload } from "./fields.ts";

/**
 * A destination that stands for a menu of the project. The service wants `ivr||ID`, and the id is not known
 * until that menu exists. An id contains no space, so no destination that can be sent has this form.
 */
export function menuReference(key: string): string {
  return `${prefix}${key}`;
}

/** The key of the menu that a destination stands for. */
export function menuReferenceIn(destination: string): string | undefined {
  return destination.startsWith(prefix) ? destination.slice(prefix.length) : undefined;
}

const prefix = "ivr||menu ";
