import { describe, expect, test } from "vitest";
import { fromListed } from "../../src/compile/agents.ts";
import { snapshotText } from "../../src/project/agents-lock.ts";

describe("the snapshot", () => {
  const agents = [
    {
      id: 2,
      name: "Ravi",
      eid: "02",
      follow_me_number: "+915550000001",
      calls_answered: 12,
      custom_status: 1,
    },
    {
      id: 1,
      name: "Asha",
      eid: "01",
      team_name: "Sales",
      departments: [{ name: "A, B", id: "1" }],
    },
    { id: 3, name: "Asha", eid: "00" },
  ].map(fromListed);
  const text = snapshotText(agents, {
    pulledAt: "2026-11-15T00:00:00.000Z",
    service: "telephony.example",
  });

  test("is sorted and has one agent per line, without phone numbers and counters", () => {
    expect(text).toBe(`{
  "format_version": "1.0",
  "pulled_at": "2026-11-15T00:00:00.000Z",
  "service": "telephony.example",
  "agents": [
    { "id": "3", "name": "Asha", "eid": "00", "intercom": null, "team": null, "departments": [], "blocked": false },
    { "id": "1", "name": "Asha", "eid": "01", "intercom": null, "team": "Sales", "departments": ["A, B"], "blocked": false },
    { "id": "2", "name": "Ravi", "eid": "02", "intercom": null, "team": null, "departments": [], "blocked": true }
  ]
}
`);
  });

  test("does not depend on the order of the agents", () => {
    const reversed = agents.toReversed();
    expect(
      snapshotText(reversed, {
        pulledAt: "2026-11-15T00:00:00.000Z",
        service: "telephony.example",
      }),
    ).toBe(text);
  });

  test("is valid JSON for an empty list", () => {
    const empty = snapshotText([], { pulledAt: "x", service: "y" });
    expect(JSON.parse(empty).agents).toEqual([]);
  });
});
