import { describe, expect, test } from "vitest";
import { matters } from "../../src/deploy/matters/matters.ts";
import { inOrder, matter } from "../../src/deploy/reasons/kinds.ts";
import { exitFor } from "../../src/deploy/reasons/matter.ts";
import { State } from "../../src/deploy/state/state.ts";

const environment = "production";
const at = "2026-03-02T09:00:00.000Z";

/** A state that was lost and begun again. */
function recovered(): State {
  const state = new State();
  const origin = { id: "x", environment, address: "https://t.example", recovered: at };
  const event = { kind: "begun", version: 8, ...origin } as const;
  state.take({ seq: 1, at, run: "", by: "", event }, "head");
  return state;
}

describe("matters", () => {
  const files = [
    { key: "a", links: ["b"], numbers: [] },
    { key: "b", links: [], numbers: [] },
  ];

  test("a lost state names the menus of the files", () => {
    const [lost, ...more] = matters({ environment, state: recovered(), files });
    expect(lost).toMatchObject({ kind: "lost", refs: ["menu:a", "menu:b"], since: at, exit: 3 });
    expect(more).toEqual([]);
  });

  test("a bind without an answer has the code of the documentation", () => {
    const facts = { key: "a", number: "+911140000001" };
    expect(matter("unknown-bind", [], facts, environment)).toMatchObject({
      code: "IVR670",
      exit: 3,
      callers: undefined,
    });
  });

  test("a state in which nothing is open needs nobody", () => {
    expect(matters({ environment, state: new State(), files })).toEqual([]);
    expect(exitFor([])).toBe(0);
  });

  test("what callers notice comes first, and the worst matter is the exit code", () => {
    const waiting = { waiting: ["a"], ids: ["b"], menus: [], isLater: false };
    const all = [
      matter("follow-up", ["old:F1"], { count: 1, isListed: false }, environment),
      matter("waiting-for-id", ["menu:a"], waiting, environment),
      matter(
        "missing",
        ["menu:c"],
        {
          menus: [{ key: "c", id: "3" }],
          list: "",
          callers: undefined,
          linking: [],
        },
        environment,
      ),
    ];
    expect(inOrder(all).map(({ kind }) => kind)).toEqual([
      "missing",
      "waiting-for-id",
      "follow-up",
    ]);
    expect(exitFor(all)).toBe(1);
  });
});
