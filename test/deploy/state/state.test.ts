import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Entry,
  EntrySchema,
  SnapshotSchema,
  type StateEvent,
} from "../../../src/schema/state.ts";
import { link } from "../../../src/deploy/state/entries.ts";
import { Contradiction, State } from "../../../src/deploy/state/state.ts";
import { begun, created, intent, made, unknown } from "./events.ts";

const at = (seq: number) => `2026-01-01T00:00:${String(seq % 60).padStart(2, "0")}.000Z`;
const entry = (seq: number, event: StateEvent): Entry => ({
  seq,
  at: at(seq),
  run: "r",
  by: "mia",
  event,
});

function take(state: State, next: Entry): void {
  state.take(next, link(state.head, next).head);
}

function after(...events: readonly StateEvent[]): State {
  const state = new State();
  for (const event of [begun("production"), ...events]) {
    take(state, entry(state.serial + 1, event));
  }
  return state;
}

const removed = (key: string): StateEvent => ({ kind: "removed", key });
const moved = (from: string, key: string): StateEvent => ({ kind: "moved", from, key });
const done = (id: string): StateEvent => ({ kind: "done", follow_up: id, evidence: null });
const afterAll = (key: string, as: "current" | "second"): StateEvent => ({
  kind: "created-after-all",
  key,
  intent: 1,
  as,
  ...made(key),
  sent_at: "2026-01-01T00:00:00.000Z",
  status: 200,
  message: "ok",
});
const dropped = (key: string): StateEvent => ({ kind: "dropped", key });
const adopted = (key: string): StateEvent => ({
  kind: "adopted",
  key,
  ...made(key),
  evidence: "seen on the console",
});
const restored = (key: string, id: string): StateEvent => ({
  kind: "restored",
  key,
  follow_up: id,
});
const resolved = (key: string, as: "created" | "absent"): StateEvent => ({
  kind: "resolved",
  key,
  as,
  evidence: "ticket 7",
});
const settledAs = (kind: "failed" | "not-processed", key: string): StateEvent => ({
  kind,
  key,
  status: 400,
  message: "no",
});

