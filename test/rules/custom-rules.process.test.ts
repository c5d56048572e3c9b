import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject, folder, ivrctl as ivrctlProcess } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

const root = join(import.meta.dirname, "../..");

const page = readFileSync(join(root, "docs/extend.md"), "utf8");
const fence = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(page)?.[1] ?? "";

const desk = (options: string) => `name: Desk
description: d
recording: "10"
options: ${options}
invalid: { destination: Front Desk }
timeout: { destination: Front Desk }
`;

/** A project with these lines at the end of its configuration, and a menu with these options. */
function deskProject(
  lines: string,
  files: Readonly<Record<string, string>> = {},
  options = "{ 1: Asha Rao, 0: Front Desk }",
): string {
  const config = readFileSync(join(root, "ivrctl.yaml"), "utf8");
  return exampleProject({
    "ivrctl.yaml": `${config}${lines}`,
    "ivrs/desk.yaml": desk(options),
    ...files,
  });
}

describe("custom rules", () => {
  test("runs the plugin of the docs in every command that compiles", async () => {
    const cwd = deskProject(
      fence("yaml"),
      { "rules/acme.mjs": fence("js") },
      "{ 1: { intercom: 1006 }, 0: Front Desk }",
    );
    const { exit, stdout } = await ivrctl(["validate"], { cwd });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "error[IVR720 acme/greeting]: The prompt does not start with “Thank you for calling”.",
    );
    for (const command of ["compile", "plan", "doctor"]) {
      expect([command, (await ivrctl([command], { cwd })).exit]).toEqual([command, 1]);
    }
    const config = readFileSync(join(cwd, "ivrctl.yaml"), "utf8");
    writeFileSync(
      join(cwd, "ivrctl.yaml"),
      config
        .replace("severity: error", "severity: off")
        .replace("night-shift: off", "night-shift: warn"),
    );
    const night = await ivrctl(["validate"], { cwd });
    expect(night.exit).toBe(0);
    expect(night.stdout).toContain("acme/night-shift]: Key 1 goes to the night shift.");
    expect(night.stdout).not.toContain("acme/greeting");
  });

  test("accepts the plugin of the docs by the exported types", () => {
    const types = folder({
      "package.json": '{ "type": "module" }',
      "acme.mjs": fence("js"),
      "typed.ts": `import type { CustomRule, RulePlugin } from "ivrctl";
const most = { options: { most: 3 }, check(menu, { options, report }) {
  const most: number = options.most;
  if (menu.options.length > most) report({ at: menu.optionsAt, message: "Too many." });
} } satisfies CustomRule<{ most: number }>;
export default { name: "typed", rules: { most } } satisfies RulePlugin;
`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          module: "NodeNext",
          target: "ES2022",
          strict: true,
          allowJs: true,
          checkJs: true,
          noEmit: true,
          types: [],
          lib: ["ES2022"],
        },
      }),
    });
    mkdirSync(join(types, "node_modules"));
    symlinkSync(root, join(types, "node_modules/ivrctl"));
    const tsc = () =>
      execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", types], { encoding: "utf8" });
    expect(tsc()).toBe("");
    writeFileSync(
      join(types, "typed.ts"),
      'import type { RulePlugin } from "ivrctl";\nexport default { name: "x", rules: { a: { check(menu) { menu.name.value = "x"; } } } } satisfies RulePlugin;\n',
    );
    expect(tsc).toThrow("Command failed");
  });

  test.each([
    ["a syntax error", "export default {\n", "loading it failed"],
    [
      "an import that does not exist",
      'import "nowhere-at-all";\nexport default {};\n',
      "loading it failed",
    ],
    [
      "a getter that throws",
      'export default { get name() { throw new Error("no"); } };\n',
      "cannot be read",
    ],
    ["CommonJS syntax", 'module.exports = { name: "x", rules: {} };\n', "loading it failed"],
  ])("reports a module with %s", async (_, text, message) => {
    const cwd = deskProject("rules: { plugins: [./rules/x.mjs] }\n", {
      "rules/x.mjs": text,
    });
    // As a process if only Node itself refuses to load it.
    const run = text.startsWith("module.exports") ? ivrctlProcess : ivrctl;
    const { exit, stdout } = await run(["validate", "--format", "json"], { cwd });
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { code: "IVR745", file: "ivrctl.yaml", message: expect.stringContaining(message) },
    ]);
  });

  test("fails if a module never finishes loading", async () => {
    const cwd = deskProject("rules: { plugins: [./rules/x.mjs] }\n", {
      "rules/x.mjs": "await new Promise(() => {});\nexport default {};\n",
    });
    const { exit, stderr } = await ivrctlProcess(["validate"], { cwd });
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr:
        "ivrctl: The command did not finish. Check that the modules under `plugins:` do not wait forever.\n",
    });
  });

  test("does not load a module outside the project, not even through a link", async () => {
    const outside = folder({
      "evil.mjs": 'console.log("loaded");\nexport default { name: "e", rules: {} };\n',
    });
    const cwd = deskProject(
      `rules: { plugins: [./rules/link.mjs, ../${basename(outside)}/evil.mjs] }\n`,
    );
    mkdirSync(join(cwd, "rules"));
    symlinkSync(join(outside, "evil.mjs"), join(cwd, "rules/link.mjs"));
    const { exit, stdout } = await ivrctl(["validate"], { cwd });
    expect(exit).toBe(1);
    expect(stdout).not.toMatch(/^loaded/m);
    expect(stdout.match(/not inside the project/g)).toHaveLength(2);
  });

  test("gives each custom rule its own id in SARIF", async () => {
    const plugin = `export default { name: "h", rules: {
      a: { check: (menu, { report }) => report({ at: menu.at, message: "A" }) },
      b: { check: (menu, { report }) => report({ at: menu.at, message: "B \\u001b[31m" }) },
    } };\n`;
    const cwd = deskProject("rules: { plugins: [./h.mjs] }\n", {
      "h.mjs": plugin,
    });
    const { stdout } = await ivrctl(["validate", "ivrs/desk.yaml", "--format", "sarif"], { cwd });
    const [run] = JSON.parse(stdout).runs;
    expect(run.tool.driver.rules).toMatchObject([
      { id: "IVR720/h/a", name: "h/a" },
      { id: "IVR720/h/b", name: "h/b" },
    ]);
    expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      "IVR720/h/a",
      "IVR720/h/b",
    ]);
    const text = await ivrctl(["validate", "ivrs/desk.yaml"], { cwd });
    expect(text.stdout).not.toContain("\u001b");
  });

  test("refuses a saved plan if a custom rule now reports an error", async () => {
    const cwd = deskProject("rules: { plugins: [./h.mjs] }\n", {
      "h.mjs":
        'export default { name: "h", rules: { a: { severity: "error", check(menu, { report }) { if (process.env.STRICT) report({ at: menu.at, message: "No." }); } } } };\n',
    });
    expect((await ivrctl(["plan", "--out", "plan.json"], { cwd })).exit).toBe(0);
    const refused = await ivrctl(["apply", "plan.json"], { cwd, env: { STRICT: "1" } });
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain("error[IVR720 h/a]: No.");
    expect((await ivrctl(["apply", "plan.json"], { cwd })).exit).toBe(0);
  });
});
