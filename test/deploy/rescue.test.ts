import { expect, test } from "vitest";
import { takeIn } from "../../src/deploy/rescue.ts";
import { State } from "../../src/deploy/state/state.ts";
import type { Rescue } from "../../src/schema/rescue.ts";
import type { Entry, StateEvent } from "../../src/schema/state.ts";
import { begun, created, intent, unknown } from "./state/events.ts";

const at = (seq: number) => `2026-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`;

/** What each run did, one event a second. */
function lived(...events: readonly (readonly [run: string, event: StateEvent])[]) {
  const history = events.map(([run, event], index): Entry => ({
    seq: index + 1,
    at: at(index + 1),
    run,
    by: "x",
    event,
  }));
  const state = new State();
  for (const entry of history) state.take(entry, `head ${entry.seq}`);
  return { state, history };
}

const rescue = (more: Partial<Rescue> = {}): Rescue => ({
  rescue: 1,
  environment: "production",
  lineage: "L1",
  run: "one",
  by: "x",
  since: at(0),
  until: at(59),
  outcomes: [
    { kind: "created", key: "a", digest: "digest of a", status: 200, message: "ok" },
    { kind: "not-processed", key: "b", digest: "digest of b", status: null, message: "not sent" },
  ],
  ...more,
});

const start = ["one", begun("production")] as const;

test("what is pending of that run is settled by what it knew", () => {
  const { state, history } = lived(start, ["one", intent("a")], ["one", intent("b")]);
  expect(takeIn(rescue(), state, history)).toEqual({
    kind: "fits",
    events: [
      { kind: "created", key: "a", status: 200, message: "ok" },
      { kind: "not-processed", key: "b", status: null, message: "not sent" },
    ],
    settled: [],
  });
});

test("an intent that never was on record, or is settled, needs nothing", () => {
  const { state, history } = lived(start, ["one", intent("a")], ["one", created("a")]);
  expect(takeIn(rescue(), state, history)).toEqual({
    kind: "fits",
    events: [],
    settled: ["a", "b"],
  });
});

test.each<[string, Partial<Rescue>]>([
  ["another run's", { run: "two" }],
  ["one of the same name, later", { until: at(1) }],
  ["one of the same name, earlier", { since: at(5) }],
])("what is pending is %s: it is left alone", (_, more) => {
  const { state, history } = lived(start, ["one", intent("a")], ["one", intent("b")]);
  expect(takeIn(rescue(more), state, history)).toMatchObject({ events: [], settled: ["a", "b"] });
});

test("what is pending is another payload, or was sent again since: it is left alone", () => {
  const other = lived(start, ["one", intent("a", "create", "z")]);
  expect(takeIn(rescue(), other.state, other.history)).toMatchObject({ events: [] });
  const again = lived(
    start,
    ["one", intent("a")],
    ["two", { kind: "resolved", key: "a", as: "absent", evidence: null }],
    ["two", intent("a")],
  );
  expect(takeIn(rescue(), again.state, again.history)).toMatchObject({ events: [] });
  const seen = lived(start, ["one", intent("a")], ["one", unknown("a")]);
  expect(takeIn(rescue(), seen.state, seen.history)).toMatchObject({ events: [] });
});

test.each<[string, Partial<Rescue>]>([
  ["lineage", { lineage: "L2" }],
  ["environment", { environment: "staging" }],
])("of another %s: nothing of it", (_, more) => {
  const { state, history } = lived(start, ["one", intent("a")]);
  expect(takeIn(rescue(more), state, history)).toEqual({ kind: "foreign" });
});
