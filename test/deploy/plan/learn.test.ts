import { describe, expect, test } from "vitest";
import { learn, stateAfter } from "../../../src/deploy/plan/learn.ts";
import { LiveMenus } from "../../../src/deploy/plan/live.ts";
import type { LiveMenu } from "../../../src/deploy/service/live-menu.ts";
import { State } from "../../../src/deploy/state/state.ts";
import type { StateEvent } from "../../../src/schema/state.ts";
import { begun, created, identified, intent, made, unknown } from "../state/events.ts";

const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;
const at = "2026-01-01T18:05:00.000Z";

/** A menu as the service lists it, with the content that `made` sends. */
function listed(id: string, name: string, description = ""): LiveMenu {
  const { payload } = made(name);
  return {
    id,
    name,
    fields: { name, description, recording: payload.recording, timeout: "5" },
    destinations: {},
    options: [
      {
        key: "1",
        destination: { type: "", id: payload.destination[0] ?? "" },
        smsTemplate: "0",
        webhook: "0",
      },
    ],
  };
}

function after(...events: readonly StateEvent[]): State {
  const state = new State();
  for (const event of [begun("production"), ...events]) {
    state.take({ seq: state.serial + 1, at, run: "r", by: "mia", event }, "");
  }
  return state;
}

function lessonOf(state: State, menus: readonly LiveMenu[], unreadable = 0) {
  const records = Array.from({ length: unreadable }, () => ({
    id: null,
    name: null,
    problem: "?",
  }));
  return learn(state, new LiveMenus(menus, records, settings, at)).events.map((event) =>
    event.kind === "identified"
      ? `${event.key} is ${event.id}`
      : event.kind === "resolved"
        ? `${event.key} ${event.as}`
        : event.kind,
  );
}

describe("an unknown create", () => {
  const sent = (...before: string[]) => after(intent("a", "create", "A", before), unknown("a"));

  test("is created if the list has exactly one new menu with its name and content", () => {
    expect(lessonOf(sent("7"), [listed("7", "A"), listed("8", "A")])).toEqual([
      "a created",
      "a is 8",
    ]);
  });

  test.each([
    ["no menu has the name", sent(), [listed("8", "B")]],
    ["the only one was there before", sent("8"), [listed("8", "A")]],
    ["two are new", sent(), [listed("8", "A"), listed("9", "A")]],
    ["the new one has other content", sent(), [listed("8", "A", "Other")]],
    [
      "nothing is known about what was there before",
      after(intent("a", "create", "A")),
      [listed("8", "A")],
    ],
    [
      "another record has the menu",
      after(
        intent("b", "create", "A"),
        created("b"),
        identified("b", "8"),
        intent("a", "create", "A", []),
      ),
      [listed("8", "A")],
    ],
    [
      "it may be the menu of another record",
      after(intent("b", "create", "A", []), created("b"), intent("a", "create", "A", [])),
      [listed("8", "A")],
    ],
  ])("stays unknown if %s", (_, state, menus) => {
    expect(lessonOf(state, menus)).toEqual([]);
  });

  test("stays unknown if a record of the list cannot be read", () => {
    expect(lessonOf(sent(), [listed("8", "A")], 1)).toEqual([]);
  });
});

describe("an unknown update", () => {
  const sent = after(
    intent("a", "create", "A"),
    created("a"),
    identified("a", "8"),
    intent("a", "update", "B"),
    unknown("a"),
  );

  test.each([
    ["the new content", [listed("8", "B")], ["a updated"]],
    ["the old content", [listed("8", "A")], ["a not-updated"]],
    ["other content", [listed("8", "C")], ["a not-updated"]],
    ["nothing", [listed("9", "B")], []],
  ])("is decided by the list, which has %s", (_, menus, expected) => {
    expect(lessonOf(sent, menus)).toEqual(expected);
  });
});

describe("an unknown delete", () => {
  const onRecord = (key: string, id: string) => [
    intent(key, "create", key),
    created(key),
    identified(key, id),
  ];
  const both = [...onRecord("A", "8"), ...onRecord("B", "9")];
  const sent = after(...both, intent("A", "delete", "A"), unknown("A"));

  test.each([
    ["only the other menu", [listed("9", "B")], ["A deleted"]],
    ["both menus", [listed("8", "A"), listed("9", "B")], ["A not-deleted"]],
    ["the menu with other content", [listed("8", "C"), listed("9", "B")], []],
    ["neither of them, so that it may be cut off", [listed("10", "C")], []],
  ])("is decided by the list, which has %s", (_, menus, expected) => {
    expect(lessonOf(sent, menus)).toEqual(expected);
  });

  test("stays unknown if the list lacks the menu of a follow-up, so that it may be cut off", () => {
    const state = after(...both, { kind: "removed", key: "B" }, intent("A", "delete", "A"));
    expect(lessonOf(state, [])).toEqual([]);
    expect(lessonOf(state, [listed("9", "B")])).toEqual(["A deleted"]);
  });

  test("does not keep another one from being decided", () => {
    const two = after(...both, intent("A", "delete", "A"), intent("B", "delete", "B"));
    expect(lessonOf(two, [])).toEqual(["A deleted", "B deleted"]);
  });

  test("stays unknown if a record of the list cannot be read", () => {
    expect(lessonOf(sent, [listed("9", "B")], 1)).toEqual([]);
  });
});

describe("the id of a menu on record", () => {
  test("is that of the only menu with its name and content", () => {
    const state = after(intent("a", "create", "A"), created("a"));
    expect(lessonOf(state, [listed("7", "A", "Other"), listed("8", "A")])).toEqual(["a is 8"]);
    expect(lessonOf(state, [listed("7", "A"), listed("8", "A")])).toEqual([]);
    expect(lessonOf(state, [listed("7", "A", "Other")])).toEqual([]);
  });

  test("is found for a follow-up, too", () => {
    const state = after(
      intent("a", "create", "A"),
      created("a"),
      intent("a", "replace", "B"),
      created("a"),
    );
    const live = new LiveMenus([listed("7", "A"), listed("8", "B")], [], settings, at);
    const { keys, followUps, serial } = stateAfter(state, learn(state, live).events, at);
    expect(keys.get("a")?.current?.identified?.id).toBe("8");
    expect(followUps.get("F5")?.record.identified?.id).toBe("7");
    expect(serial).toBe(state.serial);
  });
});
