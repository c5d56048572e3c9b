import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the benchmarks run", () => {
  const root = join(import.meta.dirname, "../..");
  const printed = execFileSync(process.execPath, ["bench/run.mjs", "--smoke"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(printed).toContain("## Start");
  expect(printed).toContain("## Validate");
  expect(printed).toContain("## Again");
  expect(printed).toContain("## Plan");
  expect(printed).toContain("## Apply");
  expect(printed).toContain("## Preview");
});
