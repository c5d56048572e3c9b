import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { differences } from "../../../src/deploy/plan/digest.ts";
import { summaryOf } from "../../../src/deploy/plan/plan.ts";
import { digestOf } from "../../../src/deploy/plan/digest.ts";
import type { Payload } from "../../../src/schema/wire.ts";
import { History, made, payload, planFor } from "./histories.ts";
import { hintText } from "../../../src/util/suggest.ts";

const desk = payload("Front desk");
const changed = payload("Front desk", "2");

describe("each action", () => {
  test("creates a menu that is not in the state", () => {
    const { plan, actions } = planFor(new History(), { desk });
    expect(actions).toEqual(["desk create"]);
    expect(summaryOf(plan)).toMatchObject({ create: 1, unchanged: 0 });
  });

  test("does nothing for a menu that was applied", () => {
    const { plan, actions } = planFor(new History().created("desk", desk), { desk });
    expect(actions).toEqual([]);
    expect(plan.unchanged).toBe(1);
  });

  test("replaces a changed menu and lists the differences", () => {
    const { plan, actions } = planFor(new History().created("desk", desk), { desk: changed });
    expect(actions).toEqual(["desk replace"]);
    expect(plan.changes[0]).toMatchObject({
      before: { payload: desk },
      after: { payload: changed },
    });
    expect(differences(desk, changed)).toEqual([
      { field: "destination.1", before: "extension||1", after: "extension||2" },
    ]);
  });

  test("forgets a menu without a file", () => {
    expect(planFor(new History().created("desk", desk), {}).actions).toEqual(["desk forget"]);
  });

  test("moves a record with moved_from, without a create", () => {
    const history = new History().created("old", desk);
    expect(planFor(history, { desk: { payload: desk, movedFrom: "old" } }).actions).toEqual([
      "desk move",
    ]);
  });

  test("replaces a menu that is moved and changed", () => {
    const history = new History().created("old", desk);
    const { plan, actions } = planFor(history, { desk: { payload: changed, movedFrom: "old" } });
    expect(actions).toEqual(["desk replace"]);
    expect(plan.changes[0]).toMatchObject({ movedFrom: "old", before: { payload: desk } });
  });

  test("ignores moved_from with a key that is not in the state", () => {
    const { actions, codes } = planFor(new History(), {
      desk: { payload: desk, movedFrom: "old" },
    });
    expect([actions, codes]).toEqual([["desk create"], []]);
  });

  test("ignores moved_from after the move", () => {
    const history = new History()
      .created("old", desk)
      .happened({ kind: "moved", key: "desk", from: "old" });
    const { actions, codes } = planFor(history, { desk: { payload: desk, movedFrom: "old" } });
    expect([actions, codes]).toEqual([[], []]);
  });

  test("restores a forgotten menu that is back unchanged", () => {
    const history = new History().created("desk", desk).removed("desk");
    expect(planFor(history, { desk }).actions).toEqual(["desk restore"]);
  });

  test("creates a forgotten menu that is back with a change", () => {
    const history = new History().created("desk", desk).removed("desk");
    const { actions, codes } = planFor(history, { desk: changed });
    expect([actions, codes]).toEqual([["desk create"], []]);
  });

  test("creates a forgotten menu whose follow-up is done", () => {
    const history = new History()
      .created("desk", desk)
      .removed("desk")
      .happened({ kind: "done", follow_up: "F4", evidence: null });
    expect(planFor(history, { desk }).actions).toEqual(["desk create"]);
  });

  test("does not restore a record under another key", () => {
    const history = new History().created("desk", desk).removed("desk");
    const { actions, codes } = planFor(history, { other: desk });
    expect([actions, codes]).toEqual([["other create"], ["IVR614"]]);
  });

  test("sorts changes by key", () => {
    const history = new History().created("m", desk).created("z", payload("Z"));
    const files = { n: payload("N"), a: payload("A"), z: payload("Z", "3") };
    expect(planFor(history, files).actions).toEqual([
      "a create",
      "m forget",
      "n create",
      "z replace",
    ]);
  });
});

