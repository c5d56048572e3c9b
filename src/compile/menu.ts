import type { Source, Span } from "../diagnostics/source.ts";
import type { Payload } from "../schema/wire.ts";
import type { Agent, Marks } from "./agents.ts";
import type { ListNode, MapNode } from "../yaml/node.ts";
import type { Validity } from "../yaml/validate-node.ts";

export interface Placed<T> {
  readonly value: T;
  readonly at: Span;
}

/** What distinguishes a menu from the others. */
export interface Identity {
  /** Undefined if the file gives no valid one. */
  readonly key: string | undefined;
  readonly keyAt: Span;
  /** As written, valid or not, if it is text. */
  readonly name: Placed<string> | undefined;
  readonly movedFrom: Placed<string> | undefined;
}

/** A menu as read: a YAML mapping with positions. */
export interface MenuNode extends Identity {
  readonly root: MapNode;
  readonly source: Source;
  /** Where the menu's document begins. */
  readonly top: Span;
  /** Where the document ends, its last comments included. */
  readonly end: number;
  /** Whether its file was read without an error. */
  readonly readable: boolean;
}

/**
 * A menu with defaults applied and every reference resolved. Each value knows its
 * place, in the menu's own file or, for a default, in ivrctl.yaml. What is missing,
 * invalid or could not be resolved is undefined.
 */
export interface ResolvedMenu extends Identity {
  readonly source: Source;
  /** Where the menu's document begins. */
  readonly top: Span;
  readonly owner: string | undefined;
  /** Undefined if the environment decides. */
  readonly onChange: "replace" | "refuse" | undefined;
  readonly description: Placed<string> | undefined;
  readonly recording: ResolvedRecording | undefined;
  /** The key `options`. */
  readonly optionsAt: Span | undefined;
  /** In the order written. */
  readonly options: readonly ResolvedOption[] | undefined;
  readonly invalid: {
    readonly retries: Placed<string> | undefined;
    readonly recording: ResolvedRecording | undefined;
    readonly destination: Reached | undefined;
  };
  readonly timeout: {
    readonly wait: Placed<string> | undefined;
    readonly retries: Placed<string> | undefined;
    readonly retryRecording: ResolvedRecording | undefined;
    readonly recording: ResolvedRecording | undefined;
    readonly destination: Reached | undefined;
  };
  readonly extra: {
    readonly timeoutRetries: Placed<string> | undefined;
    readonly recordingInvalid: ResolvedRecording | undefined;
  };
  /** The tests written in the menu. */
  readonly tests: ListNode | undefined;
  readonly validity: Validity;
  /** Whether a call can be walked through it: nothing is wrong, or only some of the agents. */
  readonly walkable: boolean;
}

/** A menu with nothing wrong, and what is sent for it. */
export interface CompiledMenu {
  readonly key: string;
  readonly name: string;
  readonly payload: Payload;
  readonly menu: ResolvedMenu;
}

interface Recording {
  readonly id: string;
  readonly alias?: string;
  readonly says?: string;
  readonly seconds?: number;
}

export interface ResolvedRecording extends Placed<Recording> {
  /** Where ivrctl.yaml gives the words and the length of the recording. */
  readonly saysAt: Span | undefined;
  readonly secondsAt: Span | undefined;
}

export interface ResolvedOption {
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

/** A name that ivrctl.yaml gives to a recording or an SMS template. */
export interface AliasEntry {
  readonly kind: "recording" | "sms_template";
  readonly name: string;
  readonly at: Span;
}

/** Where a reference leads, or what is known about it. */
export type Reached =
  | Destination
  | Nobody
  /** Without an agent list. */
  | { readonly kind: "unchecked"; readonly reference: Marks; readonly span: Span };

export type Destination =
  | {
      readonly kind: "extension";
      readonly eid: string;
      readonly agent: Agent;
      /** How the menu refers to the agent. */
      readonly reference: Marks;
      readonly span: Span;
    }
  | { readonly kind: "other"; readonly name: string; readonly id: string; readonly span: Span };

/** A reference to somebody who cannot be called, reported as an error. */
export type Nobody = {
  readonly kind: "nobody";
  readonly reference: Marks;
  readonly span: Span;
} & (
  | { readonly why: "not-listed" | "several" }
  | { readonly why: "no-extension"; readonly agent: Agent }
);

/** A destination that can be sent. */
export function sendable(reached: Reached | undefined): Destination | undefined {
  return reached?.kind === "extension" || reached?.kind === "other" ? reached : undefined;
}

/** Who is meant, if there was an agent list. */
export function known(reached: Reached | undefined): Destination | Nobody | undefined {
  return reached?.kind === "unchecked" ? undefined : reached;
}

type Whole<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The record, unless a field of it is undefined. */
export function whole<T extends object>(record: T): Whole<T> | undefined {
  return isWhole(record) ? record : undefined;
}

function isWhole<T extends object>(record: T): record is T & Whole<T> {
  return !Object.values(record).includes(undefined);
}

/** The list, unless an item of it is undefined. */
export function allOf<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length ? present : undefined;
}
