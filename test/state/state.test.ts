import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Entry,
  EntrySchema,
  SnapshotSchema,
  type StateEvent,
} from "../../src/schema/state.ts";
import { link } from "../../src/deploy/state/entries.ts";
import { Contradiction, outcomeEvent } from "../../src/deploy/state/records.ts";
import { State } from "../../src/deploy/state/state.ts";
import { recordsOf, openFollowUps } from "../../src/deploy/state/view.ts";
import {
  begun,
  bindIntent,
  bindOutcome,
  created,
  deleted,
  failed,
  identified,
  intent,
  made,
  replaced,
  unknown,
  updated,
} from "./events.ts";

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
/** What a person says about a request. */
const resolved = (key: string, as: "done" | "not-done", intent = 2): StateEvent =>
  outcomeEvent({ intent, key, action: "create" }, { how: "person", as, evidence: "ticket 7" });

describe("a contradiction changes nothing", () => {
  const current = [intent("a"), created("a")];
  const pending = [intent("a")];
  const old = [...current, identified("a", "71"), intent("a", "replace"), replaced("a", 5)];
  const oldDelete = { ...intent("a", "delete"), follow_up: "F1" } as StateEvent;
  const twice = [adopted("a"), removed("a"), adopted("a")];
  test.each<[string, readonly StateEvent[], StateEvent, string]>([
    ["a second `begun`", [], begun("production"), "a second time"],
    ["an intent for a pending key", pending, intent("a"), "already pending"],
    ["an answer to nothing", [], created("a"), "not pending"],
    ["a second answer", current, created("a"), "not pending"],
    ["a failure of nothing", current, failed("a"), "not pending"],
    ["nothing unknown", current, unknown("a"), "not pending"],
    ["nothing to resolve", current, resolved("a", "done"), "not pending"],
    ["an answer to an earlier request", [...current, intent("b")], created("b"), "not pending"],
    ["an answer with the number of another menu", [intent("a")], created("b"), "not pending"],
    ["a move of nothing", [], moved("a", "b"), "no record to move"],
    [
      "a move to a key with a record",
      [...current, intent("b")],
      moved("a", "b"),
      "b already has a record",
    ],
    ["a move onto itself", current, moved("a", "a"), "has a record"],
    ["a removal without a record", [], removed("a"), "no confirmed record"],
    [
      "a removal of a pending key",
      [...current, intent("a", "replace")],
      removed("a"),
      "no confirmed",
    ],
    ["`dropped` without a record", [], dropped("a"), "no confirmed record"],
    ["`dropped` for a pending key", pending, dropped("a"), "no confirmed record"],
    ["`adopted` for a key with a record", current, adopted("a"), "has a record"],
    ["a follow-up that is not open", current, done("F1"), "is not open"],
    ["`restored` without a follow-up", [], restored("a", "F1"), "is not open"],
    [
      "`restored` for a pending key",
      [...twice, intent("a", "replace")],
      restored("a", "F1"),
      "pending",
    ],
    [
      "restoring what is done",
      [...twice, done("F1")],
      restored("a", "F1"),
      "follow-up F1 is not open",
    ],
    ["a delete of a menu without an id", current, intent("a", "delete"), "no id"],
    ["a delete that is no answer to an update", pending, deleted("a"), "does not fit"],
    ["a delete of a follow-up twice", [...old, oldDelete], oldDelete, "already pending"],
    [
      "an update of a follow-up",
      old,
      { ...intent("a", "update"), follow_up: "F1" } as StateEvent,
      "can only be deleted",
    ],
    [
      "a create for a follow-up",
      [...old, oldDelete],
      { ...created("a", 7), follow_up: "F1" } as StateEvent,
      "does not fit",
    ],
    [
      "the outcome of a follow-up without a request",
      old,
      { ...deleted("a", 7), follow_up: "F1" } as StateEvent,
      "not pending",
    ],
    ["restoring what may be deleted", [...old, oldDelete], restored("a", "F1"), "is pending"],
    ["an update of a menu without an id", current, intent("a", "update"), "no id"],
    ["the outcome of an update for a create", pending, updated("a"), "does not fit"],
    ["an id without a record", pending, identified("a", "71"), "no confirmed record"],
    ["an id of a follow-up that is not open", current, identified("a", "71", "F1"), "not open"],
    ["an id with another key", twice, identified("b", "71", "F1"), "does not belong to b"],
    ["a number for a menu without an id", current, bindIntent("a"), "is not the menu"],
    [
      "a number for another id",
      [...current, identified("a", "72")],
      bindIntent("a"),
      "is not the menu",
    ],
    [
      "a number that is pending",
      [...current, identified("a", "71"), bindIntent("a")],
      bindIntent("a"),
      "already pending",
    ],
    ["the outcome of no number", current, bindOutcome("done", "a", 4), "not pending"],
    [
      "the outcome of another menu's number",
      [...current, identified("a", "71"), bindIntent("a")],
      bindOutcome("done", "b", 5),
      "does not fit",
    ],
    ["`restored` with another key", twice, restored("b", "F1"), "does not belong to b"],
  ])("%s", (_, before, event, message) => {
    const state = after(...before);
    const snapshot = structuredClone(state.snapshot());
    const again = () => take(state, entry(state.serial + 1, event));
    expect(again).toThrow(Contradiction);
    expect(again).toThrow(message);
    expect(state.snapshot()).toEqual(snapshot);
  });

  test("refuses a wrong number, and a first event that is not `begun`", () => {
    const state = after();
    for (const seq of [0, 1, 3]) {
      expect(() => take(state, entry(seq, intent("a")))).toThrow(Contradiction);
    }
    expect(() => take(new State(), entry(1, intent("a")))).toThrow(Contradiction);
    expect(state.serial).toBe(1);
  });
});

