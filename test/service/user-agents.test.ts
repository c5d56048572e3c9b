import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";

const config = `version: 1
default_environment: test
rules: { zero-not-operator: off, renumbered: off }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" }
    operations: [users]
`;

/** A project whose agents are users, with this destination for key 1. */
async function projectWith(destination: string, faults: string[] = []) {
  const sandbox = await service({ operations: ["users"], faults });
  const text = menu("A").replace("Asha Rao", destination);
  expect(text).toContain(destination);
  const own = project(sandbox.url, { a: text });
  own.write("ivrctl.yaml", config);
  const asked = () => sandbox.requests.map(({ path }) => path);
  return { ...own, sandbox, asked };
}

describe("agents from the list of users", () => {
  test("are listed without teams, and only blocked and disabled users are blocked", async () => {
    const { json, asked } = await projectWith("Asha Rao");
    const { value, stderr } = await json("agents", "list");
    expect(value.agents).toHaveLength(6);
    expect(value.agents[0]).toMatchObject({
      id: "314001",
      name: "Asha Rao",
      eid: "500101",
      intercom: null,
      team: null,
      departments: ["Sales"],
      blocked: false,
    });
    expect(value.agents[4]).toMatchObject({ name: "Meera Joshi", blocked: true });
    expect(stderr).not.toContain("deprecated");
    expect(asked()).toEqual(["/v1/users", "/v1/departments"]);
  });

  test("cannot be chosen by intercom, also offline", async () => {
    const { path, run, asked } = await projectWith('{ agent: Ravi Kumar, intercom: "1003" }');
    const { exit, stdout } = await run("validate", "--live");
    expect(exit).toBe(1);
    expect(stdout).toContain("The agents are from the list of users, which has no intercoms.");
    expect(stdout).toContain("Use the name of the agent, `department:` or `eid:` instead.");
    expect(asked()).toEqual(["/v1/users", "/v1/departments"]);
    expect((await run("agents", "pull", "--env", "test")).exit).toBe(0);
    const file = join(path, "agents.lock.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      source: "users",
      environment: "test",
    });
    expect((await run("validate")).stdout).toContain("which has no intercoms.");
    writeFileSync(file, readFileSync(file, "utf8").replace('"source": "users",', ""));
    expect((await run("validate")).stdout).toContain("but not with intercom 1003.");
  });

  test("cannot be chosen by team", async () => {
    const { run } = await projectWith("{ agent: Ravi Kumar, team: Billing }");
    const { exit, stdout } = await run("validate", "--live");
    expect(exit).toBe(1);
    expect(stdout).toContain("The agents are from the list of users, which has no teams.");
    expect(stdout).toContain("Use the name of the agent, `department:` or `eid:` instead.");
  });

  test.each([
    [
      "status=403 on=departments",
      "the scope of the token does not include this operation (HTTP 403)",
    ],
    ["status=401 on=users", "the service rejected the token (HTTP 401)"],
    [
      'status=200 on=users body={"data":[{"id":7,"name":"X","agent":{}}]}',
      "the agent list is invalid: X: agent.id is missing",
    ],
    [
      'status=200 on=users body={"data":[{"id":7,"name":"X","agent":{"id":"1"}},{"id":8,"name":"Y","agent":{"id":1}}]}',
      "X: Y has the same extension id 1",
    ],
  ])("are not available with %s", async (fault, problem) => {
    const { run } = await projectWith("Asha Rao", [fault]);
    const { exit, stdout } = await run("validate", "--live");
    expect(exit).toBe(1);
    expect(stdout).toContain("IVR503");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(problem);
  });
});