describe("what each event does", () => {
  test("begun and rebound", () => {
    expect(after().origin).toEqual({
      lineage: "L1",
      environment: "production",
      address: "https://pbx.example",
    });
    const state = after({ kind: "rebound", address: "https://new.example", evidence: "mail" });
    expect(state.origin).toMatchObject({ lineage: "L1", address: "https://new.example" });
    expect(state.serial).toBe(2);
    expect(new State().snapshot()).toBeUndefined();
  });

  test("an intent is pending from when it was written", () => {
    expect(after(intent("a")).keys.get("a")).toEqual({
      current: null,
      pending: {
        ...made("a"),
        action: "create",
        sent_at: at(2),
        until: "2026-01-01T00:01:00.000Z",
        seen: null,
      },
    });
  });

  test("created makes it current", () => {
    expect(after(intent("a"), created("a")).keys.get("a")).toEqual({
      current: {
        ...made("a"),
        created_at: at(3),
        settled: { how: "answered", status: 200, message: "ok" },
      },
      pending: null,
    });
  });

  test("a replace that is created leaves the old record as a follow-up", () => {
    const state = after(intent("a"), created("a"), intent("a", "replace", "new"), created("a"));
    expect(state.keys.get("a")?.current?.payload.name).toBe("new");
    expect([...state.followUps.values()]).toMatchObject([
      { id: "F5", key: "a", reason: "replaced", created_at: at(5), record: { ...made("a") } },
    ]);
  });

  test.each(["failed", "not-processed"] as const)("%s: as if it had not been sent", (kind) => {
    expect(after(intent("a"), settledAs(kind, "a")).keys.has("a")).toBe(false);
    const before = after(intent("a"), created("a"));
    const state = after(intent("a"), created("a"), intent("a", "replace"), settledAs(kind, "a"));
    expect([...state.keys]).toEqual([...before.keys]);
    expect(state.followUps.size).toBe(0);
  });

  test("unknown stays pending, with what was seen and until when", () => {
    expect(after(intent("a"), unknown("a")).keys.get("a")).toMatchObject({
      current: null,
      pending: { sent_at: at(2), until: at(3), seen: { status: null, message: "no answer" } },
    });
  });

  test("resolved: created since it was sent, or absent", () => {
    expect(after(intent("a"), unknown("a"), resolved("a", "created")).keys.get("a")).toMatchObject({
      current: {
        created_at: at(2),
        settled: { how: "resolved", by: "mia", evidence: "ticket 7" },
      },
      pending: null,
    });
    expect(after(intent("a"), resolved("a", "absent")).keys.size).toBe(0);
    const replaced = [intent("a"), created("a"), intent("a", "replace"), unknown("a")] as const;
    expect([...after(...replaced, resolved("a", "created")).followUps.keys()]).toEqual(["F6"]);
    expect(after(...replaced, resolved("a", "absent")).followUps.size).toBe(0);
  });

  test("moved: the record as a whole, pending and replaced ones included", () => {
    const state = after(
      intent("a"),
      created("a"),
      intent("a", "replace"),
      created("a"),
      intent("a", "replace"),
      moved("a", "b"),
    );
    expect([...state.keys.keys()]).toEqual(["b"]);
    expect(state.keys.get("b")?.pending).not.toBeNull();
    expect(state.followUps.get("F5")).toMatchObject({ key: "b", reason: "replaced" });
  });

  test("moved: what was removed under the old key stays with it", () => {
    const state = after(adopted("a"), removed("a"), adopted("a"), moved("a", "b"));
    expect(state.followUps.get("F3")).toMatchObject({ key: "a", reason: "removed" });
  });

  test("removed and restored; done; adopted; dropped", () => {
    const gone = after(intent("a"), created("a"), removed("a"));
    expect(gone.keys.size).toBe(0);
    expect(gone.followUps.get("F4")).toMatchObject({ key: "a", reason: "removed" });
    const back = after(intent("a"), created("a"), removed("a"), restored("a", "F4"));
    expect([...back.keys]).toEqual([...after(intent("a"), created("a")).keys]);
    expect(back.followUps.size).toBe(0);
    expect(after(adopted("a"), removed("a"), done("F3")).followUps.size).toBe(0);
    expect(after(adopted("a")).keys.get("a")?.current).toMatchObject({
      created_at: at(2),
      settled: { how: "adopted", by: "mia", evidence: "seen on the console" },
    });
    expect(after(adopted("a"), dropped("a")).keys.size).toBe(0);
  });
});

describe("what cannot have happened changes nothing", () => {
  const current = [intent("a"), created("a")];
  const pending = [intent("a")];
  const twice = [adopted("a"), removed("a"), adopted("a")];
  test.each<[string, readonly StateEvent[], StateEvent, string]>([
    ["a second beginning", [], begun("production"), "anew"],
    ["an intent upon an intent", pending, intent("a"), "pending already"],
    ["an answer to nothing", [], created("a"), "not pending"],
    ["a second answer", current, created("a"), "not pending"],
    ["a failure of nothing", current, settledAs("failed", "a"), "not pending"],
    ["nothing not processed", [], settledAs("not-processed", "a"), "not pending"],
    ["nothing unknown", current, unknown("a"), "not pending"],
    ["nothing to resolve", current, resolved("a", "created"), "not pending"],
    ["nothing to resolve as absent", [], resolved("a", "absent"), "not pending"],
    ["a move of nothing", [], moved("a", "b"), "no record to move"],
    ["a move onto another", [...current, intent("b")], moved("a", "b"), "b has a record"],
    ["a move onto itself", current, moved("a", "a"), "has a record"],
    ["a removal of nothing", [], removed("a"), "no settled record"],
    [
      "a removal of what is pending",
      [...current, intent("a", "replace")],
      removed("a"),
      "no settled",
    ],
    ["dropping nothing", [], dropped("a"), "no settled record"],
    ["dropping what is pending", pending, dropped("a"), "no settled record"],
    ["adopting what is there", current, adopted("a"), "has a record"],
    ["a follow-up that is not there", current, done("F1"), "no open follow-up"],
    ["restoring from nothing", [], restored("a", "F1"), "no open follow-up"],
    ["restoring what is there", twice, restored("a", "F3"), "has a record"],
    ["restoring as another", twice, restored("b", "F3"), "is not b's"],
  ])("%s", (_, before, event, message) => {
    const state = after(...before);
    const snapshot = structuredClone(state.snapshot());
    const again = () => take(state, entry(state.serial + 1, event));
    expect(again).toThrow(Contradiction);
    expect(again).toThrow(message);
    expect(state.snapshot()).toEqual(snapshot);
    // Nor is anything changed that a snapshot does not show.
    expect(state.followUps.size).toBe(snapshot?.follow_ups.length);
  });

  test("a number that is not the next one, and a beginning that is none", () => {
    const state = after();
    for (const seq of [0, 1, 3]) {
      expect(() => take(state, entry(seq, intent("a")))).toThrow(Contradiction);
    }
    expect(() => take(new State(), entry(1, intent("a")))).toThrow(Contradiction);
    expect(state.serial).toBe(1);
  });
});

