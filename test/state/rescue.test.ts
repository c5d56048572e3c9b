import { describe, expect, test } from "vitest";
import { compareRescue } from "../../src/deploy/state/rescue.ts";
import { rescueIn, reportRescues } from "../../src/deploy/state/rescue-files.ts";
import { State } from "../../src/deploy/state/state.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import type { Rescue } from "../../src/schema/rescue.ts";
import type { Entry, StateEvent } from "../../src/schema/state.ts";
import { folder } from "../support/cli.ts";
import { begun, created, deleted, identified, intent, made, unknown } from "./events.ts";

const at = (seq: number) => `2026-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`;

/** A history of these events, one event each second. */
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
  state: "L1",
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

const nothing = { kind: "fits", events: [], recorded: [], waiting: [], missing: [] };
const absent = (key: string): StateEvent => ({
  kind: "resolved",
  key,
  as: "absent",
  evidence: null,
});
const only = (outcome: number) =>
  rescue({ outcomes: rescue().outcomes.slice(outcome, outcome + 1) });
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
  const { state, history } = lived(start, ["one", intent("a")], ["one", intent("b")]);
  expect(compareRescue(rescue(), state, history)).toEqual({
    ...nothing,
    events: [
      { kind: "created", key: "a", status: 200, message: "ok" },
      { kind: "not-processed", key: "b", status: null, message: "not sent" },
    ],
  });
});

test("records an outcome under the new key if the record has moved", () => {
  const { state, history } = lived(
    start,
    ["one", intent("a")],
    ["two", { kind: "moved", key: "z", from: "a" }],
  );
  expect(compareRescue(only(0), state, history)).toMatchObject({
    events: [{ kind: "created", key: "z" }],
  });
});

test("records nothing for an outcome that is recorded, or that a person resolved as created", () => {
  for (const end of [
    created("a"),
    { kind: "resolved", key: "a", as: "created", evidence: null } as const,
  ]) {
    const { state, history } = lived(start, ["one", intent("a")], ["two", end]);
    expect(compareRescue(rescue(), state, history)).toEqual({ ...nothing, recorded: ["a", "b"] });
  }
});

test("records that a menu was deleted, also that of a follow-up, unless the history says so", () => {
  const outcome = { kind: "deleted", key: "a", digest: "digest of a", status: 200, message: "ok" };
  const rescued = (more: object) =>
    rescue({ outcomes: [{ ...outcome, ...more } as Rescue["outcomes"][number]] });
  const known = [
    start,
    ["zero", intent("a")],
    ["zero", created("a")],
    ["zero", identified("a", "71")],
  ] as const;
  const open = lived(...known, ["one", intent("a", "delete")]);
  expect(compareRescue(rescued({}), open.state, open.history)).toEqual({
    ...nothing,
    events: [deleted("a")],
  });
  const recorded = lived(...known, ["one", intent("a", "delete")], ["one", deleted("a")]);
  expect(compareRescue(rescued({}), recorded.state, recorded.history)).toEqual({
    ...nothing,
    recorded: ["a"],
  });
  const about = { follow_up: "F1" };
  const oldDelete = { ...intent("a", "delete"), ...about } as StateEvent;
  const old = lived(
    ...known,
    ["zero", intent("a", "replace")],
    ["zero", created("a")],
    ["one", oldDelete],
    // The events of the key itself say nothing about the follow-up.
    ["two", identified("a", "72")],
    ["two", intent("a", "update")],
  );
  expect(compareRescue(rescued(about), old.state, old.history)).toEqual({
    ...nothing,
    events: [{ ...deleted("a"), ...about }],
  });
  expect(compareRescue(rescued({}), old.state, old.history)).toEqual({
    ...nothing,
    recorded: ["a"],
  });
});

test("records an unknown outcome only once", () => {
  const outcome = { kind: "unknown", key: "a", digest: "digest of a", status: 502, message: "?" };
  const known = rescue({ outcomes: [outcome as Rescue["outcomes"][number]] });
  const open = lived(start, ["one", intent("a")]);
  expect(compareRescue(known, open.state, open.history)).toMatchObject({
    events: [{ kind: "unknown" }],
  });
  const seen = lived(start, ["one", intent("a")], ["one", unknown("a")]);
  expect(compareRescue(known, seen.state, seen.history)).toEqual({ ...nothing, recorded: ["a"] });
});

test.each<[string, Partial<Rescue>]>([
  ["of another run", { run: "two" }],
  ["of a later run with the same id", { until: at(1) }],
  ["of an earlier run with the same id", { since: at(5) }],
])(
  "leaves a pending create alone if it is %s, and reports the created menu as missing",
  (_, more) => {
    const { state, history } = lived(start, ["one", intent("a")], ["one", intent("b")]);
    const expected = { ...nothing, recorded: ["b"], missing: ["a"] };
    expect(compareRescue(rescue(more), state, history)).toEqual(expected);
  },
);

