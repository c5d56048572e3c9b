import { pathRows } from "../../call/call-comparison.ts";
import { nameOfDestination } from "../../call/describe-call.ts";
import { silence } from "../../call/simulated-call.ts";
import type { Press } from "../../model/call-menu.ts";
import { Button } from "./parts.tsx";
import { SaveTest } from "./test-buttons.tsx";
import { wordsOf } from "./target.tsx";
import { Transcript } from "./transcript.tsx";
import { useProject } from "./project.ts";
import type { Calling } from "./view.ts";

const telephone = "123456789*0#".split("");

/** A keypad, and below it the call. Nothing above the keypad depends on the call, so that the keys never move. */
export function TryIt(calling: Calling) {
  const { call, insidePast } = calling;
  const project = useProject();
  const presses = call.steps.map((step) => step.press);
  const rows = new Map(pathRows(call.menu, insidePast).map((row) => [row.value.key ?? "", row]));
  const others = [...rows.keys()].filter((key) => key !== "" && !telephone.includes(key));
  // Disabled for readers only, because one of them may have the focus.
  const pressing = (key: Press) => ({
    type: "button" as const,
    "data-press": key,
    "aria-disabled": call.state.at === "ended",
    onClick: () => project.start([...presses, key]),
  });
  const key = (name: Press) => {
    const row = rows.get(name);
    const isUsed = row !== undefined && row.mark !== "removed";
    const label = isUsed ? (row.value.for ?? nameOfDestination(row.value.destination)) : undefined;
    const fault = isUsed && wordsOf(row.value.destination, project).fault;
    const look = `key${isUsed ? " used" : ""}${fault ? " faulty" : ""}${presses.at(-1) === name ? " lit" : ""}`;
    return (
      <button key={name} {...pressing(name)} class={look}>
        {name}{" "}
        <small class={isUsed ? "" : "unseen"} title={label}>
          {label ?? "not an option"}
        </small>
        {fault && <span class="unseen"> {fault}</span>}
      </button>
    );
  };
  const isBegun = presses.length > 0;
  return (
    <section class="try card" aria-labelledby="try">
      <div class="try-head">
        <h2 id="try">Try it</h2>
        <Button words="Start again" aria-disabled={!isBegun} onClick={() => project.start([])} />
      </div>
      <div class="keypad" role="group" aria-label="Keypad">
        {[...telephone, ...others].map(key)}
      </div>
      <div class="controls">
        <button {...pressing(silence)}>Stay silent {call.menu["timeout.wait"]} s</button>
        <Button
          look=""
          words="Back"
          aria-disabled={!isBegun}
          onClick={() => project.start(presses.slice(0, -1))}
        />
      </div>
      <Transcript {...calling} />
      <SaveTest {...calling} />
    </section>
  );
}
