import type { Span } from "../diagnostics/source.ts";
import type { Marks } from "./agents.ts";
import type { BoundOption, Destination, DrawnMenu, Nobody, Recording } from "./menu.ts";

/**
 * A menu as far as it can be seen, each value with its place: also where the
 * agent list or the environment is missing, or something else in it is at fault.
 * Its values may stand in the menu's own file or, as defaults, in ivrctl.yaml.
 */
export interface SeenMenu {
  readonly name: Placed<string> | undefined;
  readonly description: Placed<string> | undefined;
  readonly recording: SeenRecording | undefined;
  /** Where `options:` stands. */
  readonly optionsAt: Span | undefined;
  /** In the order written; undefined where there are none to be seen. */
  readonly options: readonly SeenOption[] | undefined;
  readonly invalid: {
    readonly retries: Placed<string> | undefined;
    readonly recording: SeenRecording | undefined;
    readonly destination: Reached | undefined;
  };
  readonly timeout: {
    readonly wait: Placed<string> | undefined;
    readonly retries: Placed<string> | undefined;
    readonly retryRecording: SeenRecording | undefined;
    readonly recording: SeenRecording | undefined;
    readonly destination: Reached | undefined;
  };
  readonly extra: {
    readonly timeoutRetries: Placed<string> | undefined;
    readonly recordingInvalid: SeenRecording | undefined;
  };
}

export interface Placed<T> {
  readonly value: T;
  readonly at: Span;
}

export interface SeenRecording extends Placed<Recording> {
  /** Where ivrctl.yaml tells what it says, and how long it is. */
  readonly saysAt: Span | undefined;
  readonly secondsAt: Span | undefined;
}

export interface SeenOption {
  readonly key: string;
  readonly keyAt: Span;
  readonly for: Placed<string> | undefined;
  readonly sms: SmsTemplate | undefined;
  readonly destination: Reached | undefined;
}

export interface SmsTemplate {
  readonly id: string;
  readonly alias?: string;
}

/** Where a reference leads, or what is known of it where that cannot be said. */
export type Reached =
  | Destination
  | Nobody
  /** Without an agent list. */
  | { readonly kind: "unchecked"; readonly reference: Marks; readonly span: Span };

/** What callers will meet, if nothing of it is missing; agents alone may be. */
export function drawnOf(seen: SeenMenu): DrawnMenu | undefined {
  const { invalid, timeout, extra } = seen;
  return whole({
    name: seen.name?.value,
    description: seen.description?.value,
    recording: seen.recording?.value,
    options: seen.options && allOf(seen.options.map(drawnOption)),
    invalid: whole({
      retries: invalid.retries?.value,
      recording: invalid.recording?.value,
      destination: known(invalid.destination),
    }),
    timeout: whole({
      wait: timeout.wait?.value,
      retries: timeout.retries?.value,
      retryRecording: timeout.retryRecording?.value,
      recording: timeout.recording?.value,
      destination: known(timeout.destination),
    }),
    extra: {
      ...(extra.timeoutRetries === undefined ? {} : { timeoutRetries: extra.timeoutRetries.value }),
      ...(extra.recordingInvalid === undefined
        ? {}
        : { recordingInvalid: extra.recordingInvalid.value }),
    },
  });
}

/** A destination that something can be sent for. */
export function settled(reached: Reached | undefined): Destination | undefined {
  return reached?.kind === "extension" || reached?.kind === "other" ? reached : undefined;
}

/** Who is meant, where there was a list to look into. */
export function known(reached: Reached | undefined): Destination | Nobody | undefined {
  return reached?.kind === "unchecked" ? undefined : reached;
}

function drawnOption(option: SeenOption): BoundOption<Destination | Nobody> | undefined {
  const destination = known(option.destination);
  return (
    destination && {
      key: option.key,
      destination,
      ...(option.for === undefined ? {} : { for: option.for.value }),
      ...(option.sms === undefined ? {} : { sms: option.sms.id }),
    }
  );
}

type Whole<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The record, if all of it is there. */
export function whole<T extends object>(record: T): Whole<T> | undefined {
  return isWhole(record) ? record : undefined;
}

function isWhole<T extends object>(record: T): record is T & Whole<T> {
  return !Object.values(record).includes(undefined);
}

/** The list, if none of it is missing. */
export function allOf<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length ? present : undefined;
}