describe("rolling back", () => {
  const replaced = () => new History().created("desk", desk).created("desk", changed);
  const done = (id: string) => ({ kind: "done", follow_up: id, evidence: null }) as const;

  test("restores the replaced record if the file is as before", () => {
    const { plan, actions, codes } = planFor(replaced(), { desk });
    expect([actions, codes]).toEqual([["desk restore"], []]);
    expect(plan.changes[0]).toMatchObject({
      before: { payload: changed },
      followUp: { id: "F5", reason: "replaced" },
      after: { payload: desk },
    });
    expect(summaryOf(plan)).toMatchObject({ restore: 1, replace: 0 });
  });

  test("restores the newer record again", () => {
    const history = replaced().happened({ kind: "restored", key: "desk", follow_up: "F5" });
    expect(planFor(history, { desk }).actions).toEqual([]);
    const { plan } = planFor(history, { desk: changed });
    expect(plan.changes).toMatchObject([{ action: "restore", followUp: { id: "F6" } }]);
  });

  test("replaces a menu whose follow-up is done, or that has new content", () => {
    expect(planFor(replaced().happened(done("F5")), { desk }).actions).toEqual(["desk replace"]);
    const third = payload("Front desk", "3");
    expect(planFor(replaced(), { desk: third }).actions).toEqual(["desk replace"]);
  });

  test("chooses the newest open record with this content", () => {
    // Both follow-ups have the same content. A move changes their order in the state.
    const history = replaced().created("desk", desk).created("desk", changed);
    const followUp = (history: History, key: string) =>
      planFor(history, { [key]: desk }).plan.changes.flatMap((change) => change.followUp?.id ?? []);
    expect(followUp(history, "desk")).toEqual(["F9"]);
    history.happened({ kind: "moved", key: "new", from: "desk" });
    expect(followUp(history, "new")).toEqual(["F9"]);
    expect(followUp(history.happened(done("F9")), "new")).toEqual(["F5"]);
    expect(planFor(history.happened(done("F5")), { new: desk }).actions).toEqual(["new replace"]);
  });

  test("moves the record and restores the old one at the same time", () => {
    const { plan, actions } = planFor(replaced(), { new: { payload: desk, movedFrom: "desk" } });
    expect(actions).toEqual(["new restore"]);
    expect(plan.changes[0]).toMatchObject({
      movedFrom: "desk",
      before: { payload: changed },
      followUp: { id: "F5", key: "desk" },
    });
  });

  test("does not restore a deleted menu under the key that its successor moves to", () => {
    const history = new History().created("desk", desk).removed("desk").created("desk", changed);
    const files = { new: { payload: desk, movedFrom: "desk" } };
    expect(planFor(history, files).actions).toEqual(["new replace"]);
  });

  test("restores the content of a deleted menu over the record that came after it", () => {
    const history = new History().created("desk", desk).removed("desk").created("desk", changed);
    expect(planFor(history, { desk }).plan.changes).toMatchObject([
      { action: "restore", followUp: { id: "F4" }, before: { payload: changed } },
    ]);
  });

  test("restores a replaced record of a menu that was deleted since", () => {
    const { plan } = planFor(replaced().removed("desk"), { desk });
    expect(plan.changes).toMatchObject([{ action: "restore", followUp: { id: "F5" } }]);
    expect(plan.changes[0]?.before).toBeUndefined();
  });

  test("waits for an unknown outcome, and works after it was resolved", () => {
    const history = new History().created("desk", desk).unknown("desk", changed);
    expect(planFor(history, { desk }).actions).toEqual(["desk unknown"]);
    history.happened({ kind: "resolved", key: "desk", as: "created", evidence: null });
    expect(planFor(history, { desk }).actions).toEqual(["desk restore"]);
  });

  test("is allowed with on_change: refuse, because it creates no menu", () => {
    const { actions, codes } = planFor(replaced(), { desk: { payload: desk, refuses: true } });
    expect([actions, codes]).toEqual([["desk restore"], []]);
  });

  test("does not use a record of another key", () => {
    const history = replaced().created("other", payload("Other"));
    const { actions, codes } = planFor(history, { desk: changed, other: desk });
    expect([actions, codes]).toEqual([["other replace"], ["IVR614"]]);
  });
});

