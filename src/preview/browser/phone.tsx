import { useState } from "preact/hooks";
import { type CallPath, type Row, pathRows } from "../../call/compare.ts";
import {
  type CallDestination,
  type CallMenu,
  type CallMenus,
  type CallRecording,
  type CallState,
  type Press,
  type Step,
  press,
  silence,
  start,
} from "../../call/model.ts";
import { isHangUp, nameOfDestination } from "../../call/words.ts";
import { type Around, destinationBox } from "../../graph/picture.ts";
import {
  type CallLine,
  callEndLine,
  describeCount,
  describeDestination,
  promptLine,
  stepLine,
} from "../../views/call-lines.ts";
import { Heard, Line, Mark, Reached } from "./parts.tsx";

/** A call so far. */
export interface Call {
  /** The menu that the caller is in. */
  readonly menu: CallMenu;
  readonly steps: readonly Step[];
  readonly state: CallState;
  /** Every menu of the call in order, with the number of steps until the call entered it. */
  readonly path: readonly { readonly menu: CallMenu; readonly steps: number }[];
}

/** A call to a menu in which these keys were pressed. Keys after the end of the call are ignored. */
export function callOf(first: CallMenu, menus: CallMenus, presses: readonly Press[]): Call {
  const steps: Step[] = [];
  const path = [{ menu: first, steps: 0 }];
  let menu = first;
  let state: CallState = start(first).state;
  for (const key of presses) {
    if (state.at === "ended") break;
    const step = press(menu, state, key, menus);
    steps.push(step);
    state = step.state;
    if (step.enters === undefined) continue;
    menu = step.enters;
    path.push({ menu, steps: steps.length });
  }
  return { menu, steps, state, path };
}

const telephone = "123456789*0#".split("");

interface PhoneProps {
  readonly call: Call;
  readonly around: Around;
  /** The call before the change, if the menu existed then. */
  readonly before: Call | undefined;
  readonly onPress: (key: Press) => void;
  readonly onRestart: () => void;
}

/**
 * A keypad, and beside or below it what the caller hears. Nothing above the keypad depends on the call, so
 * that the keys never move.
 */
export function Phone({ call, around, before, onPress, onRestart }: PhoneProps) {
  const isOver = call.state.at === "ended";
  const walked = linesOf(call);
  // After a key that differs, the two calls can be in different menus, which are not compared.
  const isSameMenu = before?.path.length === call.path.length;
  const rows = new Map(
    pathRows(call.menu, isSameMenu ? before.menu : undefined).flatMap((row) => {
      const [key] = (row.now ?? row.before)?.trigger.keys ?? [];
      return key === undefined ? [] : [[key, row] as const];
    }),
  );
  const extra = [...rows.keys()].filter((key) => !telephone.includes(key));
  // Disabled instead of removed, because one of them may have the focus.
  const cap = (key: Press) => ({
    type: "button" as const,
    "data-press": key,
    "aria-disabled": isOver,
    onClick: () => onPress(key),
  });
  const keys = (all: readonly Press[]) =>
    all.map((key) => (
      <button key={key} {...cap(key)} class={lookOf(rows.get(key))}>
        <Key name={key} row={rows.get(key)} around={around} />
      </button>
    ));
  return (
    <div class="call-parts">
      <div class="phone">
        <div class="keypad" role="group" aria-label="Keypad">
          {keys(telephone)}
        </div>
        <div class="acts">
          <button {...cap(silence)} class="act">
            Stay silent<small>waits {call.menu.timeout.wait}</small>
          </button>
          <button type="button" class="act" onClick={onRestart}>
            Start again
          </button>
        </div>
        {extra.length > 0 && (
          <div class="keypad extra" role="group" aria-label="Keys that are not on a phone keypad">
            {keys(extra)}
          </div>
        )}
      </div>
      <div>
        <Screens call={call} before={before} />
        <HearIt recordings={call.steps.at(-1)?.heard ?? [call.menu.recording]} />
        {walked.length > 0 && (
          <>
            <h4>The call so far</h4>
            <ol class="walk">
              {walked.map((line, at) => (
                <Line key={at} {...line} />
              ))}
            </ol>
          </>
        )}
      </div>
    </div>
  );
}

