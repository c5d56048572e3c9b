import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Document,
  type Node,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
} from "yaml";
import { format } from "../../src/yaml/format/format.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { runs } from "../support/runs.ts";
import { RandomYaml } from "../compile/random-yaml.ts";
import { character } from "../support/characters.ts";

function formatted(text: string): { text: string | undefined; codes: string[] } {
  const diagnostics = new Diagnostics();
  const result = format(new Source("ivrs/menu.yaml", text), diagnostics);
  return { text: result, codes: diagnostics.sorted().map(({ code }) => code) };
}

/** Formats a text and checks that formatting it again changes nothing. */
function layoutOf(given: string): string {
  const { text, codes } = formatted(given);
  if (text === undefined || codes.length > 0)
    throw new Error(`It cannot be formatted: ${codes.join()}`);
  expect(formatted(text)).toEqual({ text, codes: [] });
  return text;
}

describe("the files of this repository are in the canonical layout", () => {
  test.each(["ivrctl.yaml", "ivrs/example.yaml"])("%s", (file) => {
    const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
    expect(layoutOf(text)).toBe(text);
  });
});

/** With quadratic time, most of these took half a minute. Now they take a few milliseconds. */
describe("a long run of characters takes linear time", () => {
  const size = 150_000;
  test.each([
    ["spaces in a comment", `# a${" ".repeat(size)}b\n`],
    ["tabs in a comment after a value", `a: b # c${"\t".repeat(size)}d\n`],
    ["spaces in a directive", `%FOO bar${" ".repeat(size)}b\n---\na: b\n`],
    ["spaces in a plain text of two lines", `a: b${" ".repeat(size)}c\n  d\n`],
    ["spaces in a quoted text of two lines", `a: 'b${" ".repeat(size)}c\n  d'\n`],
    ["blanks in double quotes", `a: "b${" \t".repeat(size / 2)}c\n  d"\n`],
    ["backslashes in double quotes", `a: "b${"\\\\".repeat(size / 2)}c\n  d"\n`],
    ["backslashes in a plain text", `a: b${"\\".repeat(size)}c\n  d\n`],
    ["spaces in a block of text", `a: |\n  b${" ".repeat(size)}c\n`],
    ["hash signs", `${"# ".repeat(size / 2)}b\n`],
    ["quotes", `a: '${"''".repeat(size / 2)}'\n`],
  ])("%s", (_, text) => {
    // CPU time, so that other processes do not matter.
    const started = process.cpuUsage();
    expect(formatted(text).text === text).toBe(true);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
  });

  test("removes blanks at the end of a line and keeps an escaped one, however many there are", () => {
    const blanks = " \t".repeat(size / 2);
    expect(layoutOf(`a: b # c${blanks}\n`)).toBe("a: b # c\n");
    expect(layoutOf(`a: "b${blanks}\n  c\\${blanks}\n  d"\n`)).toBe('a: "b\n  c\\ \n  d"\n');
    expect(layoutOf(`a: "b\\\\${blanks}\n  c"\n`)).toBe('a: "b\\\\\n  c"\n');
  });
});

describe("formatting any file", () => {
  test("keeps values and comments, and is complete after one run", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const text = new RandomYaml(g).file();
        const { text: result, codes } = formatted(text);
        expect(codes).toEqual([]);
        if (result === undefined) throw new Error("It was not formatted.");
        expect(formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
        expect(commentsOf(result)).toEqual(commentsOf(text));
        expectTidy(result);
      }),
      { numRuns: runs(900) },
    );
  });

  test("does the same with CRLF line endings", () => {
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const text = `# first\n${new RandomYaml(g).file()}`;
        const { text: wanted } = formatted(text);
        const { text: result } = formatted(text.replaceAll("\n", "\r\n"));
        expect(result).toBe(wanted?.replaceAll("\n", "\r\n"));
      }),
      { numRuns: runs(200) },
    );
  });

  test("keeps the values of any text, or reports why it cannot format it", () => {
    const soup = fc
      .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...scraps) }, fc.string()), {
        maxLength: 30,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: character })), (text) => {
        const { text: result, codes } = formatted(text);
        if (result === undefined) {
          expect(codes).not.toEqual([]);
          return;
        }
        expect(codes).toEqual([]);
        expect(formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
      }),
      { numRuns: runs(2500) },
    );
  });
});

function commentsOf(text: string): readonly string[] {
  return text.match(/# ?c\d+/g) ?? [];
}

/** Checks the rules of the layout. The random block texts have no blank lines and no blanks at line ends. */
function expectTidy(text: string): void {
  expect(text).not.toMatch(/[ \t]$/m);
  expect(text).not.toMatch(/\n\n\n/);
  expect(text).toMatch(/[^\n]\n$/);
  for (const line of text.split("\n")) {
    expect(line, "one space before a comment").not.toMatch(/[^ ] {2,}# ?c\d/);
    if (!/^ *#/.test(line)) expect(line, "an even indentation").toMatch(/^(?: {2})*(?:[^ ]|$)/);
  }
}

const scraps = [
  ...Array.from(" \n\t:-?,[]{}&*!|>%#'\"\\"),
  ...Array.from(["\n  ", "\n    ", "\n- ", "\n# c\n", " # c\n", "a: ", "b:\n", "&x ", "*x"]),
  ...Array.from(["|\n", ">-\n", "|+\n", "|2\n", "---\n", "...\n", "<<: ", "\r\n", "text", "1"]),
  "!!str ",
  "\uFEFF",
];

/** The content of a text, read with the YAML library alone. */
function shapesOf(text: string): unknown[] {
  const documents = parseAllDocuments(text, {
    schema: "failsafe",
    uniqueKeys: false,
    logLevel: "silent",
  });
  return (Array.isArray(documents) ? documents : []).map((document: Document.Parsed) => [
    document.errors.map(({ code }) => code),
    shapeOf(document.contents),
  ]);
}

function shapeOf(node: unknown): unknown {
  if (isAlias(node)) return ["alias", node.source];
  if (isScalar(node)) return [node.type, node.value, ...marksOf(node)];
  if (isPair(node)) return [shapeOf(node.key), shapeOf(node.value)];
  if (isMap(node)) return ["map", node.flow === true, node.items.map(shapeOf), ...marksOf(node)];
  if (isSeq(node)) return ["list", node.flow === true, node.items.map(shapeOf), ...marksOf(node)];
  return node;
}

function marksOf({ tag, ...node }: Node): unknown[] {
  return ["anchor" in node ? node.anchor : undefined, tag];
}
