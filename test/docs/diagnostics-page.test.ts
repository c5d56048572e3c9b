import { expect, test } from "vitest";
import page from "../../docs/diagnostics.md";
import { isCode, isRetired } from "../../src/diagnostics/codes.ts";
import { allCodes, allEntries, codeEntry } from "../../src/rules/explanations.ts";
import { rules } from "../../src/rules/built-in/index.ts";

test("docs/diagnostics.md has a section with a meaning and a fix for every code, in order", () => {
  const headings = [...page.matchAll(/^## (\S+): /gm)].map(([, code]) => code);
  expect(headings).toEqual(allCodes());
  expect([...allEntries().keys()]).toEqual(allCodes());
});

test("a number is never used again: each is a code or retired", () => {
  const codes = allCodes();
  expect(codes.filter(isRetired)).toEqual([]);
  // The rules (IVR7xx) and tests (IVR8xx) have gaps for new codes.
  for (const block of ["1", "2", "3", "4", "5", "6"]) {
    const last = codes.findLast((code) => code.startsWith(`IVR${block}`)) ?? "";
    for (let number = Number(`${block}01`); `IVR${number}` !== last; number++) {
      const code = `IVR${number}`;
      if (!isCode(code)) throw new Error(`${block}xx has no last code.`);
      expect([code, codes.includes(code) || isRetired(code)]).toEqual([code, true]);
    }
  }
});

test("docs/diagnostics.md links every rule", () => {
  const sections = page.split(/^## /m);
  for (const { code, name } of rules) {
    const link = `\nRule: [${name}](rules.md#${name})\n`;
    expect(sections.find((section) => section.startsWith(code))).toContain(link);
  }
});

test("a command at the end of a fix has no backquotes", () => {
  expect(codeEntry("IVR601").fix).toMatch(/ run: ivrctl unlock ID$/);
  expect(codeEntry("IVR404").fix).toMatch(/^Write `\$\{NAME\}`/);
});
