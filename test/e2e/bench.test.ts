import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the benchmarks run", { timeout: 300_000 }, () => {
  const root = join(import.meta.dirname, "../..");
  const printed = execFileSync(process.execPath, ["bench/run.mjs", "--smoke"], {
    cwd: root,
    encoding: "utf8",
  });
  const titles = [...printed.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual([
    "Start",
    "Validate",
    "Again",
    "Plan",
    "Apply",
    "Preview and graph",
    "Memory",
  ]);
});
