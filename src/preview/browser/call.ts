import {
  type CallMenu,
  type CallMenus,
  type CallRecording,
  type CallState,
  type Press,
  type Step,
  press,
  start,
} from "../../call/model.ts";
import { type CallLine, callEndLine, promptLine, stepLine } from "../../views/call-lines.ts";

/** A call to a menu and to those that it leads to, key by key. */
export class Call {
  readonly #first: CallMenu;
  readonly #menus: CallMenus;
  /** The menu that the caller is in. */
  menu: CallMenu;
  steps: readonly Step[] = [];
  state: CallState;

  constructor(menu: CallMenu, menus: CallMenus) {
    this.#first = menu;
    this.#menus = menus;
    this.menu = menu;
    this.state = start(menu).state;
  }

  /** Starts again, and returns the first line. */
  restart(): CallLine {
    const { heard, state } = start(this.#first);
    this.menu = this.#first;
    this.steps = [];
    this.state = state;
    return promptLine(heard);
  }

  /** Presses a key, and returns the new lines. There are none after the end of the call. */
  press(key: Press): CallLine[] {
    if (this.state.at === "ended") return [];
    const step = press(this.menu, this.state, key, this.#menus);
    this.steps = [...this.steps, step];
    this.state = step.state;
    this.menu = step.enters ?? this.menu;
    const line = stepLine(step);
    return step.state.at === "ended"
      ? [line, callEndLine({ end: step.state, steps: this.steps })]
      : [line];
  }

  get ended(): boolean {
    return this.state.at === "ended";
  }

  get last(): Step | undefined {
    return this.steps.at(-1);
  }

  /** Every menu of the call in order, with the number of steps until the call entered it. */
  get path(): readonly { readonly menu: CallMenu; readonly steps: number }[] {
    const entered = this.steps.flatMap(({ enters }, at) =>
      enters === undefined ? [] : { menu: enters, steps: at + 1 },
    );
    return [{ menu: this.#first, steps: 0 }, ...entered];
  }

  /** What the caller has heard before a step, by default so far. */
  heard(steps: number = this.steps.length): readonly CallRecording[] {
    return [this.#first.recording, ...this.steps.slice(0, steps).flatMap(({ heard }) => heard)];
  }
}

/** How long recordings take: `9 s`, or `at least 9 s`. Undefined if no length is known. */
export function lengthOf(recordings: readonly CallRecording[]): string | undefined {
  const known = recordings.flatMap(({ seconds }) => seconds ?? []);
  if (known.length === 0) return undefined;
  const sum = Math.round(known.reduce((total, seconds) => total + seconds, 0) * 10) / 10;
  return known.length < recordings.length ? `at least ${sum} s` : `${sum} s`;
}
