import { describe, expect, test } from "vitest";
import { Agents } from "../../src/compile/agents.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import {
  findSnapshot,
  isSnapshotName,
  reportOtherService,
  snapshotText,
  snapshotToWrite,
} from "../../src/project/agents-lock.ts";
import { folder } from "../support/cli.ts";

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
  pulledAt: new Date("2026-11-15T00:00:00.000Z"),
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

describe("the file of a snapshot", () => {
  const list = (from: object) => JSON.stringify({ format_version: "2.0", ...from, agents: [] });

  test("is the one of the environment, then agents.lock.json", () => {
    const both = folder({ "agents.lock.json": "", "agents.staging.lock.json": "" });
    expect(findSnapshot(both, "staging")).toBe("agents.staging.lock.json");
    expect(findSnapshot(both, "production")).toBe("agents.lock.json");
    expect(findSnapshot(both, undefined)).toBe("agents.lock.json");
    expect(findSnapshot(folder({}), "staging")).toBeUndefined();
  });

  test("is recognized by its name", () => {
    const names = ["agents.lock.json", "agents.eu.west-1.lock.json", "agents..lock.json", "x.json"];
    expect(names.map(isSnapshotName)).toEqual([true, true, false, false]);
  });

  const url = "https://telephony.example";
  test.each([
    ["there is none", {}, "agents.lock.json"],
    ["it has no origin", { "agents.lock.json": list({}) }, "agents.lock.json"],
    ["it is not valid", { "agents.lock.json": "{" }, "agents.lock.json"],
    [
      "it is from the sandbox",
      { "agents.lock.json": list({ environment: "sandbox", service: "sandbox" }) },
      "agents.lock.json",
    ],
    [
      "it is from the same environment at another address",
      { "agents.lock.json": list({ environment: "production", service: "https://old.example" }) },
      "agents.lock.json",
    ],
    [
      "it is from another environment with the same service",
      { "agents.lock.json": list({ environment: "staging", service: url }) },
      "agents.lock.json",
    ],
    [
      "it is from another environment and service",
      { "agents.lock.json": list({ environment: "staging", service: "https://other.example" }) },
      "agents.production.lock.json",
    ],
    [
      "it is from another environment, and its service is unknown",
      { "agents.lock.json": list({ environment: "staging" }) },
      "agents.production.lock.json",
    ],
    [
      "the environment has its own file",
      { "agents.lock.json": list({}), "agents.production.lock.json": list({}) },
      "agents.production.lock.json",
    ],
  ])("to write: %s", (_, files, expected) => {
    expect(snapshotToWrite(folder(files), "production", url)).toBe(expected);
  });

  test("to write without an environment is agents.lock.json", () => {
    const root = folder({ "agents.lock.json": list({ environment: "staging", service: url }) });
    expect(snapshotToWrite(root, undefined, undefined)).toBe("agents.lock.json");
  });
});

describe("a list of another service", () => {
  const identity = "https://telephony.example:8443/api";
  test.each([
    ["sandbox", identity, true],
    ["sandbox", undefined, true],
    [identity, identity, false],
    [identity, undefined, false],
    ["https://telephony.example:8443", identity, true],
    ["http://telephony.example:8443/api", identity, true],
    [undefined, identity, false],
  ])("from %s, used for %s: %s", (service, used, expected) => {
    const found = new Diagnostics();
    const agents = new Agents([], { service });
    const file = "agents.lock.json";
    reportOtherService(agents, file, { environment: "production", identity: used }, found);
    expect(found.sorted().map(({ code }) => code)).toEqual(expected ? ["IVR504"] : []);
  });
});