test("the head is of every entry, whole and in order", () => {
  const headAfter = (...entries: readonly Entry[]) =>
    entries.reduce((head, one) => link(head, one).head, "");
  const told = [begun("production"), intent("a"), created("a")].map((event, nth) =>
    entry(nth + 1, event),
  );
  const same = headAfter(...told.map((one) => structuredClone(one)));
  expect(headAfter(...told)).toBe(same);
  expect(same).toMatch(/^[0-9a-f]{16}$/);
  const others = told.flatMap((one, nth) =>
    [{ at: "then" }, { by: "asha" }, { run: "s" }, { seq: 9 }].map((change) =>
      headAfter(...told.with(nth, { ...one, ...change })),
    ),
  );
  const fewer = headAfter(...told.slice(1));
  const swapped = headAfter(...told.toReversed());
  expect(new Set([same, ...others, fewer, swapped]).size).toBe(15);
});

test("after any history, the snapshot is the state, and the schema knows both", () => {
  const key = fc.constantFrom("a", "b", "c", "__proto__");
  /** Of those that are open, or of one that is not. */
  const followUp = (state: State, nth: number) =>
    [...state.followUps.values()][nth] ?? { id: "F0", key: "a" };
  const plain: fc.Arbitrary<StateEvent> = fc.oneof(
    fc
      .tuple(key, fc.constantFrom("create" as const, "replace" as const))
      .map(([k, a]) => intent(k, a)),
    key.map(created),
    key.map(unknown),
    key.map((k) => settledAs("failed", k)),
    key.map((k) => settledAs("not-processed", k)),
    fc
      .tuple(key, fc.constantFrom("created" as const, "absent" as const))
      .map(([k, as]) => resolved(k, as)),
    fc.tuple(key, key).map(([from, to]) => moved(from, to)),
    key.map(removed),
    key.map(adopted),
    key.map(dropped),
    fc
      .tuple(key, fc.constantFrom("current" as const, "second" as const))
      .map(([k, as]) => afterAll(k, as)),
  );
  const event = fc.oneof(
    { weight: 5, arbitrary: plain.map((event) => () => event) },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 3 }).map((nth) => (state: State) => {
        const { id, key } = followUp(state, nth);
        return restored(key, id);
      }),
    },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 3 }).map((nth) => (state: State) => done(followUp(state, nth).id)),
    },
  );
  const seenKinds = new Set<string>();
  fc.assert(
    fc.property(fc.array(event, { minLength: 60, maxLength: 120 }), (events) => {
      const state = after();
      let copy = after();
      for (const happens of events) {
        const event = happens(state);
        const next = entry(state.serial + 1, event);
        const before = JSON.stringify(state.snapshot());
        try {
          take(state, next);
        } catch (error) {
          expect(error).toBeInstanceOf(Contradiction);
          expect(JSON.stringify(state.snapshot())).toBe(before);
          expect(() => take(copy, next)).toThrow(Contradiction);
          continue;
        }
        seenKinds.add(event.kind);
        expect(EntrySchema.parse(next)).toEqual(next);
        take(copy, next);
        const snapshot = state.snapshot();
        expect(copy.snapshot()).toEqual(snapshot);
        const read = SnapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)));
        expect(read).toEqual(snapshot);
        // The next event meets a state that came out of a file.
        copy = State.fromSnapshot(read);
      }
    }),
    { numRuns: 60 },
  );
  expect(seenKinds.size).toBe(13);
});
