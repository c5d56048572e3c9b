import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { differences } from "../../../src/deploy/plan/digest.ts";
import { summaryOf } from "../../../src/deploy/plan/plan.ts";
import { digestOf } from "../../../src/deploy/plan/digest.ts";
import type { Payload } from "../../../src/schema/wire.ts";
import { History, made, payload, planFor } from "./histories.ts";

const desk = payload("Front desk");
const changed = payload("Front desk", "2");

describe("each action", () => {
  test("a menu that the state does not know is created", () => {
    const { plan, told } = planFor(new History(), { desk });
    expect(told).toEqual(["desk create"]);
    expect(summaryOf(plan)).toMatchObject({ create: 1, unchanged: 0 });
  });

  test("what was applied is unchanged", () => {
    const { plan, told } = planFor(new History().created("desk", desk), { desk });
    expect(told).toEqual([]);
    expect(plan.unchanged).toBe(1);
  });

  test("a changed menu is replaced, and says what differs", () => {
    const { plan, told } = planFor(new History().created("desk", desk), { desk: changed });
    expect(told).toEqual(["desk replace"]);
    expect(plan.changes[0]).toMatchObject({
      before: { payload: desk },
      after: { payload: changed },
    });
    expect(differences(desk, changed)).toEqual([
      { field: "destination.1", before: "extension||1", after: "extension||2" },
    ]);
  });

  test("a menu without a file is forgotten", () => {
    expect(planFor(new History().created("desk", desk), {}).told).toEqual(["desk forget"]);
  });

  test("moved_from carries the record over, without a create", () => {
    const history = new History().created("old", desk);
    expect(planFor(history, { desk: { payload: desk, movedFrom: "old" } }).told).toEqual([
      "desk move",
    ]);
  });

  test("moved_from with a change is a replace that carries the record over", () => {
    const history = new History().created("old", desk);
    const { plan, told } = planFor(history, { desk: { payload: changed, movedFrom: "old" } });
    expect(told).toEqual(["desk replace"]);
    expect(plan.changes[0]).toMatchObject({ movedFrom: "old", before: { payload: desk } });
  });

  test("moved_from of a key that the state does not know has no effect", () => {
    const { told, codes } = planFor(new History(), { desk: { payload: desk, movedFrom: "old" } });
    expect([told, codes]).toEqual([["desk create"], []]);
  });

  test("moved_from stays without effect once the move is done", () => {
    const history = new History()
      .created("old", desk)
      .happened({ kind: "moved", key: "desk", from: "old" });
    const { told, codes } = planFor(history, { desk: { payload: desk, movedFrom: "old" } });
    expect([told, codes]).toEqual([[], []]);
  });

  test("a forgotten menu that is back unchanged is restored", () => {
    const history = new History().created("desk", desk).removed("desk");
    expect(planFor(history, { desk }).told).toEqual(["desk restore"]);
  });

  test("a forgotten menu that is back with a change is created", () => {
    const history = new History().created("desk", desk).removed("desk");
    const { told, codes } = planFor(history, { desk: changed });
    expect([told, codes]).toEqual([["desk create"], []]);
  });

  test("a forgotten menu whose follow-up is struck is created", () => {
    const history = new History()
      .created("desk", desk)
      .removed("desk")
      .happened({ kind: "done", follow_up: "F4", evidence: null });
    expect(planFor(history, { desk }).told).toEqual(["desk create"]);
  });

  test("a record under another key is not restored: that needs moved_from", () => {
    const history = new History().created("desk", desk).removed("desk");
    const { told, codes } = planFor(history, { other: desk });
    expect([told, codes]).toEqual([["other create"], ["IVR614"]]);
  });

  test("changes are sorted by key", () => {
    const history = new History().created("m", desk).created("z", payload("Z"));
    const files = { n: payload("N"), a: payload("A"), z: payload("Z", "3") };
    expect(planFor(history, files).told).toEqual(["a create", "m forget", "n create", "z replace"]);
  });
});

