import { describe, expect, test } from "vitest";
import { link } from "../../src/deploy/state/entries.ts";
import { Sequencer } from "../../src/deploy/state/sequencer.ts";
import { Contradiction } from "../../src/deploy/state/records.ts";
import { State } from "../../src/deploy/state/state.ts";
import { EntrySchema, type StateEvent } from "../../src/schema/state.ts";
import { claim } from "./conformance.ts";
import { begun, created, intent, unknown } from "./events.ts";

function after(...events: readonly StateEvent[]) {
  const state = new State();
  for (const event of events) {
    const entry = { seq: state.serial + 1, at: "then", run: "r", by: "mia", event };
    state.take(entry, link(state.head, entry).head);
  }
  const now = () => new Date("2026-03-01T08:00:00Z");
  return { state, sequencer: new Sequencer(state, "production", claim("run-7"), now) };
}

describe("the sequencer of every store", () => {
  test("numbers events, adds their time, and links them, ahead of the state", () => {
    const { state, sequencer } = after(begun("production"), intent("a"));
    const { head } = state;
    const linked = [
      ...sequencer.next([created("a"), intent("b")]),
      ...sequencer.next([unknown("b", 4)]),
    ];
    const stamp = { at: "2026-03-01T08:00:00.000Z", run: "run-7", by: "run-7@example" };
    expect(linked.map(({ entry }) => entry)).toEqual([
      { seq: 3, ...stamp, event: created("a") },
      { seq: 4, ...stamp, event: intent("b") },
      { seq: 5, ...stamp, event: unknown("b", 4) },
    ]);
    expect(state).toMatchObject({ serial: 2, head });
    for (const one of linked) {
      expect(EntrySchema.parse(JSON.parse(one.text))).toEqual(one.entry);
      state.take(one.entry, link(state.head, one.entry).head);
      expect(state.head).toBe(one.head);
    }
  });

  test("refuses a contradiction, all of its call, and all later calls", () => {
    const { sequencer } = after(begun("production"));
    expect(() => sequencer.next([intent("a"), intent("a")])).toThrow(Contradiction);
    expect(() => sequencer.next([intent("b")])).toThrow("a is already pending");
    const { sequencer: other } = after();
    expect(() => other.next([begun("staging")])).toThrow("belongs to staging, not to production");
    expect(() => other.next([begun("production")])).toThrow(
      "belongs to staging, not to production",
    );
  });

  const tooMuch = { ...intent("b"), mood: "good" };
  const inner = intent("b");
  const tooMuchInside = {
    ...inner,
    ...("payload" in inner && { payload: { ...inner.payload, mood: "good" } }),
  };
  test.each<[string, StateEvent]>([
    ["a field too many", tooMuch],
    ["a field too many in the payload", tooMuchInside],
    ["a number that is none", { ...created("a"), intent: Number.NaN } as StateEvent],
  ])("refuses an event that could not be read back: %s", (_, event) => {
    const { sequencer } = after(begun("production"), intent("a"));
    expect(sequencer.next([intent("c")])).toHaveLength(1);
    expect(() => sequencer.next([event])).toThrow(/mood|NaN|number/);
    expect(() => sequencer.next([intent("d")])).toThrow(/mood|NaN|number/);
  });
});
