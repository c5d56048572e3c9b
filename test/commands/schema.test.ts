import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod/mini";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { runs } from "../support/runs.ts";
import { strictAjv } from "../support/strict-ajv.ts";

const root = join(import.meta.dirname, "../..");
const committed = (subject: string) =>
  readFileSync(join(root, `schema/${subject}.schema.json`), "utf8");

const Failed = z.strictObject({
  format_version: z.literal("1.0"),
  diagnostics: z.array(z.looseObject({ code: z.string(), file: z.string() })),
});

/** Returns the file and code of each problem in the JSON. */
function found(stdout: string): string[] {
  return Failed.parse(JSON.parse(stdout)).diagnostics.map(({ code, file }) => `${file} ${code}`);
}

/** Returns a function that checks YAML with this schema. */
function validatorOf(schema: string): (text: string) => boolean {
  const validate = strictAjv().compile(z.looseObject({}).parse(JSON.parse(schema)));
  return (text) => validate(parse(text));
}

describe("schema without a project", () => {
  test.each([
    ["menu", ["schema"]],
    ["menu", ["schema", "menu"]],
    ["config", ["schema", "config"]],
    ["config", ["schema", "config", "--format", "json"]],
  ])("prints the committed schema of a %s: ivrctl %j", async (subject, args) => {
    const { exit, stdout, stderr } = await ivrctl(args, { cwd: folder({}) });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toBe(committed(subject));
  });

  test.each([
    [["schema", "menus"], "There is no schema `menus`. Use menu, config, test or defaults."],
    [["schema", "menu", "config"], "Unexpected argument `config`."],
    [["schema", "--agents", "agents.json"], "Add `--with-agents`."],
    [["schema", "--format", "yaml"], "The only choice is json."],
  ])("refuses ivrctl %j", async (args, message) => {
    const { exit, stdout, stderr } = await ivrctl(args, { cwd: folder({}) });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("refuses --with-agents", async () => {
    const { exit, stdout, stderr } = await ivrctl(["schema", "--with-agents"], { cwd: folder({}) });
    expect(exit).toBe(1);
    expect(found(stdout)).toEqual(["ivrctl.yaml IVR126"]);
    expect(stderr).toContain("error[IVR126]");
  });
});

describe("schema --with-agents", () => {
  test("accepts known names and marks others", async () => {
    const cwd = exampleProject();
    const { exit, stdout, stderr } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const accepts = validatorOf(stdout);
    expect(accepts(readFileSync(join(cwd, "ivrs/example.yaml"), "utf8"))).toBe(true);
    expect(accepts("{ name: X, options: { 1: अनिल देशपांडे } }")).toBe(true);
    expect(accepts("{ name: X, options: { 1: Asha Roa } }")).toBe(false);
    expect(accepts("{ name: X, options: { 1: { team: Night shift } } }")).toBe(false);
    expect(accepts("{ name: X, options: { 1: { department: Night shift } } }")).toBe(true);
    expect(accepts("{ name: X, recording: goodby }")).toBe(false);
  });

  test("accepts known names in the defaults of the configuration and marks others", async () => {
    const cwd = exampleProject();
    const { stdout } = await ivrctl(["schema", "config", "--with-agents"], { cwd });
    const config = (agent: string) =>
      `{ version: 1, environments: {}, defaults: { invalid: { destination: ${agent} } } }`;
    const accepts = validatorOf(stdout);
    expect(accepts(readFileSync(join(cwd, "ivrctl.yaml"), "utf8"))).toBe(true);
    expect(accepts(config("Front Desk"))).toBe(true);
    expect(accepts(config("Front Dsk"))).toBe(false);
  });

  test("accepts the aliases of all environments, even if no environment is chosen", async () => {
    const cwd = exampleProject({
      "ivrctl.yaml": `
version: 1
recordings: { welcome: 1 }
environments:
  a: { recordings: { only-in-a: 2 }, sms_templates: { link: 3 } }
  b: { service: { base_url: "\${UNSET}", token: "\${UNSET}" }, recordings: { only-in-b: "\${UNSET}" } }
`,
    });
    const { exit, stdout } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect(exit).toBe(0);
    const accepts = validatorOf(stdout);
    for (const recording of ["welcome", "only-in-a", "only-in-b"]) {
      expect(accepts(`{ name: X, recording: ${recording} }`)).toBe(true);
    }
    expect(accepts("{ name: X, recording: goodbye }")).toBe(false);
    expect(accepts("{ name: X, options: { 1: { eid: 1, sms: link } } }")).toBe(true);
  });

  test("--agents accepts the array of the service, and trims the names in it", async () => {
    const cwd = exampleProject();
    const agents = folder({
      "list.json": JSON.stringify([
        { name: " Zoë  Quinn ", eid: 1, team_name: "Night" },
        { name: "Ravi", eid: 2, departments: [{ name: "Sales" }] },
        { name: null, eid: 3 },
      ]),
    });
    const { exit, stdout } = await ivrctl(
      ["schema", "--with-agents", "--agents", join(agents, "list.json")],
      { cwd },
    );
    expect(exit).toBe(0);
    const accepts = validatorOf(stdout);
    expect(accepts("{ name: X, options: { 1: Zoë Quinn } }")).toBe(true);
    expect(accepts("{ name: X, options: { 1: { team: Night } } }")).toBe(true);
    expect(accepts("{ name: X, options: { 1: Asha Rao } }")).toBe(false);
  });

  test("has the agents of the environment", async () => {
    const cwd = exampleProject({
      "agents.sandbox.lock.json": '[{ "name": "Zoë Quinn", "eid": "1" }]',
    });
    const of = async (env: string) =>
      (await ivrctl(["schema", "--with-agents", "--env", env], { cwd })).stdout;
    expect(await of("sandbox")).toContain("Zoë Quinn");
    expect(await of("production")).not.toContain("Zoë Quinn");
  });

  test("works with invalid menus, because the schema helps to fix them", async () => {
    const cwd = exampleProject({ "ivrs/broken.yaml": "name: [", "ivrs/other.yml": "name: X" });
    const { exit, stderr } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  });

  test("reports a missing agent list", async () => {
    const cwd = exampleProject();
    rmSync(join(cwd, "agents.lock.json"));
    const { exit, stdout, stderr } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect(exit).toBe(1);
    expect(found(stdout)).toEqual(["agents.lock.json IVR311"]);
    expect(stderr).toContain("error[IVR311]");
  });

  test("reports that the file of --agents does not exist", async () => {
    const cwd = exampleProject();
    const { exit, stdout } = await ivrctl(["schema", "--with-agents", "--agents", "no.json"], {
      cwd,
    });
    expect(exit).toBe(1);
    expect(found(stdout)).toEqual(["no.json IVR123"]);
  });

  test("reports problems of the configuration and of the agent list together", async () => {
    const cwd = exampleProject({
      "ivrctl.yaml": "version: 1\ncolour: red\nenvironments: {}\n",
      "agents.lock.json": "[{]",
    });
    const { exit, stdout, stderr } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect(exit).toBe(1);
    expect(found(stdout)).toEqual(["agents.lock.json IVR501", "ivrctl.yaml IVR201"]);
    expect(stderr).toContain("2 errors");
  });

  test("writes each of many names once, and validators can use the schema", async () => {
    const count = runs(50_000);
    const cwd = exampleProject({
      "agents.lock.json": JSON.stringify(
        Array.from({ length: count }, (_, number) => ({
          name: `Agent ${number}`,
          eid: String(number),
          team_name: `Team ${number % 400}`,
        })),
      ),
    });
    const { exit, stdout } = await ivrctl(["schema", "--with-agents"], { cwd });
    expect(exit).toBe(0);
    expect(stdout.split(`"Agent ${count - 1}"`)).toHaveLength(2);
    expect(stdout.match(/"Team 399"/g)).toHaveLength(1);
    const accepts = validatorOf(stdout);
    expect(accepts(`{ name: X, options: { 1: Agent ${count - 1} } }`)).toBe(true);
    expect(accepts(`{ name: X, options: { 1: Agent ${count} } }`)).toBe(false);
  });
});
