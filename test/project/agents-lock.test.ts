import { describe, expect, test } from "vitest";
import { Agents } from "../../src/compile/agents.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { readConfig } from "../../src/project/config.ts";
import {
  findSnapshot,
  isSnapshotName,
  reportOtherService,
  snapshotText,
  snapshotToWrite,
} from "../../src/project/agents-lock.ts";
import { TextFiles } from "../../src/project/text-files.ts";
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
    const both = new TextFiles({ "agents.lock.json": "", "agents.staging.lock.json": "" });
    expect(findSnapshot(both, "staging")).toBe("agents.staging.lock.json");
    expect(findSnapshot(both, "production")).toBe("agents.lock.json");
    expect(findSnapshot(both, undefined)).toBe("agents.lock.json");
    expect(findSnapshot(new TextFiles({}), "staging")).toBeUndefined();
  });

  test("is recognized by its name", () => {
    const names = ["agents.lock.json", "agents.eu.west-1.lock.json", "agents..lock.json", "x.json"];
    expect(names.map(isSnapshotName)).toEqual([true, true, false, false]);
  });

  const service = "{ service: { base_url: https://telephony.example, token: '${T}' } }";
  const config = (head: string, names: readonly string[]) => {
    const environments = names.map((name) => `  ${name}: ${service}\n`).join("");
    const text = `version: 1\n${head}environments:\n  sandbox: { service: sandbox }\n${environments}`;
    const read = readConfig(new Source("ivrctl.yaml", text), new Diagnostics());
    if (read === undefined) throw new Error("The configuration must be valid.");
    return read;
  };
  const both = ["production", "staging"];
  test.each([
    ["the only real environment", "", ["production"], {}, "agents.lock.json"],
    ["the default environment", "default_environment: production\n", both, {}, "agents.lock.json"],
    ["one of several", "default_environment: staging\n", both, {}, "agents.production.lock.json"],
    [
      "an environment that has its own file",
      "",
      ["production"],
      { "agents.production.lock.json": list({}) },
      "agents.production.lock.json",
    ],
  ])("to write for %s", (_, head, names, files, expected) => {
    // What was pulled before does not matter.
    for (const old of [{}, { "agents.lock.json": list({ environment: "staging" }) }]) {
      const root = folder({ ...files, ...old });
      expect(snapshotToWrite(root, "production", config(head, names))).toBe(expected);
    }
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
