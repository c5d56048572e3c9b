import {
  type CallMenu,
  type CallState,
  type Press,
  type Step,
  press,
  start,
} from "../../call/model.ts";
import { type CallLine, callEndLine, promptLine, stepLine } from "../../views/call-lines.ts";
import type { Callable } from "./versions.ts";

/** A call so far. */
export interface Call {
  /** The menu that the caller is in. */
  readonly menu: CallMenu;
  readonly steps: readonly Step[];
  readonly state: CallState;
  /** Every menu of the call in order, with the number of steps until the call entered it. */
  readonly path: readonly { readonly menu: CallMenu; readonly steps: number }[];
  /** The lines of the prompt, then those of each key. */
  readonly turns: readonly (readonly CallLine[])[];
}

/** A call to a menu in which these keys were pressed. Keys after the end of the call are ignored. */
export function callOf({ menu: first, menus }: Callable, presses: readonly Press[]): Call {
  const begun = start(first);
  const steps: Step[] = [];
  const path = [{ menu: first, steps: 0 }];
  const turns = [[promptLine(begun.heard)]];
  let menu = first;
  let state: CallState = begun.state;
  for (const key of presses) {
    if (state.at === "ended") break;
    const step = press(menu, state, key, menus);
    steps.push(step);
    state = step.state;
    if (step.enters !== undefined) {
      menu = step.enters;
      path.push({ menu, steps: steps.length });
    }
    const end = state.at === "ended" ? [callEndLine({ end: state, steps })] : [];
    turns.push([stepLine(step), ...end]);
  }
  return { menu, steps, state, path, turns };
}
