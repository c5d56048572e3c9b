/**
 * The call model: what happens to a caller in a menu, and in the menus that it links to. The documentation
 * of the service describes the recordings but not their order, so the order is an assumption
 * (docs/assumptions.md).
 *
 * The prompt plays once. A key of the menu reaches its destination. Every other key plays the
 * invalid recording. After `retries` wrong keys, the next one reaches the invalid destination.
 * Silence plays the retry recording. After `retries` silences, the next one plays the last
 * recording and reaches the timeout destination. The two counters are independent and never
 * start again.
 *
 * If the destination is a menu, the call continues there: its prompt plays, and its counters
 * start at zero.
 *
 * This file must not use Node, because the preview page runs it too.
 */

import type { AgentDestination, Menu, Option, OtherDestination, Recording } from "../model/menu.ts";

/**
 * A complete menu, through which calls can be simulated: from the files, from a git revision or from the
 * list of the service. Some of its destinations may not be reachable. The preview page gets it as JSON.
 */
export type CallMenu = Menu<CallDestination, CallRecording> & { readonly key: string };

export type CallOption = Option<CallDestination>;

export interface CallRecording extends Recording {
  readonly says?: string;
  readonly seconds?: number;
  /** The language of the words: `en-IN`. */
  readonly language?: string;
}

/** The destination of a call. */
export type CallDestination =
  | (AgentDestination & {
      readonly name: string;
      readonly team: string | null;
      readonly blocked: boolean;
      /** Whether the agent is not on the list any more. Such an agent counts as blocked. */
      readonly hasLeft?: true;
    })
  /** A menu of the project. */
  | { readonly kind: "menu"; readonly key: string }
  | OtherDestination
  /** An agent that the menu names, but that cannot get calls. */
  | {
      readonly kind: "unreachable";
      readonly name: string;
      readonly why: "not-listed" | "several" | "no-extension";
    }
  /** A menu that the call cannot continue in. */
  | {
      readonly kind: "unreachable";
      readonly name: string;
      /** `gone` is a menu that the service does not have. */
      readonly why: "no-menu" | "invalid-menu" | "gone";
      readonly key: string;
    };

/** The menus that calls can continue in, by key. Undefined if calls to a menu cannot be simulated. */
export type CallMenus = ReadonlyMap<string, CallMenu | undefined>;

/** The menus around a menu. */
export interface Around {
  readonly menus: CallMenus;
  /** The keys of the menus with errors. */
  readonly faulty: ReadonlySet<string>;
}

/** What a press counts as, and how a call reaches its destination: a key of the menu, wrong keys, or silence. */
export type Via = "option" | "invalid" | "timeout";

/** A key as the menu writes it, or silence. */
export type Press = string;
export const silence: Press = "_";

/** A path through a menu: what callers do, and where that goes. */
export interface CallPath<D = CallDestination> {
  readonly via: Via;
  /** The key; undefined for wrong keys and silence. */
  readonly key?: Press;
  /** The purpose of the key, as callers hear it. */
  readonly for?: string;
  /** How often the menu asks again after wrong keys or silence, and how long it waits. */
  readonly retries?: string;
  readonly wait?: string;
  readonly destination: D;
}

/** The paths of a menu: its keys in the order announced, then wrong keys and silence. */
export function pathsOf<D>(menu: Menu<D, unknown>): CallPath<D>[] {
  return [
    ...menu.options.map((option) => ({ via: "option" as const, ...option })),
    {
      via: "invalid",
      retries: menu["invalid.retries"],
      destination: menu["invalid.destination"],
    },
    {
      via: "timeout",
      wait: menu["timeout.wait"],
      retries: menu["timeout.retries"],
      destination: menu["timeout.destination"],
    },
  ];
}

/** The limit of simulated retries. No caller makes more, and a huge number could fill the memory. */
const mostRetries = 1000;

/** How often a menu asks again. */
export function retriesIn(retries: string): number {
  return Math.min(Number(retries), mostRetries);
}

/** The name of a path: `key 2`, `invalid` or `timeout`. */
export function pathName({ via, key }: Pick<CallPath, "via" | "key">): string {
  return via === "option" ? `key ${key}` : via;
}

type CallState = Waiting | CallEnd;

interface Waiting {
  readonly at: "waiting";
  /** The number of wrong keys and of silences so far. */
  readonly invalid: number;
  readonly timeout: number;
}

export interface CallEnd {
  readonly at: "ended";
  readonly via: Via;
  readonly destination: CallDestination;
}

/** One key or silence of the caller, and its result. */
export interface Step {
  /** The key of the menu that the caller was in. */
  readonly in: string;
  readonly press: Press;
  readonly as: Via;
  /** How many of these the caller has made, this one included, and how many end the call. */
  readonly count: number;
  readonly of: number;
  /** The purpose of the key, as callers hear it. */
  readonly for?: string | undefined;
  /** Includes the prompt of the menu that the call continues in. */
  readonly heard: readonly CallRecording[];
  /** The menu that the call continues in. */
  readonly enters?: CallMenu;
  readonly state: CallState;
}