test("the head depends on every byte of every entry, and on their order", () => {
  const headAfter = (...entries: readonly Entry[]) =>
    entries.reduce((head, item) => link(head, item).head, "");
  const entries = [begun("production"), intent("a"), created("a")].map((event, nth) =>
    entry(nth + 1, event),
  );
  const same = headAfter(...entries.map((item) => structuredClone(item)));
  expect(headAfter(...entries)).toBe(same);
  expect(same).toMatch(/^[0-9a-f]{16}$/);
  const others = entries.flatMap((item, nth) =>
    [{ at: "then" }, { by: "asha" }, { run: "s" }, { seq: 9 }].map((change) =>
      headAfter(...entries.with(nth, { ...item, ...change })),
    ),
  );
  const fewer = headAfter(...entries.slice(1));
  const swapped = headAfter(...entries.toReversed());
  expect(new Set([same, ...others, fewer, swapped]).size).toBe(15);
});

test("after any history, the snapshot equals the state and matches the schema", () => {
  const key = fc.constantFrom("a", "b", "c", "__proto__");
  /** An open follow-up, or one that does not exist. */
  const followUp = (state: State, nth: number) =>
    openFollowUps(state)[nth] ?? { id: "F0", key: "a" };
  const plain: fc.Arbitrary<StateEvent> = fc.oneof(
    fc
      .tuple(key, fc.constantFrom("create" as const, "replace" as const, "update" as const))
      .map(([k, a]) => intent(k, a)),
    // Almost never the outcome of an open request, so nearly all of them are refused.
    fc.tuple(key, fc.nat({ max: 9 })).map(([k, intent]) => created(k, intent)),
    fc.tuple(key, key).map(([from, to]) => moved(from, to)),
    key.map(removed),
    key.map(adopted),
    key.map((k) => identified(k, "71")),
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
    {
      weight: 1,
      arbitrary: fc.nat({ max: 3 }).map((nth) => (state: State) => {
        const { id, key } = followUp(state, nth);
        return identified(key, "72", id);
      }),
    },
  );
  /** The outcome of an open request. */
  const outcome = fc
    .tuple(fc.nat({ max: 9 }), fc.constantFrom("done", "not-done", "unknown"), fc.boolean())
    .map(([nth, as, isAnswer]) => ({ records }: State): StateEvent => {
      const open = [...records.values()].flatMap(({ pending }) => pending ?? []);
      const request = open[nth % Math.max(open.length, 1)];
      if (request === undefined) return created("a");
      return isAnswer || as === "unknown"
        ? outcomeEvent(request, { how: "answer", as, status: 200, message: "" })
        : outcomeEvent(request, { how: nth % 2 ? "person" : "list", as, evidence: null });
    });
  // By chance alone, a menu with an id is seldom updated, deleted or bound.
  const withId = fc.nat({ max: 9 }).map((nth) => (state: State): StateEvent => {
    const { key: k, current } = recordsOf(state, "menu")[nth % 3] ?? {};
    const old = openFollowUps(state)[nth % 3];
    if (nth === 9 && old) {
      return { ...intent(old.key, "delete"), follow_up: old.id } as StateEvent;
    }
    if (k === undefined) return identified("a", "71");
    const id = current?.identified?.id;
    if (id === undefined) return identified(k, "71");
    return nth < 3 ? bindIntent(k, id) : intent(k, nth < 6 ? "update" : "delete");
  });
  const seenNumber = fc
    .tuple(key, fc.constantFrom("bound", "not-bound"))
    .map(([k, as]) => (state: State): StateEvent => {
      const { number = "+91", current } = recordsOf(state, "number")[0] ?? {};
      return { kind: "number-seen", key: current?.key ?? k, number, as, evidence: null };
    });
  const seenKinds = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 7, arbitrary: event },
          { weight: 4, arbitrary: outcome },
          withId,
          seenNumber,
        ),
        {
          minLength: 60,
          maxLength: 120,
        },
      ),
      (events) => {
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
          // Continue with a state that was read from a snapshot.
          copy = new State(read);
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(seenKinds.size).toBe(11);
});
