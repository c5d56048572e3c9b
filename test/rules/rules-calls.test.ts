import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const config = readFileSync(join(import.meta.dirname, "../../ivrctl.yaml"), "utf8");

/** A project with a valid menu, a test, and these settings of the rules. */
function projectWith(settings: string): string {
  return exampleProject({
    "ivrctl.yaml": `${config}rules: ${settings}\n`,
    "ivrs/sales.yaml": menu("Sales", "Asha Rao", "tests: [{ press: 1, reaches: Asha Rao }]\n"),
  });
}

describe.each([
  ["an error from a rule", "{ zero-not-operator: error }", "IVR703"],
  [
    "an error from a rule about a default",
    "{ wait-out-of-range: { severity: error, max: 4 } }",
    "IVR705",
  ],
  ["invalid settings of rules", "{ zero-not-operater: off }", "IVR740"],
  ["a missing plugin", "{ plugins: [./none.mjs] }", "IVR745"],
])("a menu in a project with %s", (_, settings, code) => {
  test("works in call, test, graph and preview, but not in validate", async () => {
    const cwd = projectWith(settings);
    const run = (...args: string[]) => ivrctl(args, { cwd });
    expect(await run("validate")).toMatchObject({ exit: 1, stdout: expect.stringContaining(code) });

    const call = await run("call", "sales", "--press", "1", "--format", "json");
    expect(call.exit).toBe(0);
    expect(JSON.parse(call.stdout)).toMatchObject({
      reached: { name: "Asha Rao" },
      diagnostics: expect.arrayContaining([expect.objectContaining({ code, severity: "error" })]),
    });
    expect(await run("graph", "sales")).toMatchObject({
      exit: 1,
      stdout: expect.stringContaining("Asha Rao"),
      stderr: expect.stringContaining(code),
    });
    const tested = await run("test", "ivrs/sales.yaml", "--format", "json");
    expect(tested.exit).toBe(1);
    expect(JSON.parse(tested.stdout).summary).toMatchObject({ passed: 1, failed: 0 });

    expect((await run("preview", "--out", "site")).exit).toBe(1);
    const page = readFileSync(join(cwd, "site/index.html"), "utf8");
    expect(page).toContain(code);
    expect(page).not.toContain("requests_per_second");
  });
});

describe("a warning of a rule", () => {
  test("is reported by validate and preview, but not by call, test and graph", async () => {
    const cwd = projectWith("{}");
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await ivrctl(args, { cwd });
      return stdout + stderr;
    };
    expect(await run("validate")).toContain("IVR703");
    expect(await run("preview", "--out", "site")).toContain("IVR703");
    for (const args of [["call", "sales", "--press", "1"], ["test"], ["graph"]]) {
      expect([args, await run(...args)]).toEqual([args, expect.not.stringContaining("IVR")]);
    }
  });
});