describe("a menu that was created, but is recorded as not created", () => {
  const sent = [start, ["one", intent("a")], ["two", absent("a")]] as const;

  test("becomes the record of its key if there is none", () => {
    const { state, history } = lived(...sent);
    const taken = compareRescue(only(0), state, history);
    expect(taken).toEqual({ ...nothing, events: [late("current")] });
    const after = lived(...sent, ["three", late("current") as StateEvent]);
    expect(after.state.keys.get("a")).toMatchObject({ current: { digest: "digest of a" } });
    expect(after.state.followUps.size).toBe(0);
    // The second time, there is nothing left to record.
    expect(compareRescue(only(0), after.state, after.history)).toEqual({
      ...nothing,
      recorded: ["a"],
    });
  });

  test("replaces the record that it was sent to replace", () => {
    const { state, history } = lived(
      ["one", begun("production")],
      ["zero", intent("a", "create", "old")],
      ["zero", created("a")],
      ["one", intent("a", "replace")],
      ["two", absent("a")],
    );
    const taken = compareRescue(only(0), state, history);
    expect(taken).toMatchObject({ events: [{ ...late("current"), intent: 4, sent_at: at(4) }] });
    const [event] = taken.kind === "fits" ? taken.events : [];
    if (event === undefined) throw new Error("nothing is taken in");
    state.take({ seq: 6, at: at(6), run: "three", by: "x", event }, "head 6");
    expect(state.keys.get("a")?.current?.digest).toBe("digest of a");
    expect([...state.followUps.values()]).toMatchObject([
      { reason: "replaced", record: { digest: "digest of old" } },
    ]);
  });

  test("is a second menu if the key was created again, even if the record has moved", () => {
    const again = [...sent, ["two", intent("a")], ["two", created("a")]] as const;
    const { state, history } = lived(...again);
    expect(compareRescue(only(0), state, history)).toEqual({
      ...nothing,
      events: [late("second")],
    });
    const moved = [...again, ["three", { kind: "moved", key: "z", from: "a" }]] as const;
    const later = lived(...moved);
    expect(compareRescue(only(0), later.state, later.history)).toMatchObject({
      events: [late("second", "z")],
    });
    const after = lived(...again, ["three", late("second") as StateEvent]);
    expect(after.state.keys.get("a")?.current?.created_at).toBe(at(5));
    expect([...after.state.followUps.values()]).toMatchObject([
      { id: "F1", key: "a", reason: "duplicate", record: { created_at: at(2) } },
    ]);
    expect(compareRescue(only(0), after.state, after.history)).toEqual({
      ...nothing,
      recorded: ["a"],
    });
  });

  test("is a second menu if the key was rolled back since", () => {
    const { state, history } = lived(
      start,
      ["one", intent("a", "create", "first")],
      ["one", created("a")],
      ["one", intent("a", "replace", "second")],
      ["one", created("a")],
      ["one", intent("a", "replace", "a")],
      ["two", absent("a")],
      ["two", { kind: "restored", key: "a", follow_up: "F1" }],
    );
    expect(compareRescue(only(0), state, history)).toMatchObject({
      events: [{ kind: "created-after-all", as: "second", intent: 6 }],
    });
  });

  test("waits while the outcome of a later create is unknown", () => {
    const { state, history } = lived(...sent, ["two", intent("a")]);
    expect(compareRescue(only(0), state, history)).toEqual({ ...nothing, waiting: ["a"] });
  });

  test("becomes the record of its key if the later create failed or its record was deleted", () => {
    const failed = lived(
      ...sent,
      ["two", intent("a")],
      ["two", { kind: "failed", key: "a", status: 400, message: "no" }],
    );
    expect(compareRescue(only(0), failed.state, failed.history)).toMatchObject({
      events: [late("current")],
    });
    const removed = lived(
      ...sent,
      ["two", intent("a")],
      ["two", created("a")],
      ["two", { kind: "removed", key: "a" }],
    );
    expect(compareRescue(only(0), removed.state, removed.history)).toMatchObject({
      events: [late("current")],
    });
  });

  test("records nothing if the menu was not created after all", () => {
    const { state, history } = lived(start, ["one", intent("b")], ["two", absent("b")]);
    expect(compareRescue(only(1), state, history)).toEqual({ ...nothing, recorded: ["b"] });
  });
});

test.each<[string, Partial<Rescue>]>([
  ["state", { state: "L2" }],
  ["environment", { environment: "staging" }],
])("ignores a rescue file of another %s", (_, more) => {
  const { state, history } = lived(start, ["one", intent("a")]);
  expect(compareRescue(rescue(more), state, history)).toEqual({ kind: "foreign" });
});

describe("a file that is not a valid rescue file", () => {
  const invalid = JSON.stringify({ ...rescue(), run: 7 });
  const problem = 'is not a valid rescue file: expected string, received number at "run".';

  test("ignores other content, and explains invalid content", () => {
    expect(rescueIn(JSON.stringify(rescue()), "x.json")).toEqual(rescue());
    expect(rescueIn("a journal", "x.json")).toBeUndefined();
    expect(rescueIn('{"seq":1}', "x.json")).toBeUndefined();
    expect(() => rescueIn(invalid, "x.json")).toThrow(`x.json ${problem}`);
  });

  test("reports an invalid rescue file in the project", () => {
    const left = ".ivrctl/rescue/production-";
    const root = folder({ [`${left}1.json`]: invalid, [`${left}2.json`]: "cut o" });
    const diagnostics = new Diagnostics();
    reportRescues(root, "production", diagnostics);
    expect(diagnostics.sorted().map(({ code, message }) => [code, message])).toEqual([
      ["IVR673", `${left}1.json ${problem} Nothing from it is recorded.`],
      ["IVR673", `${left}2.json cannot be read. Nothing from it is recorded.`],
    ]);
  });
});
