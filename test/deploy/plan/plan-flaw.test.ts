import { expect, test } from "vitest";
import type { Change, Plan } from "../../../src/deploy/plan/plan.ts";
import { flawOf } from "../../../src/deploy/plan/plan-flaw.ts";
import { History, payload, planFor } from "./histories.ts";

const desk = payload("Front desk");
const night = payload("Night");

/** A plan with a change of each kind. */
function planned() {
  const history = new History()
    .created("old", desk)
    .created("gone", payload("Gone"))
    .created("same", payload("Same"))
    .created("was", payload("Was"))
    .created("replaced", payload("Replaced"))
    .created("back", night)
    .removed("back")
    .created("undone", desk)
    .created("undone", night)
    .created("before", desk)
    .created("before", night)
    .unknown("open", payload("Open"));
  const { plan } = planFor(history, {
    new: payload("New"),
    desk: { payload: desk, movedFrom: "old" },
    is: { payload: payload("Is"), movedFrom: "was" },
    same: payload("Same"),
    replaced: payload("Replaced", "2"),
    back: night,
    undone: desk,
    renamed: { payload: desk, movedFrom: "before" },
    open: payload("Open"),
  });
  const of = (key: string): Change => {
    const found = plan.changes.find((change) => change.key === key);
    if (found === undefined) throw new Error(`there is no change of ${key}`);
    return found;
  };
  return { plan, of, state: history.state };
}

test("finds no flaw in a plan that ivrctl plan made", () => {
  const { plan, state } = planned();
  expect(plan.changes.map(({ action }) => action).sort()).toEqual([
    "create",
    "forget",
    "move",
    "replace",
    "replace",
    "restore",
    "restore",
    "restore",
    "unknown",
  ]);
  expect(flawOf(plan, state)).toBeUndefined();
});

const naming = { agents: [], recordings: {}, purposes: {} };
type Forge = (plan: Plan, of: (key: string) => Change) => Partial<Plan>;

test.each<[string, Forge]>([
  ...["new", "replaced", "desk", "is", "gone", "back", "undone", "renamed", "open"].map(
    (key): [string, Forge] => [
      `the change of ${key} twice`,
      ({ changes }, of) => ({ changes: [...changes, of(key)] }),
    ],
  ),
  [
    "a key that is moved and forgotten",
    ({ changes }, of) => ({
      changes: [...changes, { ...of("gone"), key: "old" }],
    }),
  ],
  [
    "a key that is moved twice",
    ({ changes }, of) => ({ changes: [...changes, { ...of("desk"), key: "other" }] }),
  ],
  [
    "a key that is moved away and created",
    ({ changes }, of) => ({ changes: [...changes, { ...of("new"), key: "old" }] }),
  ],
  [
    "a follow-up that is restored under another key",
    ({ changes }, of) => ({ changes: [...changes, { ...of("back"), key: "other" }] }),
  ],
  [
    "a restore over a record that the plan does not mention",
    (_, of) => {
      const change = of("undone");
      if (change.action !== "restore") throw new Error("expected a restore");
      const { before: _before, ...rest } = change;
      return { changes: [rest] };
    },
  ],
  [
    "a restore over another record",
    (_, of) => {
      const change = of("undone");
      if (change.action !== "restore" || !change.before) throw new Error("expected a restore");
      return { changes: [{ ...change, before: { ...change.before, created_at: "" } }] };
    },
  ],
  [
    "a restore of other content",
    (_, of) => {
      const change = of("undone");
      const create = of("new");
      if (change.action !== "restore" || create.action !== "create")
        throw new Error("expected both");
      return { changes: [{ ...change, after: create.after, name: create.name }] };
    },
  ],
  ["two names for a key", () => ({ named: [1, 2].map(() => ({ key: "same", naming })) })],
  ["two names for a moved key", () => ({ named: [1, 2].map(() => ({ key: "desk", naming })) })],
  ["a name for a key that is replaced", () => ({ named: [{ key: "replaced", naming }] })],
  ["a name for a key that is forgotten", () => ({ named: [{ key: "gone", naming }] })],
  ["a name for a key without a record", () => ({ named: [{ key: "missing", naming }] })],
  ["a name for a key with an unknown outcome", () => ({ named: [{ key: "open", naming }] })],
  [
    "a create of a key in the state",
    ({ changes }, of) => ({ changes: [...changes, { ...of("new"), key: "same" }] }),
  ],
  [
    "a replace of a key that is not in the state",
    ({ changes }, of) => ({ changes: [...changes, { ...of("replaced"), key: "no" }] }),
  ],
  [
    "a digest that does not match the payload",
    (_, of) => {
      const change = of("new");
      if (change.action !== "create") throw new Error("expected a create");
      return { changes: [{ ...change, after: { ...change.after, digest: "other" } }] };
    },
  ],
])("finds a flaw: %s", (_, forge) => {
  const { plan, of, state } = planned();
  expect(flawOf({ ...plan, ...forge(plan, of) }, state)).toEqual(expect.any(String));
});
