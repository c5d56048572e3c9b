import { type Row, pathRows } from "../../call/compare.ts";
import {
  type Around,
  type Call,
  type CallDestination,
  type CallPath,
  type CallRecording,
  type Press,
  silence,
} from "../../call/model.ts";
import { isHangUp, nameOfDestination } from "../../call/words.ts";
import { destinationBox } from "../../graph/picture.ts";
import {
  callEndLine,
  describeCount,
  describeDestination,
  promptLine,
  stepLine,
} from "../../views/call-lines.ts";
import { Heard, Lines, Mark, Reached } from "./parts.tsx";

const telephone = "123456789*0#".split("");

interface PhoneProps {
  readonly call: Call;
  readonly around: Around;
  /** The call before the change, if the menu existed then. */
  readonly before: Call | undefined;
  readonly onPress: (key: Press) => void;
  /** Starts the call again and presses these keys. */
  readonly onCall: (presses: readonly Press[]) => void;
}

/**
 * A keypad, and beside or below it what the caller hears. Nothing above the keypad depends on the call, so
 * that the keys never move.
 */
export function Phone({ call, around, before, onPress, onCall }: PhoneProps) {
  const isOver = call.state.at === "ended";
  const presses = call.steps.map((step) => step.press);
  // After a key that differs, the two calls can be in different menus, which are not compared.
  const isSameMenu = before && entriesOf(before) === entriesOf(call);
  const rows = new Map(
    pathRows(call.menu, isSameMenu ? before.menu : undefined).map((row) => [
      (row.now ?? row.before)?.key ?? "",
      row,
    ]),
  );
  rows.delete("");
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
          <button type="button" class="act" onClick={() => onCall(presses.slice(0, -1))}>
            Go back
          </button>
          <button type="button" class="act" onClick={() => onCall([])}>
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
        <Walked call={call} />
      </div>
    </div>
  );
}

/** The number of menus that a call has entered. */
function entriesOf({ steps }: Call): number {
  return steps.filter(({ enters }) => enters).length;
}

/** The call line by line, without what the screen shows now. */
function Walked({ call }: Pick<PhoneProps, "call">) {
  const { steps, state } = call;
  if (steps.length === 0) return null;
  const lines =
    state.at === "ended"
      ? [...steps.map(stepLine), callEndLine({ state, steps })]
      : steps.slice(0, -1).map(stepLine);
  return (
    <>
      <h4>The call so far</h4>
      <Lines lines={[promptLine(call), ...lines]} />
    </>
  );
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
  const label = path && (path.for ?? nameOfDestination(path.destination));
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
  const [now, was] = [screenOf(call), before && screenOf(before)];
  const isSame = was === undefined || JSON.stringify(now) === JSON.stringify(was);
  return (
    <div class="screens">
      {!isSame && <Screen {...was} title="Before" />}
      <Screen {...now} title={isSame ? undefined : "Now"} />
    </div>
  );
}

interface ScreenProps {
  readonly words: string;
  readonly look: string;
  readonly heard: readonly CallRecording[];
  /** The agent that the call has reached. */
  readonly reached?: CallDestination | undefined;
}

function screenOf({ menu, steps, state }: Call): ScreenProps {
  const last = steps.at(-1);
  if (state.at === "ended") {
    const { destination } = state;
    const isAgent = destination.kind === "agent";
    return { ...endOf(destination), heard: [], reached: isAgent ? destination : undefined };
  }
  const words =
    last === undefined
      ? "The menu plays its greeting"
      : `${describeCount(last)}. ${last.enters ? `The call continues in ${menu.name}` : "The menu waits for a key again"}`;
  return { words, look: "", heard: last?.heard ?? [menu.recording] };
}

/** What the caller hears now, or whom the call has reached. */
function Screen({
  words,
  look,
  heard,
  reached,
  title,
}: ScreenProps & { readonly title?: string | undefined }) {
  return (
    <div class={`screen ${look}`} role="status">
      {title !== undefined && <p class="side-title">{title}</p>}
      <p class="now">{words}</p>
      {heard.map((recording, at) => (
        <Heard key={at} recording={recording} />
      ))}
      {reached && <Reached destination={reached} />}
    </div>
  );
}

/** How a call has ended. */
function endOf(destination: CallDestination): Pick<ScreenProps, "words" | "look"> {
  if (isHangUp(destination)) return { words: "The call ended", look: "ended" };
  const name = nameOfDestination(destination);
  const isBlocked = destination.kind === "agent" && destination.blocked;
  if (destination.kind !== "unreachable" && !isBlocked) {
    return { words: `Connected to ${name}`, look: "ended" };
  }
  const why = isBlocked ? `${name} is blocked` : describeDestination(destination);
  return { words: `Not connected: ${why}`, look: "ended failed" };
}

/** A button that speaks the words of recordings with the voice of the browser. */
function HearIt({ recordings }: { readonly recordings: readonly CallRecording[] }) {
  const spoken = recordings.filter(({ says }) => says !== undefined);
  if (!("speechSynthesis" in window) || spoken.length === 0) return null;
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