/** The call line by line, without what the screen shows now. */
function linesOf({ steps, state, path: [first] }: Call): CallLine[] {
  if (steps.length === 0 || first === undefined) return [];
  const before = state.at === "ended" ? steps : steps.slice(0, -1);
  const end = state.at === "ended" ? [callEndLine({ end: state, steps })] : [];
  return [promptLine([first.menu.recording]), ...before.map(stepLine), ...end];
}

function lookOf(row: Row<CallPath> | undefined): string {
  return `key${row ? " led" : ""}${row?.mark ? " differs" : ""}`;
}

interface KeyProps {
  readonly name: Press;
  /** Undefined if the key is not an option. */
  readonly row: Row<CallPath> | undefined;
  readonly around: Around;
}

function Key({ name, row, around }: KeyProps) {
  const path = row?.now ?? row?.before;
  // A mark of a destination says that a call there fails.
  const fault = path && destinationBox(path.destination, around).mark;
  const label = path && (path.trigger.purpose ?? nameOfDestination(path.destination));
  return (
    <>
      <span class="cap">{name}</span>{" "}
      {label === undefined ? (
        <span class="unseen">not an option</span>
      ) : (
        <span class="for" title={label}>
          <bdi>{label}</bdi>
        </span>
      )}
      {/* An error is more important than a change, and both are shown. */}
      <span class="key-marks">
        {fault !== undefined && <Mark word={fault === "blocked" ? fault : "error"} look="fault" />}
        {row?.mark !== undefined && <Mark word={row.mark} />}
      </span>
    </>
  );
}

/** What the caller hears now and, if it differs, what they heard before the change. */
function Screens({ call, before }: Pick<PhoneProps, "call" | "before">) {
  const seen = ({ menu, steps, state }: Call) => {
    const last = steps.at(-1);
    const now = last && [describeCount(last), last.enters?.name];
    return JSON.stringify([now, last?.heard ?? menu.recording, state]);
  };
  const isSame = before === undefined || seen(call) === seen(before);
  return (
    <div class="screens">
      {!isSame && <Screen call={before} title="Before" />}
      <Screen call={call} title={isSame ? undefined : "Now"} />
    </div>
  );
}

/** What the caller hears now, or whom the call has reached. */
function Screen({ call, title }: { readonly call: Call; readonly title: string | undefined }) {
  const { menu, steps, state } = call;
  const last = steps.at(-1);
  const ended = state.at === "ended" ? endOf(state.destination) : undefined;
  return (
    <div class={ended === undefined ? "screen" : `screen ended ${ended.look}`} role="status">
      {title !== undefined && <p class="side-title">{title}</p>}
      <p class={ended === undefined ? "now" : "now end"}>
        {ended?.words ?? (last === undefined ? "The menu plays its greeting" : waiting(last))}
      </p>
      {ended === undefined &&
        (last?.heard ?? [menu.recording]).map((recording, at) => (
          <Heard key={at} recording={recording} />
        ))}
      {state.at === "ended" && state.destination.kind === "agent" && (
        <Reached destination={state.destination} />
      )}
    </div>
  );
}

function waiting(last: Step): string {
  const count = describeCount(last);
  return last.enters === undefined
    ? `${count}. The menu waits for a key again`
    : `${count}. The call continues in ${last.enters.name}`;
}

/** How a call has ended. */
function endOf(destination: CallDestination): { readonly words: string; readonly look: string } {
  if (isHangUp(destination)) return { words: "The call ended", look: "" };
  if (destination.kind === "unreachable") {
    return { words: `Not connected: ${describeDestination(destination)}`, look: "failed" };
  }
  const name = nameOfDestination(destination);
  if (destination.kind === "agent" && destination.blocked) {
    return { words: `Not connected: ${name} is blocked`, look: "failed" };
  }
  return { words: `Connected to ${name}`, look: "" };
}

/** A button that speaks the words of recordings with the voice of the browser. */
function HearIt({ recordings }: { readonly recordings: readonly CallRecording[] }) {
  const [canSpeak] = useState(() => "speechSynthesis" in window);
  const spoken = recordings.filter(({ says }) => says !== undefined);
  if (!canSpeak || spoken.length === 0) return null;
  const speak = () => {
    speechSynthesis.cancel();
    for (const { says, language = "" } of spoken) {
      speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(says), { lang: language }));
    }
  };
  return (
    <button type="button" class="hear" onClick={speak}>
      Hear it
    </button>
  );
}
