/**
 * The call model: what happens to a caller in a menu, and in the menus that it links to. The documentation of the service describes
 * the recordings but not their order, so the order is an assumption (docs/assumptions.md).
 *
 * The prompt plays once. A key of the menu reaches its destination. Every other key plays the
 * invalid recording. After `retries` wrong keys, the next one reaches the invalid destination.
 * Silence plays the retry recording. After `retries` silences, the next one plays the last
 * recording and reaches the timeout destination. The two counters are independent and never
 * start again.
 *
 * If the destination is another menu, the call continues there: its prompt plays, and its counters
 * start at zero.
 *
 * This file must not use Node, because the preview page runs it too.
 */

/**
 * A complete menu, through which calls can be simulated. The preview page gets it as JSON, and the
 * sandbox makes it from a payload. `callMenuOf` makes it from a `ResolvedMenu`, which has source
 * texts and may lack fields.
 */
export interface CallMenu {
  readonly key: string;
  readonly name: string;
  readonly recording: CallRecording;
  /** In the order announced. */
  readonly options: readonly CallOption[];
  readonly invalid: {
    readonly retries: number;
    readonly recording: CallRecording;
    readonly destination: CallDestination;
  };
  readonly timeout: {
    /** In the service's unit, as written. */
    readonly wait: string;
    readonly retries: number;
    readonly retryRecording: CallRecording;
    readonly recording: CallRecording;
    readonly destination: CallDestination;
  };
}

export interface CallOption {
  readonly key: string;
  readonly for?: string;
  readonly destination: CallDestination;
}

export interface CallRecording {
  readonly id: string;
  readonly alias?: string;
  readonly says?: string;
  readonly seconds?: number;
  /** The language of the words: `en-IN`. */
  readonly language?: string;
}

/** The destination of a call. */
export type CallDestination =
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly eid: string;
      readonly team: string | null;
      readonly blocked: boolean;
    }
  /** Another menu of the project. */
  | { readonly kind: "menu"; readonly key: string }
  /** Another kind of destination, if the project allows it. */
  | { readonly kind: "other"; readonly name: string; readonly id: string }
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
      readonly why: "no-menu" | "invalid-menu";
      readonly key: string;
    };

/** The menus that calls can continue in, by key. Undefined if calls to a menu cannot be simulated. */
export type CallMenus = ReadonlyMap<string, CallMenu | undefined>;

/** The path of a call: a key of the menu, wrong keys, or silence. */
export type Via = "option" | "invalid" | "timeout";

/** A key as the menu writes it, or silence. */
export type Press = string;
export const silence: Press = "_";

export type CallState = Waiting | CallEnd;

export interface Waiting {
  readonly at: "waiting";
  /** The number of wrong keys and of silences so far. */
  readonly wrong: number;
  readonly silent: number;
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
  /** What it counts as: an option, a wrong key or a silence. */
  readonly as: Via;
  /** How many of these the caller has made, this one included, and how many end the call. */
  readonly count: number;
  readonly of: number;
  /** The purpose of the key, as callers hear it. */
  readonly for?: string;
  /** Includes the prompt of the menu that the call continues in. */
  readonly heard: readonly CallRecording[];
  /** The menu that the call continues in. */
  readonly enters?: CallMenu;
  readonly state: CallState;
}

/** A whole call. */
export interface Walk {
  /** What the caller hears first. */
  readonly prompt: readonly CallRecording[];
  readonly steps: readonly Step[];
  readonly end: CallEnd;
  /** The menu after the last key. If that key ended the call, the menu where it was pressed. */
  readonly in: string;
  /** Every recording, in order, from the prompt on. */
  readonly heard: readonly CallRecording[];
  /** The keys that were left when the call reached its destination. */
  readonly unused: readonly Press[];
}

/** Starts a call: the prompt plays, and the menu waits for a key. */
export function start(menu: CallMenu): {
  readonly heard: readonly CallRecording[];
  readonly state: Waiting;
} {
  return { heard: [menu.recording], state: { at: "waiting", wrong: 0, silent: 0 } };
}

