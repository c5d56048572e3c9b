import { describe, expect, test } from "vitest";
import { link } from "../../src/deploy/state/entries.ts";
import { outcomeEvent } from "../../src/deploy/state/records.ts";
import { compareRescue, leftRescues, rescueIn } from "../../src/deploy/state/rescue-files.ts";
import { State } from "../../src/deploy/state/state.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import type { Rescue } from "../../src/schema/rescue.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { menuRecord, openFollowUps } from "../../src/deploy/state/view.ts";
import { folder } from "../support/cli.ts";
import {
  begun,
  created,
  deleted,
  failed,
  identified,
  intent,
  made,
  replaced,
  unknown,
} from "./events.ts";

const at = (seq: number) => `2026-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`;

/** A history of these events, one event each second. */
function lived(...events: readonly StateEvent[]) {
  const state = new State();
  const history = [begun("production"), ...events].map((event, index) => {
    const seq = index + 1;
    const linked = link(state.head, { seq, at: at(seq), run: "one", by: "x", event });
    state.take(linked.entry, linked.head);
    return linked;
  });
  return { state, history };
}

type Lived = ReturnType<typeof lived>;

/** A rescue file with these outcomes of intents in the history. */
const rescue = ({ history }: Lived, ...outcomes: readonly StateEvent[]): Rescue => ({
  rescue: 2,
  environment: "production",
  state: "L1",
  run: "one",
  at: at(59),
  outcomes: outcomes.flatMap((outcome) =>
    outcome.kind === "outcome" ? { sum: history[outcome.intent - 1]?.head ?? "gone", outcome } : [],
  ),
});

/** What a rescue file with these outcomes adds. */
const compared = (found: Lived, ...outcomes: readonly StateEvent[]) =>
  compareRescue(rescue(found, ...outcomes), found.state, found.history);

const nothing = { events: [], recorded: [], missing: [] };
const resolved = (key: string, as: "done" | "not-done", intent = 2, action = "create" as const) =>
  outcomeEvent({ intent, key, action }, { how: "person", as, evidence: null });
const absent = (key: string, intent = 2) => resolved(key, "not-done", intent);

/** The outcome of `a`, which was sent with event 2. */
const late = (as: "current" | "second", key = "a") => ({
  kind: "created-after-all",
  key,
  intent: 2,
  as,
  ...made("a"),
  sent_at: at(2),
  status: 200,
  message: "ok",
});

test("records the outcomes of creates that are still pending", () => {
  const found = lived(intent("a"), intent("b"));
  const outcomes = [created("a"), failed("b", 3)];
  expect(compared(found, ...outcomes)).toEqual({ ...nothing, events: outcomes });
});

test("records an outcome under the new key if the record has moved", () => {
  const found = lived(intent("a"), { kind: "moved", key: "z", from: "a" });
  expect(compared(found, created("a"))).toMatchObject({ events: [created("z")] });
});

test("records nothing for an outcome that is recorded, or that a person resolved as created", () => {
  for (const end of [created("a"), resolved("a", "done")]) {
    const found = lived(intent("a"), end);
    expect(compared(found, created("a"))).toEqual({ ...nothing, recorded: ["a"] });
  }
});

test("records that a menu was deleted, also that of a follow-up, unless the history says so", () => {
  const known = [intent("a"), created("a"), identified("a", "71")];
  const open = lived(...known, intent("a", "delete"));
  expect(compared(open, deleted("a", 5))).toEqual({ ...nothing, events: [deleted("a", 5)] });
  const recorded = lived(...known, intent("a", "delete"), deleted("a", 5));
  expect(compared(recorded, deleted("a", 5))).toEqual({ ...nothing, recorded: ["a"] });
  const about = { follow_up: "F1" };
  const gone = { ...deleted("a", 7), ...about } as StateEvent;
  const old = [
    ...known,
    intent("a", "replace"),
    replaced("a", 5),
    { ...intent("a", "delete"), ...about } as StateEvent,
    // The events of the key itself say nothing about the follow-up.
    identified("a", "72"),
    intent("a", "update"),
  ];
  expect(compared(lived(...old), gone)).toEqual({ ...nothing, events: [gone] });
  const closed = lived(...old, { kind: "done", follow_up: "F1", evidence: null });
  expect(compared(closed, gone)).toEqual({ ...nothing, recorded: ["a"] });
});

test("records an unknown outcome only once", () => {
  const open = lived(intent("a"));
  expect(compared(open, unknown("a"))).toMatchObject({ events: [unknown("a")] });
  const seen = lived(intent("a"), unknown("a"));
  expect(compared(seen, unknown("a"))).toEqual({ ...nothing, recorded: ["a"] });
  expect(compared(seen, created("a"))).toMatchObject({ events: [created("a")] });
});

test("leaves the intents of other runs alone, and reports the created menu as missing", () => {
  const sent = lived(intent("a"), intent("b"));
  const file = rescue(sent, created("a"), failed("b", 3));
  // The intents of that run never became durable. Another run used the numbers.
  const { state, history } = lived(intent("a", "create", "other"), intent("b"));
  expect(compareRescue(file, state, history)).toEqual({
    ...nothing,
    recorded: ["b"],
    missing: ["a"],
  });
});

