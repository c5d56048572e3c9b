import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "../support/cli.ts";
import { need } from "../support/needs.ts";

test.each([
  ["start", "Start"],
  ["validate", "Validate"],
  ["plan", "Plan"],
  ["apply", "Apply"],
  ["preview", "Preview and graph"],
  ["memory", "Memory"],
])("the benchmark of %s runs", async (part, title) => {
  if (part === "apply") need("PostgreSQL", "radosgw", "curl");
  const cwd = join(import.meta.dirname, "../..");
  const args = ["bench/run.mjs", part, "--smoke"];
  const { exit, stdout, stderr } = await start(process.execPath, args, { cwd }).finished;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(stdout.split("\n")).toContain(`## ${title}`);
});
