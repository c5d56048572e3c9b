import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { desk, deskProject } from "../support/desk-project.ts";
import { menu, project, service } from "../support/project.ts";

const root = join(import.meta.dirname, "../..");

describe("the example project", () => {
  test("follows every rule", async () => {
    const { exit, stdout } = await ivrctl(["validate", "--quiet"], { cwd: exampleProject() });
    expect([exit, stdout]).toEqual([0, ""]);
  });
});

describe("a problem that a rule reports", () => {
  const text = desk("{ 1: Asha Rao, 9: Front Desk }");

  test("has the name of the rule in text, GitHub annotations and SARIF, but not in JSON", async () => {
    const cwd = deskProject("", text);
    const shown = await ivrctl(["validate"], { cwd });
    expect(shown.stdout).toContain("warning[IVR703 zero-not-operator]: Key 0 is not an option");
    expect(shown.stdout).toContain("note[IVR704 reserved-key]: Callers expect 9 to end the call");
    expect(shown.stdout).toMatch(/\n1 warning, 1 note\n2 menus are valid/);
    expect(shown.stderr).toBe("");
    expect(shown.exit).toBe(0);
    const github = await ivrctl(["validate", "--format", "github"], { cwd });
    expect(github.stdout).toMatch(
      /^::warning file=ivrs\/desk.yaml,.*title=IVR703 zero-not-operator::/m,
    );
    expect(github.stdout).toMatch(/^::notice file=ivrs\/desk.yaml,.*title=IVR704 reserved-key::/m);
    const sarif = JSON.parse((await ivrctl(["validate", "--format", "sarif"], { cwd })).stdout);
    expect(sarif.runs[0].tool.driver.rules).toMatchObject([
      { id: "IVR703", name: "zero-not-operator", defaultConfiguration: { level: "warning" } },
      { id: "IVR704", name: "reserved-key", defaultConfiguration: { level: "note" } },
    ]);
    expect(sarif.runs[0].results).toMatchObject([
      { ruleId: "IVR703", ruleIndex: 0, level: "warning" },
      { ruleId: "IVR704", ruleIndex: 1, level: "note" },
    ]);
    const json = JSON.parse((await ivrctl(["validate", "--format", "json"], { cwd })).stdout);
    expect(Object.keys(json)).toEqual(["format_version", "diagnostics"]);
    expect(json.diagnostics[1]).toEqual({
      code: "IVR704",
      severity: "info",
      message: "Callers expect 9 to end the call.",
      file: "ivrs/desk.yaml",
      line: 4,
      column: 25,
      endLine: 4,
      endColumn: 26,
      hint: expect.any(String),
    });
  });

  test("stops compile and plan if it is an error; plan shows warnings and omits notes", async () => {
    const cwd = deskProject("rules: { reserved-key: error }\n", text);
    expect((await ivrctl(["compile"], { cwd })).exit).toBe(1);
    const plan = await ivrctl(["plan"], { cwd });
    expect([plan.exit, plan.stderr]).toEqual([1, expect.stringContaining("IVR704 reserved-key")]);
    const lower = deskProject("", text);
    const planned = await ivrctl(["plan"], { cwd: lower });
    expect(planned.exit).toBe(0);
    expect(planned.stderr).toContain("IVR703 zero-not-operator");
    expect(planned.stderr).not.toContain("IVR704");
    const markdown = await ivrctl(["plan", "--format", "markdown"], { cwd: lower });
    expect(markdown.stdout).toContain("<b>warning</b> IVR703 <code>zero-not-operator</code>");
  });
});

describe("an ignored blocked agent", () => {
  const staff = (...blocked: string[]) =>
    ["Asha Rao", "Front Desk", "Meera Joshi"].map((name, index) => ({
      id: index + 1,
      name,
      eid: `50010${index + 1}`,
      intercom: `100${index + 1}`,
      custom_status: blocked.includes(name) ? 1 : 0,
      departments: [],
    }));

  test("is planned and applied, unless another agent was blocked since the plan", async () => {
    const sandbox = await service({ agents: staff("Meera Joshi") });
    const text = menu("Desk", "Meera Joshi # ivrctl-ignore: blocked-agent back on Monday").replace(
      /options: \{ (.*?) (#.*?) \}/,
      "options:\n  $1 $2\n  2: Asha Rao",
    );
    const { run, write, path } = project(sandbox.url, { desk: text });
    const planned = await run("plan", "--out", "plan.json");
    expect([planned.exit, planned.stderr]).toEqual([0, expect.not.stringContaining("IVR304")]);
    expect(JSON.parse(readFileSync(join(path, "plan.json"), "utf8")).plan.blocked).toEqual([
      "500103",
    ]);
    write("since.json", JSON.stringify(staff("Meera Joshi", "Asha Rao")));
    const refused = await run("apply", "plan.json", "--agents", "since.json");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain("IVR625");
    expect(refused.stderr).toContain("Asha Rao is blocked");
    expect(refused.stderr).not.toContain("Meera Joshi is blocked");
    write("then.json", JSON.stringify(staff("Meera Joshi")));
    const applied = await run("apply", "plan.json", "--agents", "then.json");
    expect(applied.exit).toBe(0);
    expect(sandbox.records).toHaveLength(1);
  });

  test("is refused if the plan file does not list blocked agents", async () => {
    const sandbox = await service({ agents: staff() });
    const { run, write, path } = project(sandbox.url, { desk: menu("Desk") });
    expect((await run("plan", "--out", "plan.json")).exit).toBe(0);
    expect(JSON.parse(readFileSync(join(path, "plan.json"), "utf8")).plan).not.toHaveProperty(
      "blocked",
    );
    write("since.json", JSON.stringify(staff("Asha Rao")));
    const refused = await run("apply", "plan.json", "--agents", "since.json");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("IVR625")]);
  });
});