/** Simulates one key or silence of the caller. If it goes to a second menu, the call continues there. */
export function press(
  menu: CallMenu,
  waiting: Waiting,
  key: Press,
  menus: CallMenus = noMenus,
): Step {
  const step = pressIn(menu, waiting, key);
  if (step.state.at === "waiting" || step.state.destination.kind !== "menu") return step;
  const { key: target } = step.state.destination;
  const enters = menus.get(target);
  if (enters !== undefined) {
    const { heard, state } = start(enters);
    return { ...step, heard: [...step.heard, ...heard], enters, state };
  }
  const destination = noMenu(target, menus.has(target) ? "invalid-menu" : "no-menu");
  return { ...step, state: { ...step.state, destination } };
}

/** A menu that a call cannot continue in. */
function noMenu(key: string, why: "no-menu" | "invalid-menu" = "no-menu"): CallDestination {
  return { kind: "unreachable", name: `menu ${key}`, why, key };
}

const noMenus: CallMenus = new Map();

function pressIn(menu: CallMenu, { wrong, silent }: Waiting, key: Press): Step {
  if (key === silence) {
    const { retries, retryRecording, recording, destination } = menu.timeout;
    const last = silent >= retries;
    return {
      in: menu.key,
      press: key,
      as: "timeout",
      count: silent + 1,
      of: retries + 1,
      heard: [last ? recording : retryRecording],
      state: last
        ? { at: "ended", via: "timeout", destination }
        : { at: "waiting", wrong, silent: silent + 1 },
    };
  }
  const option = menu.options.find((own) => own.key === key);
  if (option !== undefined) {
    const { destination } = option;
    const state: CallEnd = { at: "ended", via: "option", destination };
    const step: Step = {
      in: menu.key,
      press: key,
      as: "option",
      count: 1,
      of: 1,
      heard: [],
      state,
    };
    return option.for === undefined ? step : { ...step, for: option.for };
  }
  const { retries, recording, destination } = menu.invalid;
  return {
    in: menu.key,
    press: key,
    as: "invalid",
    count: wrong + 1,
    of: retries + 1,
    heard: [recording],
    state:
      wrong >= retries
        ? { at: "ended", via: "invalid", destination }
        : { at: "waiting", wrong: wrong + 1, silent },
  };
}

/**
 * Simulates a call to its end. After the last key, the caller is silent. If that goes back to a
 * menu where the caller was silent before, the call would never end, so it ends there.
 */
export function walk(first: CallMenu, presses: readonly Press[], menus?: CallMenus): Walk {
  const begun = start(first);
  const steps: Step[] = [];
  const silentIn = new Set<string>();
  let menu = first;
  let inMenu = first.key;
  let state: CallState = begun.state;
  while (state.at === "waiting") {
    const key = presses[steps.length];
    if (key === undefined) silentIn.add(menu.key);
    const step = withoutCircle(press(menu, state, key ?? silence, menus), silentIn);
    steps.push(step);
    menu = step.enters ?? menu;
    if (key !== undefined) inMenu = menu.key;
    state = step.state;
  }
  return {
    prompt: begun.heard,
    steps,
    end: state,
    in: inMenu,
    heard: [...begun.heard, ...steps.flatMap(({ heard }) => heard)],
    unused: presses.slice(steps.length),
  };
}

/** Ends the call if it enters one of these menus again. */
function withoutCircle({ enters, ...step }: Step, visited: ReadonlySet<string>): Step {
  if (enters === undefined) return step;
  if (!visited.has(enters.key)) return { ...step, enters };
  const destination = { kind: "menu", key: enters.key } as const;
  return { ...step, state: { at: "ended", via: step.as, destination } };
}

/** The name of a recording: its alias if it has one, otherwise its id. */
export function aliasOrId({ alias, id }: CallRecording): string {
  return alias ?? id;
}
