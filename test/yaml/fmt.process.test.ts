import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject, ivrctl } from "../support/cli.ts";

test("many files are formatted as few are, and in their order", async () => {
  const untidy = "name:   Sales\n";
  const names = Array.from({ length: 260 }, (_, index) => `ivrs/menu-${1000 + index}.yaml`);
  const files = names.map((name, index) => [name, index === 200 ? "a: [1\n" : untidy]);
  const cwd = exampleProject(Object.fromEntries(files));
  const good = names.filter((_, index) => index !== 200);
  const listed = `${good.join("\n")}\n`;
  const checked = await ivrctl(["fmt", "--check"], { cwd });
  expect(checked).toMatchObject({ exit: 1, stdout: listed });
  expect(await ivrctl(["fmt"], { cwd })).toMatchObject({ exit: 1, stdout: listed });
  for (const name of good) expect(readFileSync(join(cwd, name), "utf8")).toBe("name: Sales\n");
  const after = await ivrctl(["fmt", "--check"], { cwd });
  expect(after).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining("IVR101") });
});