describe("a change", () => {
  const menu = payload("Menu", "1", {
    option: ["1", "2"],
    destination: ["extension||1", "extension||2"],
    sms_template: ["77", ""],
  });

  test.each<[string, Partial<Payload>]>([
    [
      "another order of options",
      {
        option: ["2", "1"],
        destination: ["extension||2", "extension||1"],
        sms_template: ["", "77"],
      },
    ],
    [
      "numbers instead of text",
      { option: [1, 2], timeout: 5, incorrect_count: 2, timeout_tries: 2 },
    ],
  ])("is not %s", (_, other) => {
    const history = new History().created("menu", menu);
    expect(planFor(history, { menu: { payload: { ...menu, ...other } } }).actions).toEqual([]);
  });

  test.each<[string, Partial<Payload>, string[]]>([
    [
      "two keys swapped",
      { option: ["2", "1"] },
      ["destination.2", "sms_template.2", "destination.1", "sms_template.1"],
    ],
    ["a leading zero", { timeout: "05" }, ["timeout"]],
    ["an SMS template", { sms_template: ["78", ""] }, ["sms_template.1"]],
    ["another extension id", { timeout_destination: "extension||8" }, ["timeout_destination"]],
    ["an undocumented field", { timeout_retries: 3 }, ["timeout_retries"]],
    [
      "another key",
      {
        option: ["1", "2", "3"],
        destination: ["extension||1", "extension||2", "extension||3"],
        sms_template: ["77", "", ""],
      },
      ["destination.3", "sms_template.3"],
    ],
  ])("is %s", (_, other, fields) => {
    const after = { ...menu, ...other };
    const history = new History().created("menu", menu);
    expect(planFor(history, { menu: { payload: after } }).actions).toEqual(["menu replace"]);
    expect(differences(menu, after).map(({ field }) => field)).toEqual(fields);
  });

  test("is the only thing that changes the digest", () => {
    const part = fc.constantFrom("1", "2", "3");
    const menus = fc
      .record({
        name: part,
        timeout: fc.oneof(part, fc.constantFrom(1, 2, 3)),
        pairs: fc.uniqueArray(fc.tuple(fc.oneof(part, fc.constantFrom(1, 2)), part), {
          selector: ([key]) => String(key),
          minLength: 1,
        }),
      })
      .map(({ name, timeout, pairs }) =>
        payload(name, "1", {
          timeout,
          option: pairs.map(([key]) => key),
          destination: pairs.map(([, eid]) => `extension||${eid}`),
        }),
      );
    fc.assert(
      fc.property(menus, menus, (a, b) => {
        expect(digestOf(a) === digestOf(b)).toBe(differences(a, b).length === 0);
      }),
    );
  });
});

