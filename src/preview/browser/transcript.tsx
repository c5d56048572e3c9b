import { endWords, missing } from "../../call/describe-call.ts";
import { type Call, type CallStep, answers, silence } from "../../call/simulated-call.ts";
import { afterWords, describeCount } from "../../views/call-lines.ts";
import { HearIt } from "./hear-it.tsx";
import { Words } from "./parts.tsx";
import { Face, wordsOf } from "./target.tsx";
import { useProject } from "./project.ts";
import { type Calling, type PageProject, menuAddress } from "./view.ts";

/** The call so far, each step once. If it went differently before a change, that is the last line. */
export function Transcript({ menu, call, before }: Calling) {
  const project = useProject();
  const { first, steps, state } = call;
  const [number = first.name] = menu.numbers;
  const [now, was] = [outcome(call, project), before && outcome(before, project)];
  return (
    <>
      <ol class="transcript" aria-live="polite">
        <li>
          <span class="cap empty" aria-hidden="true">
            ☏
          </span>
          <div>
            You called <b>{number}</b>
            {/* Small screens do not show it beside the keypad. */}
            <div class="narrow">
              <Words recording={first.recording} />
            </div>
          </div>
        </li>
        {steps.map((step, at) => (
          <Said key={at} step={step} isLast={at === steps.length - 1} />
        ))}
      </ol>
      {state.at === "ended" ? (
        <Ended call={call} />
      ) : (
        <p class="soft hint">
          {steps.length > 0 && (
            <>
              In <b>{call.menu.name}</b>.{" "}
            </>
          )}
          Press a key, here or on your keyboard: <kbd>s</kbd> stays silent, <kbd>r</kbd> starts
          again.
        </p>
      )}
      {was !== undefined && was !== now && (
        <p class="soft before">
          Before the change: <s>{was}</s>
        </p>
      )}
    </>
  );
}

function Said({ step, isLast }: { readonly step: CallStep; readonly isLast: boolean }) {
  const { press, enters, heard } = step;
  return (
    <li>
      <span class={press === silence ? "cap empty" : "cap"}>{press === silence ? "…" : press}</span>
      <div>
        <span>{describeCount(step)}</span>
        {heard.map((recording, at) => (
          <div key={recording.id}>
            {enters && at === heard.length - 1 && (
              <div>
                goes to <a href={menuAddress(enters.key)}>{enters.name}</a>
              </div>
            )}
            <Words recording={recording} />
          </div>
        ))}
      </div>
      {isLast && <HearIt heard={heard} />}
    </li>
  );
}

function Ended({ call }: { readonly call: Call }) {
  const project = useProject();
  const { state, steps, first } = call;
  if (state.at !== "ended") return null;
  const { destination } = state;
  const { name, about } = wordsOf(destination, project);
  const heard = [first.recording, ...steps.flatMap((step) => step.heard)];
  const seconds = heard.reduce((sum, recording) => sum + (recording.seconds ?? Number.NaN), 0);
  const announced = Number.isNaN(seconds)
    ? ""
    : `after ${Math.round(seconds)} s of announcements, in the order that ivrctl assumes`;
  return (
    <div class={answers(destination) ? "end" : "end bad"} role="status">
      <Face name={name} kind={destination.kind} />
      <div>
        <b>{outcome(call, project)}</b>
        <small>{[about, afterWords(call).trim(), announced].filter(Boolean).join(" · ")}</small>
      </div>
    </div>
  );
}

/** How a call has ended or where it waits, in one sentence. */
function outcome({ state, menu }: Call, project: PageProject): string {
  if (state.at === "waiting") return `The call waits in ${menu.name}`;
  const { destination } = state;
  if (endWords(destination)) return "The call ends";
  const { name, about } = wordsOf(destination, project);
  if (answers(destination)) {
    const twins = project.people.filter(([use]) => use.person.name === name);
    return `Connected to ${name}${twins.length > 1 && about !== "" ? ` (${about})` : ""}`;
  }
  const why = destination.kind === "unreachable" ? missing[destination.why] : "blocked";
  return `Not connected: ${name}, ${why === "blocked" ? "who is blocked and gets no calls" : why}`;
}