describe("renumbered", () => {
  const before = "{ 1: { for: Sales, agent: Asha Rao }, 0: { for: Operator, agent: Front Desk } }";
  const after =
    '{ 1: { for: Billing, intercom: "1002" }, 0: { for: Operator, agent: Front Desk } }';
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t.example", ...args], { cwd });

  test("is reported by plan, apply and diff at the value of the option, and changes no exit code", async () => {
    const cwd = deskProject("", desk(before));
    expect((await ivrctl(["apply", "--auto-approve"], { cwd })).exit).toBe(0);
    git(cwd, "init", "-q");
    git(cwd, "add", "ivrctl.yaml", "ivrs", "agents.lock.json");
    git(cwd, "commit", "-qm", "x");
    writeFileSync(join(cwd, "ivrs/desk.yaml"), desk(after));
    for (const command of ["plan", "diff"]) {
      const { exit, stdout } = await ivrctl([command, "--format", "json"], { cwd });
      expect(exit).toBe(0);
      expect(JSON.parse(stdout).diagnostics).toMatchObject([
        { code: "IVR711", severity: "info", file: "ivrs/desk.yaml", line: 4, column: 41 },
      ]);
    }
    expect((await ivrctl(["validate", "--quiet"], { cwd })).stdout).toBe("");
    const ignored = desk(after).replace(
      "\noptions:",
      "\n# ivrctl-ignore: renumbered announced\noptions:",
    );
    writeFileSync(join(cwd, "ivrs/desk.yaml"), ignored);
    expect((await ivrctl(["plan"], { cwd })).stderr).not.toContain("IVR711");
    expect((await ivrctl(["validate", "--quiet"], { cwd })).stdout).toBe("");
    writeFileSync(join(cwd, "ivrs/desk.yaml"), desk(after));
    const applied = await ivrctl(["apply", "--auto-approve"], { cwd });
    expect([applied.exit, applied.stderr]).toEqual([
      0,
      expect.stringContaining("IVR711 renumbered"),
    ]);
    expect((await ivrctl(["plan"], { cwd })).stderr).not.toContain("IVR711");
  });

  test("does not report a new extension of the same agent", async () => {
    const cwd = deskProject(
      "rules: { renumbered: error }\n",
      desk("{ 1: Asha Rao, 0: Front Desk }"),
    );
    expect((await ivrctl(["apply", "--auto-approve"], { cwd })).exit).toBe(0);
    const list = join(cwd, "agents.lock.json");
    writeFileSync(list, readFileSync(list, "utf8").replace('"500101"', '"700101"'));
    const { exit, stdout, stderr } = await ivrctl(["plan"], { cwd });
    expect([exit, stdout]).toEqual([0, expect.stringContaining("700101")]);
    expect(stderr).not.toContain("IVR711");
  });

  test("refuses the plan if it is set to error", async () => {
    const cwd = deskProject("rules: { renumbered: error }\n", desk(before));
    expect((await ivrctl(["apply", "--auto-approve"], { cwd })).exit).toBe(0);
    writeFileSync(join(cwd, "ivrs/desk.yaml"), desk(after));
    expect((await ivrctl(["plan"], { cwd })).exit).toBe(1);
    expect((await ivrctl(["apply", "--auto-approve"], { cwd })).exit).toBe(1);
  });
});

describe("the VS Code setup in the docs", () => {
  const editors = readFileSync(join(root, "docs/editors.md"), "utf8");
  const [server = "", settings = ""] = [...editors.matchAll(/^```json\n(.*?)^```/gms)].map(
    ([, json = ""]) => json,
  );

  test("starts the language server", async () => {
    const { "glspc.server.command": command, "glspc.server.commandArguments": args } =
      JSON.parse(server);
    expect(command).toBe("ivrctl");
    expect(await ivrctl([...args, "--help"])).toMatchObject({ exit: 0 });
  });

  test("names the schemas for menus and configuration", () => {
    expect(Object.keys(JSON.parse(settings)["yaml.schemas"])).toEqual([
      "schema/menu.schema.json",
      "schema/defaults.schema.json",
      "schema/config.schema.json",
    ]);
  });
});