describe("plans after unusual histories", () => {
  test("creates the current content of a file after a failed create", () => {
    const { plan, actions } = planFor(new History().failed("desk", desk), { desk: changed });
    expect(actions).toEqual(["desk create"]);
    expect(plan.changes[0]).toMatchObject({ after: { payload: changed } });
  });

  test("plans nothing after a failed create whose file was deleted", () => {
    expect(planFor(new History().failed("desk", desk), {}).actions).toEqual([]);
  });

  test.each([
    ["left alone", { desk }],
    ["edited", { desk: changed }],
    ["deleted", {}],
    ["made invalid", { desk: {} }],
  ])("plans nothing for an unknown outcome whose file was %s", (_, files) => {
    const { plan, actions, codes } = planFor(new History().unknown("desk", desk), files);
    expect(actions).toEqual(["desk unknown"]);
    expect(codes).toEqual([]);
    expect(plan.changes[0]).toMatchObject({ before: undefined, pending: { payload: desk } });
  });

  test("treats an intent without an outcome as unknown", () => {
    expect(planFor(new History().sent("desk", desk), { desk }).actions).toEqual(["desk unknown"]);
  });

  test("warns at moved_from if the outcome of the old key is unknown", () => {
    const history = new History().unknown("desk", desk);
    const { actions, codes, diagnostics } = planFor(history, {
      other: { payload: desk, movedFrom: "desk" },
    });
    expect(actions).toEqual(["desk unknown"]);
    expect(codes).toEqual(["IVR615"]);
    expect(diagnostics[0]).toMatchObject({ severity: "warning", file: "ivrs/other.yaml", line: 2 });
  });

  test("sends nothing for a copy of a menu with an unknown outcome, but plans others", () => {
    const history = new History().unknown("desk", desk);
    const { actions, codes } = planFor(history, { other: desk, third: payload("Third") });
    expect(actions).toEqual(["desk unknown", "third create"]);
    expect(codes).toEqual(["IVR615"]);
  });

  test("sends nothing for a menu with the same name as an unknown one", () => {
    const history = new History().unknown("desk", desk);
    const files = { desk: payload("New name"), other: payload("Front desk", "7") };
    const { actions, codes } = planFor(history, files);
    expect([actions, codes]).toEqual([["desk unknown"], ["IVR615"]]);
  });

  test("sends nothing for a menu with the same content as an unknown one", () => {
    const history = new History().created("b", payload("B")).unknown("a", desk);
    const { actions, codes } = planFor(history, { a: payload("B"), b: desk });
    expect([actions, codes]).toEqual([["a unknown"], ["IVR615"]]);
  });

  test("sends nothing for a copy of a menu whose replacement is unknown", () => {
    const history = new History().created("a", payload("One")).unknown("a", payload("Two"));
    const { actions, codes } = planFor(history, { b: payload("One") });
    expect([actions, codes]).toEqual([["a unknown"], ["IVR615"]]);
  });

  test("plans other keys if the outcome of one is unknown", () => {
    const history = new History().unknown("desk", desk).created("a", payload("A"));
    const files = { desk, a: payload("A", "5"), b: payload("B") };
    expect(planFor(history, files).actions).toEqual(["a replace", "b create", "desk unknown"]);
  });

  test("replaces a menu after an unknown replace was resolved as absent", () => {
    const history = new History().created("desk", desk).unknown("desk", changed);
    expect(planFor(history, { desk: changed }).plan.changes[0]).toMatchObject({
      action: "unknown",
      before: { payload: desk },
      pending: { payload: changed },
    });
    history.happened({ kind: "resolved", key: "desk", as: "absent", evidence: null });
    expect(planFor(history, { desk: changed }).actions).toEqual(["desk replace"]);
  });

  test("compares the file with what was sent if the outcome was resolved as created", () => {
    const history = new History().unknown("desk", desk);
    history.happened({ kind: "resolved", key: "desk", as: "created", evidence: "seen" });
    expect(planFor(history, { desk }).actions).toEqual([]);
    expect(planFor(history, { desk: changed }).actions).toEqual(["desk replace"]);
  });

  test("keeps the current record after a failed replace", () => {
    const history = new History().created("desk", desk).failed("desk", changed);
    expect(planFor(history, { desk }).actions).toEqual([]);
    expect(planFor(history, { desk: changed }).actions).toEqual(["desk replace"]);
    expect(history.state.followUps.size).toBe(0);
  });

  test("replaces two menus that swap their names", () => {
    const history = new History().created("a", payload("A")).created("b", payload("B"));
    const { actions, codes } = planFor(history, { a: payload("B"), b: payload("A") });
    expect(actions).toEqual(["a replace", "b replace"]);
    expect(codes).toEqual([]);
  });

  test("refuses two menus that swap their keys with moved_from", () => {
    const history = new History().created("a", payload("A")).created("b", payload("B"));
    const { codes } = planFor(history, {
      a: { payload: payload("B"), movedFrom: "b" },
      b: { payload: payload("A"), movedFrom: "a" },
    });
    expect(codes).toEqual(["IVR611", "IVR611"]);
  });

  test("restores either content of a key that was forgotten twice", () => {
    const history = new History()
      .created("desk", desk)
      .removed("desk")
      .created("desk", changed)
      .removed("desk");
    expect(planFor(history, { desk }).actions).toEqual(["desk restore"]);
    expect(planFor(history, { desk: changed }).actions).toEqual(["desk restore"]);
  });

  test("does not forget the record of an invalid file, or the one that it moves from", () => {
    const history = new History().created("desk", desk).created("old", payload("Old"));
    const files = { desk: {}, new: { movedFrom: "old" }, fine: payload("Fine") };
    expect(planFor(history, files, ["**"]).actions).toEqual(["fine create"]);
  });
});

