/**
 * The call model: what a caller meets in one menu. The service's document
 * describes the parts and not the order in which they play, so the order is an
 * assumption (docs/assumptions.md).
 *
 * The prompt plays once. A key of the menu leads to its destination. Any other
 * key plays the invalid recording, the last one included; after `retries`
 * further tries the next wrong key leads to the invalid destination. Silence
 * plays the retry recording, `retries` times; the next one plays the last
 * recording and leads to the timeout destination. The two counters are
 * independent and never go back.
 *
 * It uses nothing of Node, because the preview page runs it too.
 */

/**
 * A menu through which a call can be walked. It is the one type beside `ResolvedMenu` for it: a
 * resolved menu holds source texts and may lack fields, while the preview page gets this one as
 * JSON and the sandbox makes it from a payload. `callMenuOf` alone turns one into the other.
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
}

/** Where a call lands. */
export type CallDestination =
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly eid: string;
      readonly team: string | null;
      readonly blocked: boolean;
    }
  /** Another kind of destination, if the project allows it. */
  | { readonly kind: "other"; readonly name: string; readonly id: string }
  /** Named by the menu, but no call can be sent there. */
  | {
      readonly kind: "nobody";
      readonly name: string;
      readonly why: "not-listed" | "several" | "no-extension";
    };

/** By which path a call lands: a key of the menu, wrong keys, or silence. */
export type Via = "option" | "invalid" | "timeout";

/** A key as written in the menu, or silence. */
export type Press = string;
export const silence: Press = "_";

export type CallState = Waiting | Landed;

export interface Waiting {
  readonly at: "waiting";
  /** How many wrong keys, and how many silences, there were. */
  readonly wrong: number;
  readonly silent: number;
}

export interface Landed {
  readonly at: "landed";
  readonly via: Via;
  readonly destination: CallDestination;
}

/** One thing the caller does, and what happens. */
export interface Step {
  readonly press: Press;
  /** What it counts as. */
  readonly as: Via;
  /** How many of these there were, including this one, and after how many the call lands. */
  readonly count: number;
  readonly of: number;
  /** What the caller was told that the key is for. */
  readonly for?: string;
  readonly heard: readonly CallRecording[];
  readonly state: CallState;
}

/** A whole call. */
export interface Walk {
  /** What is heard before the caller does anything. */
  readonly prompt: readonly CallRecording[];
  readonly steps: readonly Step[];
  readonly landed: Landed;
  /** Every recording, in order, from the prompt on. */
  readonly heard: readonly CallRecording[];
  /** What the caller would have pressed after the call had landed. */
  readonly unused: readonly Press[];
}

/** Begins a call: the prompt plays, and the menu waits for a key. */
export function start(menu: CallMenu): {
  readonly heard: readonly CallRecording[];
  readonly state: Waiting;
} {
  return { heard: [menu.recording], state: { at: "waiting", wrong: 0, silent: 0 } };
}

export function press(menu: CallMenu, { wrong, silent }: Waiting, key: Press): Step {
  if (key === silence) {
    const { retries, retryRecording, recording, destination } = menu.timeout;
    const last = silent >= retries;
    return {
      press: key,
      as: "timeout",
      count: silent + 1,
      of: retries + 1,
      heard: [last ? recording : retryRecording],
      state: last
        ? { at: "landed", via: "timeout", destination }
        : { at: "waiting", wrong, silent: silent + 1 },
    };
  }
  const option = menu.options.find((own) => own.key === key);
  if (option !== undefined) {
    const { destination } = option;
    const state: Landed = { at: "landed", via: "option", destination };
    const step: Step = { press: key, as: "option", count: 1, of: 1, heard: [], state };
    return option.for === undefined ? step : { ...step, for: option.for };
  }
  const { retries, recording, destination } = menu.invalid;
  return {
    press: key,
    as: "invalid",
    count: wrong + 1,
    of: retries + 1,
    heard: [recording],
    state:
      wrong >= retries
        ? { at: "landed", via: "invalid", destination }
        : { at: "waiting", wrong: wrong + 1, silent },
  };
}

/** Walks a call to its end; after the last press the caller is silent. */
export function walk(menu: CallMenu, presses: readonly Press[]): Walk {
  const begun = start(menu);
  const steps: Step[] = [];
  let state: CallState = begun.state;
  while (state.at === "waiting") {
    const step = press(menu, state, presses[steps.length] ?? silence);
    steps.push(step);
    state = step.state;
  }
  return {
    prompt: begun.heard,
    steps,
    landed: state,
    heard: [...begun.heard, ...steps.flatMap(({ heard }) => heard)],
    unused: presses.slice(steps.length),
  };
}

/** The name of a recording: its alias if it has one, otherwise its id. */
export function nameOf({ alias, id }: CallRecording): string {
  return alias ?? id;
}
