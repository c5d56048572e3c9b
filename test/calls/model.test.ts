import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { type CallMenu, aliasOrId, walk } from "../../src/call/model.ts";

const agent = (name: string) =>
  ({ kind: "agent", name, eid: name, team: null, blocked: false }) as const;

function menu(invalid: number, timeout: number): CallMenu {
  const recording = (alias: string) => ({ id: alias, alias });
  return {
    key: "front-desk",
    name: "Front desk",
    recording: recording("welcome"),
    options: [
      { key: "1", destination: agent("Asha Rao") },
      { key: "01", destination: agent("Zero One") },
      { key: "*", for: "Star", destination: agent("Star") },
    ],
    invalid: { retries: invalid, recording: recording("not-valid"), destination: agent("Invalid") },
    timeout: {
      wait: "5",
      retries: timeout,
      retryRecording: recording("still-there"),
      recording: recording("goodbye"),
      destination: agent("Timeout"),
    },
  };
}

function summary(callMenu: CallMenu, presses: readonly string[]) {
  const { state: end, heard, steps, unused } = walk(callMenu, presses);
  const who = end.destination.kind === "agent" ? end.destination.name : "?";
  return [who, end.via, heard.map(aliasOrId).join(" "), steps.length, unused.join(",")];
}

describe("a call", () => {
  // The golden cases in test/cases/calls show the usual calls.
  test.each([
    ["a different spelling of a key", ["01"], ["Zero One", "option", "welcome", 1, ""]],
    [
      "independent counters that never start again",
      ["9", "_", "9", "_", "9"],
      [
        "Invalid",
        "invalid",
        "welcome not-valid still-there not-valid still-there not-valid",
        5,
        "",
      ],
    ],
    [
      "a key of the menu after wrong keys and silence",
      ["9", "_", "1"],
      ["Asha Rao", "option", "welcome not-valid still-there", 3, ""],
    ],
    ["keys after the call has ended", ["1", "2", "_"], ["Asha Rao", "option", "welcome", 1, "2,_"]],
  ])("%s", (_, presses, expected) => {
    expect(summary(menu(2, 2), presses)).toEqual(expected);
  });

  test("always reaches a destination, and plays a recording for each wrong key and silence", () => {
    const keys = fc.array(fc.constantFrom("1", "01", "9", "#", "*", "_"), { maxLength: 30 });
    fc.assert(
      fc.property(keys, fc.nat(6), fc.nat(6), (presses, invalid, timeout) => {
        const { state: end, heard, steps, unused } = walk(menu(invalid, timeout), presses);
        const option = end.via === "option" ? 1 : 0;
        expect(heard.length).toBe(1 + steps.length - option);
        expect(steps.length).toBeLessThanOrEqual(invalid + timeout + 2);
        expect(presses.slice(0, steps.length).length + unused.length).toBe(presses.length);
      }),
    );
  });
});
