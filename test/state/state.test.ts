import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Entry,
  EntrySchema,
  SnapshotSchema,
  type StateEvent,
} from "../../src/schema/state.ts";
import { link } from "../../src/deploy/state/entries.ts";
import { Contradiction } from "../../src/deploy/state/open-follow-ups.ts";
import { State } from "../../src/deploy/state/state.ts";
import {
  begun,
  bindIntent,
  bindOutcome,
  bindResolved,
  created,
  deleted,
  identified,
  intent,
  made,
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
const resolved = (
  key: string,
  as: "created" | "absent" | "updated" | "not-updated" | "deleted" | "not-deleted",
): StateEvent => ({
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

describe("a contradiction changes nothing", () => {
  const current = [intent("a"), created("a")];
  const pending = [intent("a")];
  const old = [...current, identified("a", "71"), intent("a", "replace"), created("a")];
  const oldDelete = { ...intent("a", "delete"), follow_up: "F1" } as StateEvent;
  const twice = [adopted("a"), removed("a"), adopted("a")];
  test.each<[string, readonly StateEvent[], StateEvent, string]>([
    ["a second `begun`", [], begun("production"), "a second time"],
    ["an intent for a pending key", pending, intent("a"), "already pending"],
    ["an answer to nothing", [], created("a"), "not pending"],
    ["a second answer", current, created("a"), "not pending"],
    ["a failure of nothing", current, settledAs("failed", "a"), "not pending"],
    ["nothing not processed", [], settledAs("not-processed", "a"), "not pending"],
    ["nothing unknown", current, unknown("a"), "not pending"],
    ["nothing to resolve", current, resolved("a", "created"), "not pending"],
    ["nothing to resolve as absent", [], resolved("a", "absent"), "not pending"],
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
      "no id to update",
    ],
    [
      "a create for a follow-up",
      [...old, oldDelete],
      { ...created("a"), follow_up: "F1" } as StateEvent,
      "does not fit",
    ],
    [
      "the outcome of a follow-up without a request",
      old,
      { ...deleted("a"), follow_up: "F1" } as StateEvent,
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
    ["the outcome of no number", current, bindOutcome("bound", "a"), "not pending"],
    [
      "the outcome of another menu's number",
      [...current, identified("a", "71"), bindIntent("a")],
      bindResolved("b", "bound"),
      "not pending",
    ],
    ["`restored` with another key", twice, restored("b", "F1"), "does not belong to b"],
  ])("%s", (_, before, event, message) => {
    const state = after(...before);
    const snapshot = structuredClone(state.snapshot());
    const again = () => take(state, entry(state.serial + 1, event));
    expect(again).toThrow(Contradiction);
    expect(again).toThrow(message);
    expect(state.snapshot()).toEqual(snapshot);
    // Parts that a snapshot does not show have not changed either.
    expect(state.followUps.size).toBe(snapshot?.follow_ups.length);
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
    entries.reduce((head, one) => link(head, one).head, "");
  const entries = [begun("production"), intent("a"), created("a")].map((event, nth) =>
    entry(nth + 1, event),
  );
  const same = headAfter(...entries.map((one) => structuredClone(one)));
  expect(headAfter(...entries)).toBe(same);
  expect(same).toMatch(/^[0-9a-f]{16}$/);
  const others = entries.flatMap((one, nth) =>
    [{ at: "then" }, { by: "asha" }, { run: "s" }, { seq: 9 }].map((change) =>
      headAfter(...entries.with(nth, { ...one, ...change })),
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
    [...state.followUps.values()][nth] ?? { id: "F0", key: "a" };
  const plain: fc.Arbitrary<StateEvent> = fc.oneof(
    fc
      .tuple(key, fc.constantFrom("create" as const, "replace" as const, "update" as const))
      .map(([k, a]) => intent(k, a)),
    key.map(created),
    key.map(unknown),
    key.map((k) => settledAs("failed", k)),
    key.map((k) => settledAs("not-processed", k)),
    fc
      .tuple(key, fc.constantFrom("created", "absent", "updated", "not-updated"))
      .map(([k, as]) => resolved(k, as)),
    fc.tuple(key, key).map(([from, to]) => moved(from, to)),
    key.map(removed),
    key.map(adopted),
    key.map((k) => identified(k, "71")),
    key.map(updated),
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
  // By chance alone, a menu with an id is seldom updated.
  const update: fc.Arbitrary<(state: State) => StateEvent> = fc.nat({ max: 3 }).map((nth) => {
    return ({ keys }: State) => {
      const [k, record] = [...keys][nth] ?? ["a", undefined];
      if (record?.pending?.action === "update") return updated(k);
      return record?.current?.identified ? intent(k, "update") : identified(k, "71");
    };
  });
  const bound = ["bound", "not-bound", "bind-unknown", "bind-resolved"] as const;
  const bind: fc.Arbitrary<(state: State) => StateEvent> = fc.nat({ max: 3 }).map((nth) => {
    return ({ keys, binds }: State) => {
      const [pending] = binds.values();
      const kind = bound[nth] ?? "bound";
      if (pending !== undefined) {
        const { key: k } = pending;
        return kind === "bind-resolved" ? bindResolved(k, "bound") : bindOutcome(kind, k);
      }
      const [k, record] = [...keys][nth] ?? ["a", undefined];
      return bindIntent(k, `ivr||${record?.current?.identified?.id}`);
    };
  });
  const deletion: fc.Arbitrary<(state: State) => StateEvent> = fc.nat({ max: 6 }).map((nth) => {
    return ({ keys, followUps }: State) => {
      const [k, record] = [...keys][nth] ?? [];
      if (k !== undefined) {
        return record?.pending?.action === "delete" ? deleted(k) : intent(k, "delete");
      }
      const old = [...followUps.values()][nth % 3];
      if (old === undefined) return identified("a", "71");
      const about = { follow_up: old.id };
      const ends = [deleted(old.key), unknown(old.key), resolved(old.key, "not-deleted")];
      const end = old.pending ? ends[nth % 3] : intent(old.key, "delete");
      return { ...end, ...about } as StateEvent;
    };
  });
  const seenKinds = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 7, arbitrary: event }, update, deletion, bind), {
        minLength: 60,
        maxLength: 120,
      }),
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
          copy = State.fromSnapshot(read);
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(seenKinds.size).toBe(21);
});
