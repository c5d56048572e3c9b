import { describe, expect, test } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { exampleAgents } from "../../src/sandbox/agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service, token } from "../support/project.ts";

type Staff = ReturnType<typeof exampleAgents>;

/** Applies two menus, and then changes the agent list of the account. */
async function later(change: (staff: Staff) => readonly object[]) {
  const staff = exampleAgents();
  const before = await service({ agents: staff, port: await quietPort() });
  const own = project(before.url, {
    "front-desk": menu("Front desk"),
    sales: menu("Sales", "{ agent: Ravi Kumar, team: Sales }"),
  });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  const { port } = new URL(before.url);
  await before.close();
  const after = await service({ agents: change(staff), port: Number(port) });
  return { ...own, after };
}

const without = (name: string) => (staff: Staff) => staff.filter((agent) => agent.name !== name);
const changed = (name: string, change: Partial<Staff[number]>) => (staff: Staff) =>
  staff.map((agent) => (agent.name === name ? { ...agent, ...change } : agent));

describe("check", () => {
  test("reports no problems", async () => {
    const { run, json, after } = await later((staff) => staff);
    const { exit, stdout, stderr } = await run("check");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "2 menus checked, no problems.\n" });
    expect(stderr).toBe(`Environment test: ${after.url}\n`);
    expect(await json("check")).toMatchObject({
      exit: 0,
      value: {
        format_version: "1.0",
        environment: "test",
        summary: { menus: 2, findings: 0 },
        findings: [],
        diagnostics: [],
      },
    });
    expect(await run("check", "--quiet")).toEqual({ exit: 0, stdout: "", stderr: "" });
    expect(after.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("reports every menu and place with an agent who has left", async () => {
    const { run, json } = await later(without("Front Desk"));
    const { exit, stdout } = await run("check", "--quiet");
    expect(exit).toBe(1);
    expect(stdout).toBe(
      [
        "front-desk  “Front desk”",
        "  wrong key  Front Desk (extension 500104) is no longer on the agent list",
        "  silence    Front Desk (extension 500104) is no longer on the agent list",
        "",
        "sales  “Sales”",
        "  wrong key  Front Desk (extension 500104) is no longer on the agent list",
        "  silence    Front Desk (extension 500104) is no longer on the agent list",
        "",
        "4 problems in 2 of 2 menus.",
        "",
      ].join("\n"),
    );
    const said = (await run("check")).stderr;
    expect(said).toMatch(
      /\nTo see the lines to correct, and what would change for callers, run:\n {2}ivrctl plan --env test\n$/,
    );
    const { value, stderr } = await json("check");
    expect(stderr).not.toContain("ivrctl plan");
    expect(value.summary).toEqual({ menus: 2, findings: 4 });
    expect(value.findings[0]).toEqual({
      key: "front-desk",
      name: "Front desk",
      place: "invalid",
      agent: { name: "Front Desk", eid: "500104" },
      problem: "gone",
      now: null,
    });
  });

  test.each([
    [
      "blocked",
      changed("Asha Rao", { custom_status: 1 }),
      "front-desk",
      { name: "Asha Rao", eid: "500101" },
    ],
    [
      "renamed",
      changed("Asha Rao", { name: "Asha\u001b[2J Iyer" }),
      "front-desk",
      { name: "Asha\u001b[2J Iyer", eid: "500101" },
    ],
    [
      "other-eid",
      changed("Asha Rao", { eid: "777" }),
      "front-desk",
      { name: "Asha Rao", eid: "777" },
    ],
    [
      "ambiguous",
      (staff: Staff) => [...staff, { ...staff[2], eid: "888", intercom: "1" }],
      "sales",
      { name: "Ravi Kumar", eid: "500103" },
    ],
    [
      "unmeant",
      (staff: Staff) => staff.map((agent) => ({ ...agent, team_name: "Else" })),
      "sales",
      { name: "Ravi Kumar", eid: "500103" },
    ],
  ])("reports an agent: %s", async (problem, change, key, now) => {
    const { run, json } = await later(change);
    const { exit, value } = await json("check");
    expect(exit).toBe(1);
    expect(value.findings).toMatchObject([{ key, place: "key 1", problem, now }]);
    const { stdout } = await run("check");
    expect(stdout).toContain(`${key}  “`);
    expect(stdout).not.toContain("\u001b");
  });

  test("ignores other agents and other fields", async () => {
    const { run } = await later((staff) =>
      without("Meera Joshi")(staff).map((agent) => Object.assign(agent, { intercom: "9", id: 1 })),
    );
    expect((await run("check")).exit).toBe(0);
  });

  test("sends nothing if nothing has been applied", async () => {
    const { run, json } = project("http://127.0.0.1:9", { a: menu("A") });
    const { exit, stdout, stderr } = await run("check");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("Nothing has been applied to test yet.");
    expect((await json("check")).value.summary).toEqual({ menus: 0, findings: 0 });
  });

  test("fails for another account, another address or a broken service", async () => {
    const { json, run, path } = await later((staff) =>
      staff.map((agent, at) => ({ ...agent, eid: `9${at}` })),
    );
    const codes = (value: { diagnostics: { code: string }[] }) =>
      value.diagnostics.map(({ code }) => code);
    const other = await json("check");
    expect({ exit: other.exit, codes: codes(other.value) }).toEqual({ exit: 1, codes: ["IVR607"] });
    await run("state", "rebind", "--to", "https://new.example", "--evidence", "x");
    expect(codes((await json("check")).value)).toEqual(["IVR606"]);
    await run("state", "rebind", "--to", "http://127.0.0.1:9", "--evidence", "x");
    const failing = await ivrctl(["check", "--format", "json"], {
      cwd: path,
      env: { BASE_URL: "http://127.0.0.1:9", TOKEN: token },
    });
    expect(failing.exit).toBe(1);
    expect(codes(JSON.parse(failing.stdout))).toEqual(["IVR503"]);
    expect(failing.stdout + failing.stderr).not.toContain(token);
  });

  test("reads the list from a file with --agents, and names unknown outcomes", async () => {
    const { url } = await service({ faults: ["cut name=B"] });
    const { run, write } = project(url, { a: menu("A"), b: menu("B") });
    expect((await run("apply", "--auto-approve")).exit).toBe(3);
    write("list.json", JSON.stringify(changed("Asha Rao", { custom_status: 1 })(exampleAgents())));
    const { exit, stdout, stderr } = await run("check", "--agents", "list.json");
    expect(exit).toBe(1);
    expect(stdout).toContain("key 1  Asha Rao is blocked and gets no calls");
    expect(stdout).toContain("1 problem in 1 of 1 menu.");
    expect(stderr).toContain("The outcome of b is unknown");
    expect(stderr).not.toContain("Environment");
  });
});
