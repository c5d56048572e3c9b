import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { menu, project, service } from "../support/project.ts";

const root = join(import.meta.dirname, "../..");

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

test("the docs name the schemas for menus and configuration of an editor without the language server", () => {
  const editors = readFileSync(join(root, "docs/editors.md"), "utf8");
  const [, settings = ""] = /^```json\n(.*?)^```/ms.exec(editors) ?? [];
  expect(Object.keys(JSON.parse(settings)["yaml.schemas"])).toEqual([
    "schema/menu.schema.json",
    "schema/defaults.schema.json",
    "schema/config.schema.json",
  ]);
});