describe("names", () => {
  const named = (name: string) => {
    const { naming, ...rest } = made(desk);
    return { ...rest, naming: { ...naming, recordings: { 10: name } } };
  };

  test("are updated without a change", () => {
    const history = new History().created("a", desk).created("b", payload("B"));
    history.happened({ kind: "named", key: "a", naming: named("welcome").naming });
    const { plan, actions } = planFor(history, { a: desk, b: payload("B") });
    expect(actions).toEqual([]);
    expect(plan.named).toEqual([{ key: "a", naming: made(desk).naming }]);
  });

  test("are updated with a move and a restore", () => {
    const history = new History().created("a", desk);
    history.happened({ kind: "named", key: "a", naming: named("welcome").naming });
    const moved = planFor(history, { b: { payload: desk, movedFrom: "a" } }).plan;
    expect(moved.named.map(({ key }) => key)).toEqual(["b"]);
    history.removed("a");
    expect(planFor(history, { a: desk }).plan.named.map(({ key }) => key)).toEqual(["a"]);
  });
});

test("keeps digests the same in every version", () => {
  const full = payload("Menu", "1", {
    option: ["2", 1],
    destination: ["extension||2", "extension||1"],
    sms_template: ["77", ""],
    timeout_retries: 3,
    recording_invalid: "recording||14",
  });
  expect([digestOf(desk), digestOf(full)]).toMatchInlineSnapshot(`
    [
      "6876b03efb087ed7546ffefc5cfb6e920ec7b9bd9e68050d50dfd2f25a8fc012",
      "ee00329d24b811f94e0bdeaefd3b38ae33e36c8ae81059f85bf5318f05ca95a1",
    ]
  `);
});

describe("guards", () => {
  test.each([
    ["the name", payload("Front desk", "7")],
    ["the name, with other spaces,", payload(" Front  desk", "7")],
    ["everything", desk],
  ])("refuses a create that shares %s with a key that is forgotten", (_, content) => {
    const { codes, diagnostics } = planFor(new History().created("desk", desk), { new: content });
    expect(codes).toEqual(["IVR609"]);
    expect(diagnostics[0]).toMatchObject({ file: "ivrs/new.yaml", line: 1, column: 7 });
    const hint = hintText(diagnostics[0]?.hint ?? "");
    expect(hint).toContain("moved_from: desk");
    expect(hint).toContain("ivrctl state rm desk");
  });

  test("refuses this create even if the forgotten key is not a target", () => {
    const history = new History().created("desk", desk);
    expect(planFor(history, { new: desk }, ["new"]).codes).toEqual(["IVR609"]);
    expect(planFor(history, { new: desk, other: payload("Other") }, ["other"]).codes).toEqual([]);
  });

  test("refuses a replace with on_change: refuse, and nothing else", () => {
    const history = new History().created("desk", desk);
    const refused = planFor(history, { desk: { payload: changed, refuses: true } });
    expect(refused.codes).toEqual(["IVR610"]);
    expect(refused.diagnostics[0]).toMatchObject({ line: 1, column: 1 });
    expect(planFor(history, { desk: { payload: desk, refuses: true } }).codes).toEqual([]);
    const moved = { payload: changed, refuses: true, movedFrom: "desk" };
    expect(planFor(history, { new: moved }).codes).toEqual(["IVR610"]);
    expect(planFor(history, { desk, new: { payload: payload("N"), refuses: true } }).codes).toEqual(
      [],
    );
  });

  test("refuses moved_from if both keys are in the state", () => {
    const history = new History().created("old", payload("Old")).created("desk", desk);
    const { codes, diagnostics } = planFor(history, { desk: { payload: desk, movedFrom: "old" } });
    expect(codes).toEqual(["IVR611"]);
    expect(diagnostics[0]).toMatchObject({ severity: "error", line: 2 });
  });
});

describe("targets", () => {
  const history = new History().created("gone", payload("Gone")).created("same", payload("Same"));
  const files = {
    "sales/india": payload("India"),
    "sales/uk": payload("UK"),
    support: payload("Support"),
    same: payload("Same"),
  };

  test.each([
    [["sales/*"], ["sales/india create", "sales/uk create"], 0],
    [["*"], ["gone forget", "sales/india create", "sales/uk create", "support create"], 1],
    [["s*k"], ["sales/uk create"], 0],
    [["sales?uk"], ["sales/uk create"], 0],
    [["**/uk"], ["sales/uk create"], 0],
    [["s?me", "gone"], ["gone forget"], 1],
    [["support"], ["support create"], 0],
    [["sup"], [], 0],
    [["s.me"], [], 0],
  ])("%j select %j", (targets, actions, unchanged) => {
    const planned = planFor(history, files, targets);
    expect(planned.actions).toEqual(actions);
    expect(planned.plan.unchanged).toBe(unchanged);
  });
});
