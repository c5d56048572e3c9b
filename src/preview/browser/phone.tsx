import { pathRows } from "../../call/call-comparison.ts";
import { type Call, answers, silence } from "../../call/simulated-call.ts";
import { endWords, nameOfDestination } from "../../call/describe-call.ts";
import { destinationBox } from "../../graph/picture.ts";
import {
  afterWords,
  describeCount,
  describeDestination,
  describeEnd,
  hearsWords,
  promptLine,
  stepLine,
} from "../../views/call-lines.ts";
import { callTest } from "../../views/call-test.ts";
import { phoneText } from "../../util/phone.ts";
import { Heard, Lines, List, Mark } from "./parts.tsx";
import { type Calling, isDeleted } from "./view.ts";
import type { CallRecording, Press } from "../../model/call-menu.ts";
import { useState } from "preact/hooks";
import { useEditor } from "./editor.ts";

const telephone = "123456789*0#".split("");

/**
 * A keypad, and beside or below it what the caller hears. Nothing above the keypad depends on the call, so
 * that the keys never move.
 */
export function Phone(calling: Calling) {
  const { call, insidePast, around } = calling;
  const presses = call.steps.map((step) => step.press);
  const rows = new Map(pathRows(call.menu, insidePast).map((row) => [row.value.key ?? "", row]));
  const others = [...rows.keys()].filter((key) => key !== "" && !telephone.includes(key));
  // Disabled instead of removed, because one of them may have the focus.
  const pressing = (key: Press) => ({
    type: "button" as const,
    "data-press": key,
    "aria-disabled": call.state.at === "ended",
    onClick: () => around.start([...presses, key]),
  });
  const key = (name: Press) => {
    const row = rows.get(name);
    // A mark of a destination says that a call there fails.
    const fault = row && destinationBox(row.value.destination, around).mark;
    const label = row && (row.value.for ?? nameOfDestination(row.value.destination));
    return (
      <button key={name} {...pressing(name)} class={row ? "key led" : "key"}>
        <span class="cap">{name}</span>{" "}
        <span class={row ? "for" : "unseen"} title={label}>
          {label ?? "not an option"}
        </span>{" "}
        {/* An error is more important than a change, and both are shown. */}
        <span class="key-marks">
          {fault !== undefined && <Mark word={fault === "blocked" ? fault : "error"} />}
          {row?.mark !== undefined && <Mark word={row.mark} />}
        </span>
      </button>
    );
  };
  return (
    <div class="call-parts">
      <div>
        <div class="keypad" role="group" aria-label="Keypad">
          {[...telephone, ...others].map(key)}
        </div>
        <div class="keypad">
          <button {...pressing(silence)}>Stay silent {call.menu["timeout.wait"]} s</button>
          <button type="button" onClick={() => around.start(presses.slice(0, -1))}>
            Go back
          </button>
          <button type="button" onClick={() => around.start([])}>
            Start again
          </button>
        </div>
      </div>
      <div>
        <Trail {...calling} />
        {call.steps.length === 0 ? (
          <p class="about">Press a key, here or on your keyboard.</p>
        ) : (
          <>
            <Screens {...calling} />
            <HearIt heard={heardIn(call)} />
          </>
        )}
        <Walked {...calling} />
        <SaveTest {...calling} />
      </div>
    </div>
  );
}

/** The menus that the call has come through. Each goes back to that moment of the call. */
function Trail({ call: { first, steps }, menu, around }: Calling) {
  const [number] = menu.numbers;
  const stops = [{ name: first.name, at: 0 }].concat(
    steps.flatMap(({ enters }, at) => (enters ? { name: enters.name, at: at + 1 } : [])),
  );
  const presses = steps.map(({ press }) => press);
  return (
    <p class="trail">
      You called {number === undefined ? "" : `${phoneText(number)} › `}
      {stops.map(({ name, at }) => (
        <span key={at}>
          {at > 0 && " › "}
          <button type="button" onClick={() => around.start(presses.slice(0, at))}>
            {name}
          </button>
        </span>
      ))}
    </p>
  );
}

