import { describe, expect, test } from "vitest";
import { fromListed } from "../../src/project/agent-list.ts";

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