describe("what counts as a change", () => {
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
  ])("%s does not", (_, other) => {
    const history = new History().created("menu", menu);
    expect(planFor(history, { menu: { payload: { ...menu, ...other } } }).told).toEqual([]);
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
    ["a tolerated field", { timeout_retries: 3 }, ["timeout_retries"]],
    [
      "a key more",
      {
        option: ["1", "2", "3"],
        destination: ["extension||1", "extension||2", "extension||3"],
        sms_template: ["77", "", ""],
      },
      ["destination.3", "sms_template.3"],
    ],
  ])("%s does", (_, other, fields) => {
    const after = { ...menu, ...other };
    const history = new History().created("menu", menu);
    expect(planFor(history, { menu: { payload: after } }).told).toEqual(["menu replace"]);
    expect(differences(menu, after).map(({ field }) => field)).toEqual(fields);
  });

  test("the digest follows the differences, whatever the payloads", () => {
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

describe("awkward histories", () => {
  test("a failed create, then an edited menu: a create of what the file says now", () => {
    const { plan, told } = planFor(new History().failed("desk", desk), { desk: changed });
    expect(told).toEqual(["desk create"]);
    expect(plan.changes[0]).toMatchObject({ after: { payload: changed } });
  });

  test("a failed create, then the file removed: nothing is left of it", () => {
    expect(planFor(new History().failed("desk", desk), {}).told).toEqual([]);
  });

  test.each([
    ["left alone", { desk }, "same"],
    ["edited", { desk: changed }, "changed"],
    ["removed", {}, "gone"],
    ["broken", { desk: {} }, "changed"],
  ])("unknown, then the file %s: nothing for it, and what was sent is told", (_, files, file) => {
    const { plan, told, codes } = planFor(new History().unknown("desk", desk), files);
    expect(told).toEqual(["desk unknown"]);
    expect(codes).toEqual([]);
    expect(plan.changes[0]).toMatchObject({ file, before: null, pending: { payload: desk } });
  });

  test("a crash between intent and outcome is unknown too", () => {
    expect(planFor(new History().sent("desk", desk), { desk }).told).toEqual(["desk unknown"]);
  });

  test("unknown, then the file moved: the new key waits, and that is told at moved_from", () => {
    const history = new History().unknown("desk", desk);
    const { told, codes, diagnostics } = planFor(history, {
      other: { payload: desk, movedFrom: "desk" },
    });
    expect(told).toEqual(["desk unknown"]);
    expect(codes).toEqual(["IVR615"]);
    expect(diagnostics[0]).toMatchObject({ severity: "warning", file: "ivrs/other.yaml", line: 2 });
  });

  test("unknown, then the file moved without a word: the second menu waits, others do not", () => {
    const history = new History().unknown("desk", desk);
    const { told, codes } = planFor(history, { other: desk, third: payload("Third") });
    expect(told).toEqual(["desk unknown", "third create"]);
    expect(codes).toEqual(["IVR615"]);
  });

  test("unknown, renamed in its file, its old name taken by another: that one waits", () => {
    const history = new History().unknown("desk", desk);
    const files = { desk: payload("New name"), other: payload("Front desk", "7") };
    const { told, codes } = planFor(history, files);
    expect([told, codes]).toEqual([["desk unknown"], ["IVR615"]]);
  });

  test("unknown, then its content swapped with another menu's: the same is not sent again", () => {
    const history = new History().created("b", payload("B")).unknown("a", desk);
    const { told, codes } = planFor(history, { a: payload("B"), b: desk });
    expect([told, codes]).toEqual([["a unknown"], ["IVR615"]]);
  });

  test("an unknown replace whose file is gone: what was there before may not come twice", () => {
    const history = new History().created("a", payload("One")).unknown("a", payload("Two"));
    const { told, codes } = planFor(history, { b: payload("One") });
    expect([told, codes]).toEqual([["a unknown"], ["IVR615"]]);
  });

  test("the other keys go ahead beside an unknown one", () => {
    const history = new History().unknown("desk", desk).created("a", payload("A"));
    const files = { desk, a: payload("A", "5"), b: payload("B") };
    expect(planFor(history, files).told).toEqual(["a replace", "b create", "desk unknown"]);
  });

  test("unknown over a current: resolved as absent, it is a replace again", () => {
    const history = new History().created("desk", desk).unknown("desk", changed);
    expect(planFor(history, { desk: changed }).plan.changes[0]).toMatchObject({
      action: "unknown",
      before: { payload: desk },
      pending: { payload: changed },
    });
    history.happened({ kind: "resolved", key: "desk", as: "absent", evidence: null });
    expect(planFor(history, { desk: changed }).told).toEqual(["desk replace"]);
  });

  test("resolved as created records what was sent, not what the file says now", () => {
    const history = new History().unknown("desk", desk);
    history.happened({ kind: "resolved", key: "desk", as: "created", evidence: "seen" });
    expect(planFor(history, { desk }).told).toEqual([]);
    expect(planFor(history, { desk: changed }).told).toEqual(["desk replace"]);
  });

  test("a failed replace leaves current as it was", () => {
    const history = new History().created("desk", desk).failed("desk", changed);
    expect(planFor(history, { desk }).told).toEqual([]);
    expect(planFor(history, { desk: changed }).told).toEqual(["desk replace"]);
    expect(history.state.followUps.size).toBe(0);
  });

  test("a replace reverted is a replace back, with a warning that names the follow-up", () => {
    const history = new History().created("desk", desk).created("desk", changed);
    const { told, codes, diagnostics, plan } = planFor(history, { desk });
    expect(told).toEqual(["desk replace"]);
    expect(codes).toEqual(["IVR614"]);
    expect(diagnostics[0]?.message).toContain("F5");
    expect(plan.followUps).toMatchObject([{ id: "F5", key: "desk", reason: "replaced" }]);
  });

  test("two menus that swap names are two replaces", () => {
    const history = new History().created("a", payload("A")).created("b", payload("B"));
    const { told, codes } = planFor(history, { a: payload("B"), b: payload("A") });
    expect(told).toEqual(["a replace", "b replace"]);
    expect(codes).toEqual([]);
  });

  test("two menus that swap files, each with moved_from, are refused: both keys are there", () => {
    const history = new History().created("a", payload("A")).created("b", payload("B"));
    const { codes } = planFor(history, {
      a: { payload: payload("B"), movedFrom: "b" },
      b: { payload: payload("A"), movedFrom: "a" },
    });
    expect(codes).toEqual(["IVR611", "IVR611"]);
  });

  test("a key forgotten, created anew, forgotten again: either content is restored", () => {
    const history = new History()
      .created("desk", desk)
      .removed("desk")
      .created("desk", changed)
      .removed("desk");
    expect(planFor(history, { desk }).told).toEqual(["desk restore"]);
    expect(planFor(history, { desk: changed }).told).toEqual(["desk restore"]);
  });

  test("a file at fault keeps its record from being forgotten, and what it moves from too", () => {
    const history = new History().created("desk", desk).created("old", payload("Old"));
    const files = { desk: {}, new: { movedFrom: "old" }, fine: payload("Fine") };
    expect(planFor(history, files, ["**"]).told).toEqual(["fine create"]);
  });
});

describe("names", () => {
  const named = (name: string) => {
    const { naming, ...rest } = made(desk);
    return { ...rest, naming: { ...naming, recordings: { 10: name } } };
  };

  test("that have changed are brought up to date, and are no change", () => {
    const history = new History().created("a", desk).created("b", payload("B"));
    history.happened({ kind: "named", key: "a", naming: named("welcome").naming });
    const { plan, told } = planFor(history, { a: desk, b: payload("B") });
    expect(told).toEqual([]);
    expect(plan.named).toEqual([{ key: "a", naming: made(desk).naming }]);
  });

  test("go along with a move and a restore", () => {
    const history = new History().created("a", desk);
    history.happened({ kind: "named", key: "a", naming: named("welcome").naming });
    const moved = planFor(history, { b: { payload: desk, movedFrom: "a" } }).plan;
    expect(moved.named.map(({ key }) => key)).toEqual(["b"]);
    history.removed("a");
    expect(planFor(history, { a: desk }).plan.named.map(({ key }) => key)).toEqual(["a"]);
  });
});

test("what a digest stands for does not change from one version to the next", () => {
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
    ["the name, spaced otherwise", payload(" Front  desk", "7")],
    ["everything", desk],
  ])("a create that shares %s with a key being forgotten is an error at its name", (_, content) => {
    const { codes, diagnostics } = planFor(new History().created("desk", desk), { new: content });
    expect(codes).toEqual(["IVR609"]);
    expect(diagnostics[0]).toMatchObject({ file: "ivrs/new.yaml", line: 1, column: 7 });
    expect(diagnostics[0]?.hint).toContain("moved_from: desk");
    expect(diagnostics[0]?.hint).toContain("ivrctl state forget desk");
  });

  test("also where a target leaves the forgotten key out", () => {
    const history = new History().created("desk", desk);
    expect(planFor(history, { new: desk }, ["new"]).codes).toEqual(["IVR609"]);
    expect(planFor(history, { new: desk, other: payload("Other") }, ["other"]).codes).toEqual([]);
  });

  test("on_change: refuse makes a replace an error at the menu, and nothing else", () => {
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

  test("both keys in the state: an error at moved_from", () => {
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
    [["*"], ["gone forget", "support create"], 1],
    [["**"], ["gone forget", "sales/india create", "sales/uk create", "support create"], 1],
    [["**/uk"], ["sales/uk create"], 0],
    [["s?me", "gone"], ["gone forget"], 1],
    [["support"], ["support create"], 0],
    [["sup"], [], 0],
    [["s.me"], [], 0],
  ])("%j narrows to %j", (targets, told, unchanged) => {
    const planned = planFor(history, files, targets);
    expect(planned.told).toEqual(told);
    expect(planned.plan.unchanged).toBe(unchanged);
  });
});