/** The call as a test, to paste into the file of the menu. */
function SaveTest({ call, menu, around: { data } }: Calling) {
  const editor = useEditor();
  const [refused, setRefused] = useState<string>();
  const test = data.people && callTest(call, data.people);
  if (test === undefined || isDeleted(menu)) return null;
  const keys = call.steps.map((step) => step.press);
  const isKnown = menu.findings.some(({ press }) => press?.join() === keys.join());
  if (editor && isKnown) return null;
  if (editor) {
    const save = () =>
      void editor
        .send({ do: "test", menu: menu.key, press: keys })
        .then((answer) => setRefused(answer.refused));
    return (
      <p class="save">
        <button type="button" onClick={save}>
          Expect this in a test
        </button>{" "}
        {refused !== undefined && <span class="bad">{refused}</span>}
      </p>
    );
  }
  const hasTests = menu.findings.some(({ press, place }) => press && place.startsWith(menu.file));
  return (
    <details class="save">
      <summary>Save this call as a test</summary>
      <p>
        {hasTests ? "Add this line to tests: in " : "Add these lines to "}
        <code>{menu.file}</code>:
      </p>
      <pre tabIndex={0}>{hasTests ? test : `tests:\n${test}`}</pre>
    </details>
  );
}

/** What the caller hears now and, if it differs, what they heard before the change. */
function Screens({ call, before, around }: Calling) {
  const { findings = [] } = around.pages.get(call.menu.key) ?? {};
  const mismatches = findings.flatMap(({ title, text }) =>
    title?.includes("prompt-") ? text : [],
  );
  const isGreeting = heardIn(call).at(-1) === call.menu.recording;
  const [now, was] = [screenOf(call), before && screenOf(before)];
  const isSame = was === undefined || JSON.stringify(now) === JSON.stringify(was);
  const screens = isSame ? [now] : [was, now];
  return (
    <div class="screens">
      {screens.map(({ look, words, heard }, at) => (
        <div key={at} class={`screen ${look}`} role="status">
          {!isSame && <strong>{at === 0 ? "Before" : "Now"}</strong>}
          <p class="now">{words}</p>
          {heard.map((recording) => (
            <Heard key={recording.id} recording={recording} around={around} />
          ))}
          {heard.length > 0 && isGreeting && at === screens.length - 1 && (
            <List look="warning" of={mismatches} />
          )}
        </div>
      ))}
    </div>
  );
}

function screenOf(call: Call) {
  const { menu, steps, state } = call;
  const last = steps.at(-1);
  if (state.at === "waiting") {
    const next = last?.enters
      ? `The call continues in ${menu.name}`
      : "The menu waits for a key again";
    const words = last ? `${describeCount(last)}. ${next}` : "The menu plays its greeting";
    return { look: "", words, heard: heardIn(call) };
  }
  const { destination } = state;
  const heard = [call.first.recording, ...steps.flatMap((step) => step.heard)];
  const seconds = heard.reduce((sum, recording) => sum + (recording.seconds ?? Number.NaN), 0);
  const announced = Number.isNaN(seconds) ? "" : `, ${Math.round(seconds)} s of announcements`;
  const after = afterWords(call) + announced;
  if (endWords(destination)) return { look: "ended", words: `The call ended${after}`, heard: [] };
  const [look, result] = answers(destination)
    ? ["ended", "Connected to"]
    : ["ended failed", "Not connected:"];
  return { look, words: `${result} ${describeDestination(destination)}${after}`, heard: [] };
}

/** What the caller hears now. */
function heardIn({ menu, steps }: Call) {
  return steps.at(-1)?.heard ?? [menu.recording];
}

/** The call line by line, without what the screen shows now. */
function Walked({ call: { first, steps, state } }: Calling) {
  if (steps.length === 0) return null;
  const prompt = promptLine({ first }, hearsWords);
  const lines = steps.map((step) => stepLine(step, hearsWords));
  const end = state.at === "ended" && describeEnd(state.destination) + afterWords({ steps });
  const rest = end ? [...lines, { expected: false, what: "ends", text: end }] : lines.slice(0, -1);
  return (
    <>
      <h3>The call so far</h3>
      <Lines lines={[prompt, ...rest]} />
    </>
  );
}

/** A button that speaks the words of recordings with the voice of the browser. */
export function HearIt({ heard }: { readonly heard: readonly CallRecording[] }) {
  const spoken = heard.filter(({ says }) => says !== undefined);
  if (!("speechSynthesis" in window) || spoken.length === 0) return null;
  const speak = () => {
    speechSynthesis.cancel();
    for (const { says, language = "" } of spoken) {
      speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(says), { lang: language }));
    }
  };
  return (
    <button type="button" class="play" aria-label="Hear it" onClick={speak}>
      ▶
    </button>
  );
}
