import { join } from "node:path";
import { expect, test } from "vitest";
import { allEntries } from "../../src/diagnostics/texts.ts";
import { diagnosticsPage } from "./diagnostics-page.ts";

const page = diagnosticsPage();

test("docs/diagnostics.md is the register as it stands; `npm run update` writes it anew", async () => {
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/diagnostics.md"));
});

test("every code has a section, in order", () => {
  const sections = [...page.matchAll(/^## (IVR\d+): /gm)].map(([, code]) => code);
  expect(sections).toEqual(
    allEntries()
      .map(({ code }) => code)
      .sort(),
  );
});

test("every section says how grave it is, what it means and how to mend it", () => {
  const sections = page.split(/^## /m).slice(1);
  for (const section of sections) {
    expect(section).toMatch(
      /^IVR\d+: \S.*\n\nSeverity: (?:error|warning|info)\n\n\S.*\n\nTo mend it: \S/,
    );
  }
});

test("what Markdown would take for its own is escaped, code spans are not", () => {
  expect(page).toContain("## IVR109: A comment that looks like the key \\#\n");
  expect(page).toContain("## IVR108: An unquoted `*`\n");
});
