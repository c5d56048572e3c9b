import { readFileSync, readdirSync } from "node:fs";
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
import { format } from "../../src/yaml/formatter.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { root } from "../support/cli.ts";
import { runs } from "../support/runs.ts";
import { RandomYaml } from "../menus/random-yaml.ts";
import { character } from "../support/characters.ts";

async function formatted(text: string): Promise<{ text: string | undefined; codes: string[] }> {
  const diagnostics = new Diagnostics();
  const result = await format(new Source("ivrs/menu.yaml", text), diagnostics);
  return { text: result, codes: diagnostics.sorted().map(({ code }) => code) };
}

describe("the files of this repository are formatted", () => {
  const files = ["ivrs", "examples", "templates"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => join(folder, name)),
  );
  test.each(["ivrctl.yaml", ...files])("%s", async (file) => {
    const text = readFileSync(join(root, file), "utf8");
    expect(await formatted(text)).toEqual({ text, codes: [] });
  });
});

test.each([
  ["spaces in a comment", `# a${" ".repeat(150_000)}b\n`],
  ["spaces in a quoted text of two lines", `a: 'b${" ".repeat(150_000)}c\n  d'\n`],
  ["backslashes in double quotes", `a: "b${"\\\\".repeat(75_000)}c\n  d"\n`],
  ["spaces in a block of text", `a: |\n  b${" ".repeat(150_000)}c\n`],
  ["quotes", `a: '${"''".repeat(75_000)}'\n`],
])("a long run of characters takes little time: %s", async (_, text) => {
  // CPU time, so that other processes do not matter.
  const started = process.cpuUsage();
  await formatted(text);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
});

describe("formatting any file", () => {
  test("keeps values and comments, and is complete after one run", async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const text = new RandomYaml(g).file();
        const { text: result, codes } = await formatted(text);
        if (result === undefined) {
          expect(codes).toEqual(["IVR128"]);
          return;
        }
        changed += 1;
        expect(await formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
        expect(commentsOf(result)).toEqual(commentsOf(text));
      }),
      { numRuns: runs(300) },
    );
    // The random files have comments, anchors and keys at places where nobody writes them. A few
    // files can all be of this kind.
    const least = runs(300) < 100 ? 0 : runs(300) / 2;
    expect(changed).toBeGreaterThan(least);
  });

  test("does the same with CRLF line endings", async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const text = `# first\n${new RandomYaml(g).file()}`;
        const { text: wanted } = await formatted(text);
        const { text: result } = await formatted(text.replaceAll("\n", "\r\n"));
        expect(result).toBe(wanted?.replaceAll("\n", "\r\n"));
      }),
      { numRuns: runs(100) },
    );
  });

  test("keeps the values of any text, or reports why it cannot format it", async () => {
    const soup = fc
      .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...scraps) }, fc.string()), {
        maxLength: 30,
      })
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.oneof(soup, fc.string({ unit: character })), async (text) => {
        const { text: result, codes } = await formatted(text);
        if (result === undefined) {
          expect(codes).not.toEqual([]);
          return;
        }
        expect(codes).toEqual([]);
        expect(await formatted(result)).toEqual({ text: result, codes: [] });
        expect(shapesOf(result)).toEqual(shapesOf(text));
      }),
      { numRuns: runs(1500) },
    );
  });
});

function commentsOf(text: string): readonly string[] {
  return text.match(/# ?c\d+/g) ?? [];
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
  if (isScalar(node)) return [node.type === "PLAIN", node.value, ...marksOf(node)];
  if (isPair(node)) return [shapeOf(node.key), shapeOf(node.value)];
  if (isMap(node)) return ["map", node.items.map(shapeOf), ...marksOf(node)];
  if (isSeq(node)) return ["list", node.items.map(shapeOf), ...marksOf(node)];
  return node;
}

function marksOf({ tag, ...node }: Node): unknown[] {
  return ["anchor" in node ? node.anchor : undefined, tag];
}
