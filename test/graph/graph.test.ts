import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

// The golden cases calls/graph and links/graph show the pictures, and where they are written.
test("warns if GitHub and GitLab would not draw the picture", async () => {
  const long = (at: number) => menu(`${"A long name ".repeat(90)}${at}`);
  const menus = Array.from({ length: 50 }, (_, at) => [`ivrs/m${at}.yaml`, long(at)]);
  const cwd = exampleProject(Object.fromEntries(menus));
  expect((await ivrctl(["graph"], { cwd })).stderr).toContain("GitHub and GitLab do not draw");
  expect((await ivrctl(["graph", "--format", "svg"], { cwd })).stderr).toBe("");
});

test("a line goes to each menu that another links to, also to one with its own number", async () => {
  const cwd = exampleProject({
    "ivrs/main.yaml": menu("Main", "{ menu: shops }"),
    "ivrs/shops.yaml": menu("Shops", "Asha Rao", 'numbers: ["+912241234567"]'),
  });
  const { stdout } = await ivrctl(["graph", "--format", "svg"], { cwd });
  expect(stdout.match(/<path class="head"/g)).toHaveLength(1);
});

// `--update` draws it again.
test("the picture in docs/preview.md is what the command prints", async () => {
  const cwd = exampleProject();
  renameSync(join(cwd, "ivrs/example.yaml"), join(cwd, "ivrs/front-desk.yaml"));
  const { stdout } = await ivrctl(["graph", "front-desk", "--format", "svg"], { cwd });
  await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/graph.svg"));
});
