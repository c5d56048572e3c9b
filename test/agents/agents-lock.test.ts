import { describe, expect, test } from "vitest";
import { Agents } from "../../src/project/agent-list.ts";
import { snapshotText } from "../../src/project/agents-lock.ts";

const listed = [
  {
    id: 2,
    name: "Ravi",
    eid: "02",
    follow_me_number: "+915550000001",
    calls_answered: 12,
    custom_status: 1,
  },
  { id: 1, name: "Asha", eid: "01", team_name: "Sales", departments: [{ name: "A, B", id: "1" }] },
  { id: 3, name: "Asha", eid: "00" },
];
const origin = {
  pulled_at: "2026-11-15T00:00:00.000Z",
  environment: "production",
  service: "https://telephony.example/api",
};

describe("the text of a snapshot", () => {
  const text = snapshotText(new Agents(listed, origin));

  test("is sorted and has one agent per line, without phone numbers and counters", () => {
    expect(text).toBe(`{
  "format_version": "2.0",
  "pulled_at": "2026-11-15T00:00:00.000Z",
  "environment": "production",
  "service": "https://telephony.example/api",
  "agents": [
    { "id": "3", "name": "Asha", "eid": "00", "intercom": null, "team": null, "departments": [], "blocked": false },
    { "id": "1", "name": "Asha", "eid": "01", "intercom": null, "team": "Sales", "departments": ["A, B"], "blocked": false },
    { "id": "2", "name": "Ravi", "eid": "02", "intercom": null, "team": null, "departments": [], "blocked": true }
  ]
}
`);
  });

  test("does not depend on the order of the agents", () => {
    expect(snapshotText(new Agents(listed.toReversed(), origin))).toBe(text);
  });

  test("has no address with credentials", () => {
    const agents = new Agents([], { service: "https://asha:secret@telephony.example" });
    expect(JSON.parse(snapshotText(agents))).toEqual({ format_version: "2.0", agents: [] });
  });

  test("is valid JSON for an empty list without an origin", () => {
    expect(JSON.parse(snapshotText(new Agents([])))).toEqual({ format_version: "2.0", agents: [] });
  });
});
