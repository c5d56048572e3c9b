import type { CallMenu, CallRecording, CallDestination, Press, Via } from "../model/call-menu.ts";

/** The menus that calls can continue in, by key. Undefined if calls to a menu cannot be simulated. */
export type CallMenus = ReadonlyMap<string, CallMenu | undefined>;

/** The menus around a menu. */
export interface Around {
  readonly menus: CallMenus;
  /** The keys of the menus with errors. */
  readonly faulty: ReadonlySet<string>;
}

export const silence: Press = "_";
/** The limit of simulated retries. No caller makes more, and a huge number could fill the memory. */
const mostRetries = 1000;

/** How often a menu asks again. */
export function retriesIn(retries: string): number {
  return Math.min(Number(retries), mostRetries);
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
export interface CallStep {
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
  readonly steps: readonly CallStep[];
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

function withStep(call: Call, step: CallStep): Call {
  const { enters: menu = call.menu, state } = step;
  return { ...call, menu, steps: [...call.steps, step], state };
}

/** Continues the call in the menu that a step goes to, if it goes to one. */
function entering(step: CallStep, menus: CallMenus): CallStep {
  if (step.state.at === "waiting" || step.state.destination.kind !== "menu") return step;
  const { key } = step.state.destination;
  const enters = menus.get(key);
  if (enters) return { ...step, heard: [...step.heard, enters.recording], enters, state: begun };
  const why = menus.has(key) ? "invalid-menu" : "no-menu";
  const destination = { kind: "unreachable", name: `menu ${key}`, why, key } as const;
  return { ...step, state: { ...step.state, destination } };
}

function pressIn(menu: CallMenu, waiting: Waiting, key: Press): CallStep {
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
    heard: [heardAfter(menu, as, isLast)],
    state: isLast ? end(as, menu[`${as}.destination`]) : { ...waiting, [as]: count },
  };
}

/** What plays after a wrong key or a silence. */
function heardAfter(menu: CallMenu, as: "invalid" | "timeout", isLast: boolean): CallRecording {
  if (as === "timeout") return menu[isLast ? "timeout.recording" : "timeout.retry_recording"];
  return (isLast ? menu["invalid.final_recording"] : undefined) ?? menu["invalid.recording"];
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
