import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Entry,
  EntrySchema,
  SnapshotSchema,
  type StateEvent,
} from "../../../src/schema/state.ts";
import { link } from "../../../src/deploy/state/entries.ts";
import { Contradiction } from "../../../src/deploy/state/open-follow-ups.ts";
import { State } from "../../../src/deploy/state/state.ts";
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

describe("the effect of each event", () => {
  test("`begun` and `rebound` set the address", () => {
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

  test("an intent makes the key pending from the time it was written", () => {
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

  test("`created` makes the record current", () => {
    expect(after(intent("a"), created("a")).keys.get("a")).toEqual({
      current: {
        ...made("a"),
        created_at: at(3),
        settled: { how: "answered", status: 200, message: "ok" },
      },
      pending: null,
    });
  });

  test("`created` after a replace turns the old record into a follow-up", () => {
    const state = after(intent("a"), created("a"), intent("a", "replace", "new"), created("a"));
    expect(state.keys.get("a")?.current?.payload.name).toBe("new");
    expect([...state.followUps.values()]).toMatchObject([
      { id: "F5", key: "a", reason: "replaced", created_at: at(5), record: { ...made("a") } },
    ]);
  });

  test.each(["failed", "not-processed"] as const)(
    "`%s` restores the record from before the intent",
    (kind) => {
      expect(after(intent("a"), settledAs(kind, "a")).keys.has("a")).toBe(false);
      const before = after(intent("a"), created("a"));
      const state = after(intent("a"), created("a"), intent("a", "replace"), settledAs(kind, "a"));
      expect([...state.keys]).toEqual([...before.keys]);
      expect(state.followUps.size).toBe(0);
    },
  );

  test("`unknown` keeps the key pending, with the answer and the end of the period", () => {
    expect(after(intent("a"), unknown("a")).keys.get("a")).toMatchObject({
      current: null,
      pending: { sent_at: at(2), until: at(3), seen: { status: null, message: "no answer" } },
    });
  });

  test("`resolved` makes the record current from the time it was sent, or removes it", () => {
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

  test("`moved` moves the record with its pending and replaced parts", () => {
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

  test("`moved` leaves follow-ups of a deleted file with the old key", () => {
    const state = after(adopted("a"), removed("a"), adopted("a"), moved("a", "b"));
    expect(state.followUps.get("F3")).toMatchObject({ key: "a", reason: "removed" });
  });

  test("`removed`, `restored`, `done`, `adopted` and `dropped` change records and follow-ups", () => {
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

test("`restored` swaps the record of a key with an older one, and back", () => {
  const replaced = [intent("a"), created("a"), intent("a", "replace", "new"), created("a")];
  const back = after(...replaced, restored("a", "F5"));
  expect(back.keys.get("a")).toEqual(after(intent("a"), created("a")).keys.get("a"));
  expect([...back.followUps.values()]).toEqual([
    {
      id: "F6",
      key: "a",
      reason: "replaced",
      created_at: at(6),
      record: after(...replaced).keys.get("a")?.current,
    },
  ]);
  const forth = after(...replaced, restored("a", "F5"), restored("a", "F6"));
  expect([...forth.keys]).toEqual([...after(...replaced).keys]);
  expect([...forth.followUps.keys()]).toEqual(["F7"]);
});

describe("the id of a menu", () => {
  const learned = (id: string, seq: number) => ({
    id,
    how: "person",
    evidence: "read on the console",
    at: at(seq),
    by: "mia",
  });

  test("belongs to the record: a move keeps it, a replacement has none, and a restore brings it back", () => {
    const known = [intent("a"), created("a"), identified("a", "71"), moved("a", "b")];
    expect(after(...known).keys.get("b")?.current?.identified).toEqual(learned("71", 4));
    const replaced = [...known, intent("b", "replace", "new"), created("b")];
    expect(after(...replaced).keys.get("b")?.current).not.toHaveProperty("identified");
    expect(after(...replaced).followUps.get("F7")?.record.identified?.id).toBe("71");
    const back = after(...replaced, restored("b", "F7"));
    expect(back.keys.get("b")?.current?.identified?.id).toBe("71");
    expect(back.followUps.get("F8")?.record).not.toHaveProperty("identified");
  });

  test("is found with the ids that were listed before the create, which are not needed afterwards", () => {
    const sent = [intent("a", "create", "a", ["5", "6"]), created("a")];
    expect(after(...sent).keys.get("a")?.current?.listed).toEqual(["5", "6"]);
    const known = after(...sent, identified("a", "71"));
    expect(known.keys.get("a")?.current).not.toHaveProperty("listed");
  });

  test("stays after an update, which opens no follow-up", () => {
    const known = [intent("a"), created("a"), identified("a", "71")];
    const pending = [...known, intent("a", "update", "new")];
    expect(after(...pending).keys.get("a")).toMatchObject({
      current: { payload: { name: "a" }, identified: { id: "71" } },
      pending: { payload: { name: "new" }, action: "update" },
    });
    for (const end of [updated("a"), resolved("a", "updated")]) {
      const state = after(...pending, unknown("a"), end);
      expect(state.keys.get("a")).toMatchObject({
        current: {
          payload: { name: "new" },
          identified: { id: "71" },
          created_at: at(3),
        },
        pending: null,
      });
      expect(state.keys.get("a")?.current?.updated_at).toBeDefined();
      expect(state.followUps.size).toBe(0);
    }
    const state = after(...pending, resolved("a", "not-updated"));
    expect(state.keys.get("a")).toMatchObject({
      current: { payload: { name: "a" } },
      pending: null,
    });
  });

  test("can be recorded for a follow-up, for a menu whose replacement is pending, and again", () => {
    const replaced = [adopted("a"), intent("a", "replace"), created("a")];
    const state = after(...replaced, identified("a", "71", "F4"), identified("a", "72", "F4"));
    expect(state.followUps.get("F4")?.record.identified).toEqual(learned("72", 6));
    expect(state.keys.get("a")?.current).not.toHaveProperty("identified");
    const pending = after(adopted("a"), intent("a", "replace"), identified("a", "71"));
    expect(pending.keys.get("a")).toMatchObject({
      current: { identified: { id: "71" } },
      pending: { action: "replace" },
    });
  });
});

describe("a phone number", () => {
  const number = "+912241234567";
  const named = (key: string): StateEvent => {
    const naming = { ...made(key).naming, numbers: [number, "+912241234568"] };
    return { kind: "named", key, naming };
  };
  const current = [intent("a"), created("a"), named("a"), identified("a", "71")];

  test("is pending from its intent to its outcome, also after a move of its menu", () => {
    const sent = after(...current, bindIntent("a"), moved("a", "b"));
    expect(sent.binds.get(number)).toMatchObject({ key: "b", id: "901", seen: null });
    const open = after(...current, bindIntent("a"), bindOutcome("bind-unknown", "a"));
    expect(open.binds.get(number)?.seen).toEqual({ status: null, message: "" });
    for (const end of [
      bindOutcome("bound", "a"),
      bindOutcome("not-bound", "a"),
      bindResolved("a", "bound"),
      bindResolved("a", "not-bound"),
    ]) {
      const ended = after(...current, bindIntent("a"), end);
      expect([ended.binds.size, ended.snapshot()]).toEqual([
        0,
        expect.not.objectContaining({ binds: [] }),
      ]);
    }
  });

  test("keeps what it was bound to, also if only a list denies it, until a person does", () => {
    const bound = (...events: readonly StateEvent[]) =>
      after(...current, bindIntent("a"), ...events).bound.get(number);
    const once = { key: "a", number, id: "901", to: ["ivr||71"], former: [null] };
    expect(bound(bindOutcome("bound", "a"))).toEqual(once);
    expect(bound(bindResolved("a", "not-bound"))).toEqual(once);
    expect(bound(bindOutcome("not-bound", "a"))).toBeUndefined();
    expect(bound(bindResolved("a", "not-bound", "person"))).toBeUndefined();
    const denied = bindResolved("a", "not-bound", "person");
    expect(bound(bindOutcome("bound", "a"), denied)).toBeUndefined();
    expect(bound(bindOutcome("bound", "a"), moved("a", "b"))?.key).toBe("b");
    const again = [bindOutcome("bound", "a"), identified("a", "72"), bindIntent("a", "ivr||72")];
    expect(bound(...again, bindOutcome("bound", "a"))).toMatchObject({
      to: ["ivr||72"],
      former: [null, "ivr||71"],
    });
    expect(bound(...again, bindResolved("a", "not-bound"))).toMatchObject({
      to: ["ivr||71", "ivr||72"],
      former: [null],
    });
  });

  test("that is bound to a new menu does not belong to the old one any more", () => {
    const replaced = [...current, intent("a", "replace"), created("a"), identified("a", "71")];
    const numbersOf = (...events: readonly StateEvent[]) =>
      after(...replaced, bindIntent("a"), ...events).followUps.get("F7")?.record.naming.numbers;
    expect(numbersOf(bindOutcome("not-bound", "a"))).toEqual([number, "+912241234568"]);
    expect(numbersOf(bindOutcome("bound", "a"))).toEqual(["+912241234568"]);
    expect(numbersOf(bindResolved("a", "bound"))).toEqual(["+912241234568"]);
  });
});

describe("a delete", () => {
  const known = [intent("a"), created("a"), identified("a", "71")];
  const sent = [...known, intent("a", "delete")];

  test("keeps the record until its outcome is known", () => {
    expect(after(...sent, unknown("a")).keys.get("a")).toMatchObject({
      current: { identified: { id: "71" } },
      pending: { action: "delete", seen: { message: "no answer" } },
    });
  });

  test.each([
    ["deleted", deleted("a"), false],
    ["resolved as deleted", resolved("a", "deleted"), false],
    ["resolved as not deleted", resolved("a", "not-deleted"), true],
    ["failed", settledAs("failed", "a"), true],
    ["not processed", settledAs("not-processed", "a"), true],
  ])("that is %s", (_, event, remains) => {
    const state = after(...sent, event);
    expect(state.keys.get("a")).toEqual(remains ? after(...known).keys.get("a") : undefined);
    expect(state.followUps.size).toBe(0);
  });

  test("can be about the menu of a follow-up, and not about the record of its key", () => {
    const replaced = [...known, intent("a", "replace"), created("a")];
    const about = (event: StateEvent) => ({ ...event, follow_up: "F6" }) as StateEvent;
    const pending = [...replaced, about(intent("a", "delete")), about(unknown("a"))];
    expect(after(...pending).followUps.get("F6")?.pending).toMatchObject({ action: "delete" });
    for (const event of [deleted("a"), resolved("a", "deleted")]) {
      expect(after(...pending, about(event)).followUps.size).toBe(0);
    }
    for (const event of [resolved("a", "not-deleted"), settledAs("failed", "a")]) {
      const state = after(...pending, about(event));
      expect(state.followUps).toEqual(after(...replaced).followUps);
      expect(state.keys).toEqual(after(...replaced).keys);
    }
    // A person can say that it is done.
    expect(after(...pending, done("F6")).followUps.size).toBe(0);
  });
});

describe("a contradiction changes nothing", () => {
  const current = [intent("a"), created("a")];
  const pending = [intent("a")];
  const old = [...current, identified("a", "71"), intent("a", "replace"), created("a")];
  const oldDelete = { ...intent("a", "delete"), follow_up: "F6" } as StateEvent;
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
      restored("a", "F3"),
      "pending",
    ],
    [
      "restoring what is done",
      [...twice, done("F3")],
      restored("a", "F3"),
      "follow-up F3 is not open",
    ],
    ["a delete of a menu without an id", current, intent("a", "delete"), "no id"],
    ["a delete that is no answer to an update", pending, deleted("a"), "does not fit"],
    ["a delete of a follow-up twice", [...old, oldDelete], oldDelete, "already pending"],
    [
      "an update of a follow-up",
      old,
      { ...intent("a", "update"), follow_up: "F6" } as StateEvent,
      "no id to update",
    ],
    [
      "a create for a follow-up",
      [...old, oldDelete],
      { ...created("a"), follow_up: "F6" } as StateEvent,
      "does not fit",
    ],
    [
      "the outcome of a follow-up without a request",
      old,
      { ...deleted("a"), follow_up: "F6" } as StateEvent,
      "not pending",
    ],
    ["restoring what may be deleted", [...old, oldDelete], restored("a", "F6"), "is pending"],
    ["an update of a menu without an id", current, intent("a", "update"), "no id"],
    ["the outcome of an update for a create", pending, updated("a"), "does not fit"],
    ["an id without a record", pending, identified("a", "71"), "no confirmed record"],
    ["an id of a follow-up that is not open", current, identified("a", "71", "F1"), "not open"],
    ["an id with another key", twice, identified("b", "71", "F3"), "does not belong to b"],
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
    ["`restored` with another key", twice, restored("b", "F3"), "does not belong to b"],
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
