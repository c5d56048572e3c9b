import { useState } from "preact/hooks";
import { type CallDestination, type CallRecording, type Press, silence } from "../../call/model.ts";
import { type CallPath, type Row, pathRows } from "../../call/compare.ts";
import type { Around } from "../../graph/picture.ts";
import { isHangUp, nameOfDestination } from "../../call/words.ts";
import { countWords, destinationWords } from "../../views/call-lines.ts";
import type { Call } from "./call.ts";
import { Heard, Line, Mark, Reached, faultOf } from "./parts.tsx";

const telephone = "123456789*0#".split("");

interface PhoneProps {
  readonly call: Call;
  readonly around: Around;
  /** The call before the change, if a call goes through both versions at once. */
  readonly before: Call | undefined;
  /** The key that was just pressed on the keyboard. */
  readonly pressed: Press | undefined;
  readonly onPress: (key: Press) => void;
  readonly onRestart: () => void;
}

/**
 * A keypad, and beside or below it what the caller hears. Nothing above the keypad depends on the call, so
 * that the keys never move.
 */
export function Phone({ call, around, before, pressed, onPress, onRestart }: PhoneProps) {
  const isOver = call.state.at === "ended" && (before?.state.at ?? "ended") === "ended";
  // The screen shows what the caller hears now, so that nothing is shown twice.
  const walked = (call.state.at === "ended" ? call.turns : call.turns.slice(0, -1)).flat();
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
      <button key={key} {...cap(key)} class={lookOf(rows.get(key), key === pressed)}>
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
          <button {...cap(silence)} class={pressed === silence ? "act pressed" : "act"}>
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
      <div class="heard-part">
        <Screens call={call} before={before} />
        <HearIt recordings={call.steps.at(-1)?.heard ?? [call.menu.recording]} />
        {walked.length > 0 && call.steps.length > 0 && (
          <div class="so-far">
            <h4>The call so far</h4>
            <ol class="walk">
              {walked.map((line, at) => (
                <Line key={at} {...line} />
              ))}
            </ol>
          </div>
        )}
      </div>
    </div>
  );
}

function lookOf(row: Row<CallPath> | undefined, isPressed: boolean): string {
  return ["key", row && "led", row?.mark && "differs", isPressed && "pressed"]
    .filter((name) => typeof name === "string")
    .join(" ");
}

interface KeyProps {
  readonly name: Press;
  /** Undefined if the key is not an option. */
  readonly row: Row<CallPath> | undefined;
  readonly around: Around;
}

function Key({ name, row, around }: KeyProps) {
  const path = row?.now ?? row?.before;
  const change = row?.mark;
  const fault = path && faultOf(path.destination, around);
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
      {(fault ?? change) !== undefined && (
        <span class="key-marks">
          {fault !== undefined && <span class="mark fault">{fault}</span>}
          {change !== undefined && <Mark word={change} />}
        </span>
      )}
    </>
  );
}

function Screens({ call, before }: Pick<PhoneProps, "call" | "before">) {
  if (before === undefined) return <Screen call={call} />;
  const isSame = JSON.stringify(seenIn(call)) === JSON.stringify(seenIn(before));
  const verdict = verdictOf(call, before);
  return (
    <>
      <div class="screens">
        {!isSame && <Screen call={before} title="Before" />}
        <Screen call={call} title={isSame ? "Before and now" : "Now"} />
      </div>
      <p class={verdict === undefined || verdict === alike ? "verdict" : "verdict differs"}>
        {verdict ?? "Press a key to call both menus at once."}
      </p>
    </>
  );
}

function seenIn({ menu, steps, state }: Call): unknown {
  return [steps.length === 0 ? menu.recording : steps.at(-1), state];
}

/** What the caller hears now, or whom the call has reached. */
function Screen({ call, title }: { readonly call: Call; readonly title?: string }) {
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

function waiting(last: Call["steps"][number]): string {
  const count = countWords(last);
  return last.enters === undefined
    ? `${count}. The menu waits for a key again`
    : `${count}. The call continues in ${last.enters.name}`;
}

/** How a call has ended. */
function endOf(destination: CallDestination): { readonly words: string; readonly look: string } {
  if (isHangUp(destination)) return { words: "The call ended", look: "" };
  if (destination.kind === "unreachable") {
    return { words: `Not connected: ${destinationWords(destination)}`, look: "failed" };
  }
  const name = nameOfDestination(destination);
  if (destination.kind === "agent" && destination.blocked) {
    return { words: `Not connected: ${name} is blocked`, look: "failed" };
  }
  return { words: `Connected to ${name}`, look: "" };
}

const alike = "The call ends at the same place as before.";

/** How the ends of two calls differ: `Key 2: before Asha Rao, now Ravi Kumar.` */
function verdictOf(now: Call, before: Call): string | undefined {
  if (now.state.at !== "ended" || before.state.at !== "ended") return undefined;
  const [is, was] = [now.state.destination, before.state.destination];
  if (JSON.stringify(is) === JSON.stringify(was)) return alike;
  const isSameName = nameOfDestination(is) === nameOfDestination(was);
  const words = isSameName ? destinationWords : nameOfDestination;
  const { steps } = now.steps.length > before.steps.length ? now : before;
  const keys = steps.map(({ press }) => (press === silence ? "silence" : press));
  const pressed = keys.some((key) => key !== "silence");
  const what = pressed ? `Key${keys.length === 1 ? "" : "s"} ${keys.join(", ")}` : "Silence";
  return `${what}: before ${words(was)}, now ${words(is)}.`;
}

/** A button that speaks the words of recordings with the voice of the browser. */
function HearIt({ recordings }: { readonly recordings: readonly CallRecording[] }) {
  const [canSpeak] = useState(() => "speechSynthesis" in window);
  const spoken = recordings.flatMap(({ says, language }) =>
    says === undefined ? [] : { says, language },
  );
  if (!canSpeak || spoken.length === 0) return null;
  const speak = () => {
    speechSynthesis.cancel();
    for (const { says, language } of spoken) {
      const words = new SpeechSynthesisUtterance(says);
      if (language !== undefined) words.lang = language;
      speechSynthesis.speak(words);
    }
  };
  return (
    <button type="button" class="hear" onClick={speak}>
      Hear it
    </button>
  );
}
