import { join } from "node:path";
import { expect, test } from "vitest";
import { allEntries } from "../../src/diagnostics/texts.ts";
import { diagnosticsPage } from "./diagnostics-page.ts";

const page = diagnosticsPage();

test("docs/diagnostics.md is up to date (`npm run update` writes it)", async () => {
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/diagnostics.md"));
});

test("has a section for every code, in order", () => {
  const sections = [...page.matchAll(/^## (IVR\d+): /gm)].map(([, code]) => code);
  expect(sections).toEqual(
    allEntries()
      .map(({ code }) => code)
      .sort(),
  );
});

test("every section has a severity, an explanation and a fix", () => {
  const sections = page.split(/^## /m).slice(1);
  for (const section of sections) {
    expect(section).toMatch(
      /^IVR\d+: \S.*\n\nSeverity: (?:error|warning|note)\n\n\S.*\n\nHow to fix: \S/,
    );
  }
});

test("escapes the special characters of Markdown outside code spans", () => {
  expect(page).toContain("## IVR109: A comment looks like the key \\#\n");
  expect(page).toContain("## IVR108: `*` must be quoted\n");
});
