import { expect, test } from "vitest";
import fc from "fast-check";
import { walk } from "../../src/call/simulated-call.ts";
import type { CallMenu } from "../../src/model/call-menu.ts";

const agent = (name: string) =>
  ({ kind: "agent", name, eid: name, team: null, blocked: false }) as const;
const recording = { id: "1" };

function menu(invalid: number, timeout: number): CallMenu {
  return {
    key: "front-desk",
    name: "Front desk",
    description: "",
    recording,
    options: ["1", "01", "*"].map((key) => ({ key, destination: agent(key) })),
    "invalid.retries": String(invalid),
    "invalid.recording": recording,
    "invalid.destination": agent("invalid"),
    "timeout.wait": "5",
    "timeout.retries": String(timeout),
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": agent("timeout"),
  };
}

// The golden cases in test/cases/calls show the usual calls.
test("a call reaches the option of a key, or counts wrong keys and silences separately", () => {
  const keys = fc.array(fc.constantFrom("1", "01", "9", "#", "*", "_"), { maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.nat(6), fc.nat(6), (presses, invalid, timeout) => {
      const { state: end, heard, steps, unused } = walk(menu(invalid, timeout), presses);
      expect(unused).toEqual(presses.slice(steps.length));
      // A caller who presses no more keys is silent.
      const used = Array.from(steps, (_, at) => presses[at] ?? "_");
      const wrong = used.filter((key) => key === "9" || key === "#").length;
      const silent = used.filter((key) => key === "_").length;
      const option = used.length - wrong - silent;
      expect(heard).toHaveLength(1 + wrong + silent);
      expect([wrong <= invalid + 1, silent <= timeout + 1, option <= 1]).not.toContain(false);
      const name = option === 1 ? used.at(-1) : wrong === invalid + 1 ? "invalid" : "timeout";
      expect(end.destination).toMatchObject({ name });
      expect(end.via).toBe(option === 1 ? "option" : name);
    }),
  );
});
