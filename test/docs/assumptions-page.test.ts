import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trialTable } from "../../src/schema/trial-rows.ts";

const page = join(import.meta.dirname, "../../docs/assumptions.md");

const head = "| not documented | ivrctl assumes | to change it |\n|---|---|---|\n";

test("docs/assumptions.md has the rows that a trial checks (`npm run update` writes them)", async () => {
  const rows = trialTable.map(
    ([, { open, assumes, change }]) => `| ${open} | ${assumes} | ${change} |\n`,
  );
  const text = readFileSync(page, "utf8").replace(
    /(<!-- trial -->\n)[^]*(<!-- \/trial -->)/,
    (_, start: string, end: string) => `${start}\n${head}${rows.join("")}\n${end}`,
  );
  await expect(text).toMatchFileSnapshot(page);
});
