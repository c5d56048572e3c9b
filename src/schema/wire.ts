/**
 * A destination that stands for another menu of the project. The service wants `ivr||ID`, and the
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

/** The id of the menu that a destination leads to; undefined for a reference, and for other kinds. */
export function menuIdIn(destination: string): string | undefined {
  return destination.startsWith(menuKind) && referencedMenu(destination) === undefined
    ? destination.slice(menuKind.length)
    : undefined;
}

const menuKind = "ivr||";
const referencePrefix = "ivr||menu ";

/** The destinations of a payload: those of the options, after wrong keys and after silence. */
export function destinationsIn(payload: Payload): readonly string[] {
  return [...payload.destination, payload.invalid_destination, payload.timeout_destination];
}

/** The body of POST /v1/ivr, in the order of the service's field table. */
export interface Payload {
  readonly name: string;
  readonly description: string;
  readonly recording: string;
  readonly timeout: string | number;
  readonly option: readonly (string | number)[];
  /** One for each option, in the same order. */
  readonly destination: readonly string[];
  readonly incorrect_count: string | number;
  readonly invalid_recording: string;
  readonly invalid_destination: string;
  readonly timeout_retry_recording: string;
  readonly timeout_recording: string;
  readonly timeout_destination: string;
  readonly timeout_tries: string | number;
  readonly sms_template?: readonly string[];
  readonly timeout_retries?: number;
  readonly recording_invalid?: string;
}