describe("a menu that was created, but is recorded as not created", () => {
  const sent = [intent("a"), absent("a")];

  test("becomes the record of its key if there is none", () => {
    expect(compared(lived(...sent), created("a"))).toEqual({
      ...nothing,
      events: [late("current")],
    });
    const after = lived(...sent, late("current") as StateEvent);
    expect(menuRecord(after.state, "a")).toMatchObject({ current: { menu: { name: "a" } } });
    expect(openFollowUps(after.state)).toEqual([]);
    const [sentBy] = sent;
    const byHand = [{ ...sentBy, by_hand: true } as StateEvent, absent("a")];
    const [event] = compared(lived(...byHand), created("a"))?.events ?? [];
    const { state } = lived(...byHand, event as StateEvent);
    // Nobody has pointed a phone number to it.
    expect(menuRecord(state, "a")?.current?.pointed).toEqual([]);
    // The second time, there is nothing left to record.
    expect(compared(after, created("a"))).toEqual({ ...nothing, recorded: ["a"] });
  });

  test("is a second menu beside the one that it was sent to replace", () => {
    const denied = { how: "person", as: "not-done", evidence: null } as const;
    const found = lived(
      intent("a", "create", "old"),
      created("a"),
      intent("a", "replace"),
      outcomeEvent({ intent: 4, key: "a", action: "replace" }, denied),
    );
    expect(compared(found, replaced("a", 4))).toMatchObject({
      events: [{ ...late("second"), intent: 4, sent_at: at(4) }],
    });
  });

  test("is a second menu if the key was created again, even if the record has moved", () => {
    const again = [...sent, intent("a"), created("a", 4)];
    const second = { ...nothing, events: [late("second")] };
    expect(compared(lived(...again), created("a"))).toEqual(second);
    const moved = lived(...again, { kind: "moved", key: "z", from: "a" });
    expect(compared(moved, created("a"))).toMatchObject({ events: [late("second", "z")] });
    const after = lived(...again, late("second") as StateEvent);
    expect(menuRecord(after.state, "a")?.current?.created_at).toBe(at(5));
    expect(openFollowUps(after.state)).toMatchObject([
      { id: "F1", key: "a", reason: "duplicate", current: { created_at: at(2) } },
    ]);
    expect(compared(after, created("a"))).toEqual({ ...nothing, recorded: ["a"] });
  });

  test("is a second menu if the key was rolled back since", () => {
    const found = lived(
      intent("a", "create", "first"),
      created("a"),
      intent("a", "replace", "second"),
      replaced("a", 4),
      intent("a", "replace", "a"),
      { ...failed("a", 6), action: "replace" } as StateEvent,
      { kind: "restored", key: "a", follow_up: "F1" },
    );
    expect(compared(found, replaced("a", 6))).toMatchObject({
      events: [{ kind: "created-after-all", as: "second", intent: 6 }],
    });
  });

  test("is a second menu while the outcome of a later create is unknown", () => {
    const found = lived(...sent, intent("a"));
    expect(compared(found, created("a"))).toEqual({ ...nothing, events: [late("second")] });
    const { state } = lived(...sent, intent("a"), late("second") as StateEvent);
    expect(menuRecord(state, "a")?.pending?.intent).toBe(4);
    expect(openFollowUps(state)).toMatchObject([{ key: "a", reason: "duplicate" }]);
  });

  test("becomes the record of its key if the later create failed or its record was deleted", () => {
    const refused = lived(...sent, intent("a"), failed("a", 4));
    const removed = lived(...sent, intent("a"), created("a", 4), { kind: "removed", key: "a" });
    for (const found of [refused, removed]) {
      expect(compared(found, created("a"))).toMatchObject({ events: [late("current")] });
    }
  });

  test("records nothing if the menu was not created after all", () => {
    const found = lived(intent("b"), absent("b"));
    expect(compared(found, failed("b"))).toEqual({ ...nothing, recorded: ["b"] });
  });
});

test.each<[string, Partial<Rescue>]>([
  ["state", { state: "L2" }],
  ["environment", { environment: "staging" }],
])("ignores a rescue file of a different %s", (_, fields) => {
  const found = lived(intent("a"));
  const file = { ...rescue(found, created("a")), ...fields };
  expect(compareRescue(file, found.state, found.history)).toBeUndefined();
});

describe("a file that is not a valid rescue file", () => {
  const valid = rescue(lived(intent("a")), created("a"));
  const invalid = JSON.stringify({ ...valid, run: 7 });
  const problem = 'is not a valid rescue file: expected string, received number at "run".';

  test("ignores other content, and explains invalid content", () => {
    expect(rescueIn(JSON.stringify(valid), "x.json")).toEqual(valid);
    expect(rescueIn("a journal", "x.json")).toBeUndefined();
    expect(rescueIn('{"seq":1}', "x.json")).toBeUndefined();
    expect(() => rescueIn(invalid, "x.json")).toThrow(`x.json ${problem}`);
  });

  test("reports an invalid rescue file in the project", () => {
    const left = ".ivrctl/rescue/production-";
    const root = folder({ [`${left}1.json`]: invalid, [`${left}2.json`]: "cut o" });
    const diagnostics = new Diagnostics();
    leftRescues(root, "production", diagnostics);
    expect(diagnostics.sorted().map(({ code, message }) => [code, message])).toEqual([
      ["IVR673", `${left}1.json ${problem} Nothing from it is recorded.`],
      ["IVR673", `${left}2.json cannot be read. Nothing from it is recorded.`],
    ]);
  });
});
