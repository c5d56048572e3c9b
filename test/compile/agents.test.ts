import { describe, expect, test } from "vitest";
import { Agents, fromListed, distinguishingFields } from "../../src/compile/agents.ts";
import { nearest } from "../../src/util/nearest.ts";

describe("an agent as listed", () => {
  test("may have numbers as ids, null or missing fields, and a status as text or number", () => {
    expect(fromListed({ id: 7, name: "A", eid: 42, custom_status: 1, departments: null })).toEqual({
      id: "7",
      name: "A",
      eid: "42",
      intercom: null,
      team: null,
      departments: [],
      blocked: true,
    });
    expect(fromListed({ name: "B", custom_status: "1" }).blocked).toBe(true);
    expect(fromListed({ name: "B", custom_status: "0" }).blocked).toBe(false);
    expect(fromListed({ name: "B", custom_status: null }).blocked).toBe(false);
    expect(fromListed({ name: "B", blocked: true }).blocked).toBe(true);
  });

  test("may have departments as names or as objects with names", () => {
    const listed = { name: "A", departments: ["Sales", { name: "Support", id: "3" }, { id: "4" }] };
    expect(fromListed(listed).departments).toEqual(["Sales", "Support"]);
  });
});

describe("finding agents", () => {
  const agents = new Agents([
    { id: 1, name: "Asha Rao", eid: "01", intercom: "1001", team_name: "Sales" },
    { id: 2, name: "Asha  Rao ", eid: "1", intercom: "1002", team_name: "Support" },
  ]);

  test("ignores white space in names and compares ids exactly", () => {
    expect(agents.find({ agent: " Asha Rao" })).toHaveLength(2);
    expect(agents.find({ agent: "asha rao" })).toEqual([]);
    expect(agents.find({ eid: "1" }).map(({ id }) => id)).toEqual(["2"]);
    expect(agents.find({ eid: "01", team: "Support" })).toEqual([]);
  });

  test("returns the same object as in the list", () => {
    expect(agents.find({ intercom: "1002" })[0]).toBe(agents.list[1]);
  });

  test("finds the fields that distinguish agents", () => {
    expect(distinguishingFields(agents.list)).toEqual(["team", "intercom", "eid", "id"]);
  });
});

describe("the nearest names", () => {
  test.each([
    ["optoins", ["options", "owner"], ["options"]],
    ["asha rao", ["Asha Rao", "Ravi"], ["Asha Rao"]],
    ["Rao Asha", ["Asha Rao", "Ravi"], ["Asha Rao"]],
    ["Asha", ["Asha Rao", "Asha Iyer", "Ravi"], ["Asha Iyer", "Asha Rao"]],
    ["still there", ["still-there", "goodbye"], ["still-there"]],
    ["zzzzzz", ["options"], []],
  ])("are found for %j among %j", (word, known, expected) => {
    expect(nearest(word, known)).toEqual(expected);
  });
});