/** A call so far. */
export interface Call {
  readonly first: CallMenu;
  /** The menu that the caller is in, or was in when the call ended. */
  readonly menu: CallMenu;
  readonly steps: readonly Step[];
  readonly state: CallState;
}

/** A call to its end. */
export interface Walk extends Call {
  readonly state: CallEnd;
  /** The menu after the last key. If that key ended the call, the menu where it was pressed. */
  readonly in: string;
  /** Every recording, in order, from the prompt on. */
  readonly heard: readonly CallRecording[];
  /** The keys that were left when the call reached its destination. */
  readonly unused: readonly Press[];
}

const begun: Waiting = { at: "waiting", invalid: 0, timeout: 0 };

/** Starts a call: the prompt plays, and the menu waits for a key. */
export function begin(first: CallMenu): Call {
  return { first, menu: first, steps: [], state: begun };
}

/** Simulates one key or silence of the caller. A call that has ended stays as it is. */
export function press(call: Call, key: Press, menus: CallMenus = new Map()): Call {
  const { menu, state } = call;
  return state.at === "ended" ? call : withStep(call, entering(pressIn(menu, state, key), menus));
}

function withStep(call: Call, step: Step): Call {
  const { enters: menu = call.menu, state } = step;
  return { ...call, menu, steps: [...call.steps, step], state };
}

/** Continues the call in the menu that a step goes to, if it goes to one. */
function entering(step: Step, menus: CallMenus): Step {
  if (step.state.at === "waiting" || step.state.destination.kind !== "menu") return step;
  const { key } = step.state.destination;
  const enters = menus.get(key);
  if (enters) return { ...step, heard: [...step.heard, enters.recording], enters, state: begun };
  const why = menus.has(key) ? "invalid-menu" : "no-menu";
  const destination = { kind: "unreachable", name: `menu ${key}`, why, key } as const;
  return { ...step, state: { ...step.state, destination } };
}

function pressIn(menu: CallMenu, waiting: Waiting, key: Press): Step {
  const option =
    key === silence ? undefined : menu.options.find((candidate) => candidate.key === key);
  const step = { in: menu.key, press: key };
  const end = (via: Via, destination: CallDestination) =>
    ({ at: "ended", via, destination }) as const;
  if (option !== undefined) {
    const state = end("option", option.destination);
    return { ...step, as: "option", count: 1, of: 1, for: option.for, heard: [], state };
  }
  const as = key === silence ? "timeout" : "invalid";
  const retries = retriesIn(menu[`${as}.retries`]);
  const count = waiting[as] + 1;
  const isLast = count > retries;
  return {
    ...step,
    as,
    count,
    of: retries + 1,
    heard: [
      as === "timeout" && !isLast ? menu["timeout.retry_recording"] : menu[`${as}.recording`],
    ],
    state: isLast ? end(as, menu[`${as}.destination`]) : { ...waiting, [as]: count },
  };
}

/**
 * Simulates a call to its end. After the last key, the caller is silent. If that goes back to a
 * menu where the caller was silent before, the call would never end, so it ends there.
 */
export function walk(
  first: CallMenu,
  presses: readonly Press[],
  menus: CallMenus = new Map(),
): Walk {
  let call = begin(first);
  for (const key of presses) call = press(call, key, menus);
  const inMenu = call.menu.key;
  const unused = presses.slice(call.steps.length);
  const silentIn = new Set<string>();
  while (call.state.at === "waiting") {
    silentIn.add(call.menu.key);
    const { enters, ...step } = entering(pressIn(call.menu, call.state, silence), menus);
    const state =
      enters && silentIn.has(enters.key)
        ? ({ at: "ended", via: step.as, destination: { kind: "menu", key: enters.key } } as const)
        : step.state;
    call = withStep(call, { ...step, ...(state === step.state && enters && { enters }), state });
  }
  const heard = [first.recording, ...call.steps.flatMap((step) => step.heard)];
  return { ...call, state: call.state, in: inMenu, heard, unused };
}

/** Whether a call can be answered there: the agent is on the list and not blocked. */
export function answers(destination: CallDestination): boolean {
  return destination.kind === "agent" ? !destination.blocked : destination.kind === "other";
}

/** Whether a call reached the wanted destination. A call never reaches a blocked agent. */
export function isReached(wanted: CallDestination, actual: CallDestination): boolean {
  if (!answers(actual)) return false;
  if (actual.kind === "agent") return wanted.kind === "agent" && wanted.eid === actual.eid;
  return (
    actual.kind === "other" &&
    wanted.kind === "other" &&
    wanted.name === actual.name &&
    wanted.id === actual.id
  );
}

/** The name of a recording: its alias if it has one, otherwise its id. */
export function aliasOrId({ alias, id }: CallRecording): string {
  return alias ?? id;
}
