import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Node, entry, toPlain } from "../../src/yaml/node.ts";
import { readYaml } from "../../src/yaml/read-yaml.ts";
import { Diagnostics, diagnosticRange } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { runs } from "../support/runs.ts";
import { character } from "../support/characters.ts";

function read(text: string) {
  const diagnostics = new Diagnostics();
  const documents = readYaml(new Source("ivrs/menu.yaml", text), diagnostics);
  return { documents, found: diagnostics.sorted() };
}

/** Random texts of YAML syntax. */
const yamlish = fc
  .array(
    fc.constantFrom(
      ..."a: |1: |- |? |: |* |*a |&a |<<: |{ |} |[ |] |, |\n|\n  |\n\t|\" |' |# |--- |... |%YAML 1.1\n|!!str |!x |~ |null |>-\n|${X} |\u0000|\r\n|\uFEFF|__proto__: |\\ |@|`|010 |é|📞".split(
        "|",
      ),
      "|\n",
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));

describe("reading YAML", () => {
  test("never throws, and reports everything that is broken", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: character, maxLength: 300 }), yamlish), (text) => {
        const { documents, found } = read(text);
        const broken = documents.some((document) => document.broken);
        expect(broken && found.length === 0).toBe(false);
        for (const { root } of documents) if (root !== undefined) toPlain(root);
      }),
      { numRuns: runs(3000) },
    );
  });

  test("reports only places inside the text", () => {
    fc.assert(
      fc.property(yamlish, (text) => {
        const lines = text.split("\n");
        for (const { line, column, endLine, endColumn } of read(text).found.map(diagnosticRange)) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
          expect(endLine > line || (endLine === line && endColumn >= column)).toBe(true);
          expect(endLine).toBeLessThanOrEqual(lines.length + 1);
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  test("keeps the order of keys and the characters of scalars", () => {
    const key = fc
      .stringMatching(/^[0-9a-z]{1,6}$/)
      .filter((text) => !/^(?:null|true|false)$/.test(text));
    const entries = fc.uniqueArray(fc.tuple(key, fc.stringMatching(/^[0-9][0-9a-fx.e]{0,24}$/)), {
      selector: ([name]) => name,
      minLength: 1,
    });
    fc.assert(
      fc.property(entries, (pairs) => {
        const text = pairs.map(([name, value]) => `${name}: ${value}\n`).join("");
        const { documents, found } = read(text);
        expect(found).toEqual([]);
        const root = documents[0]?.root;
        expect(root?.kind === "map" && root.entries.map(pairOf)).toEqual(pairs);
      }),
    );
  });

  test("gives every node its place", () => {
    const text = "a: { \"b\": [x, 'y'] } # z\nc: &d |\n  block\ne: *d\n";
    const root = read(text).documents[0]?.root;
    const shown = (node: Node | undefined) => node && text.slice(node.start, node.end);
    const a = entry(root, "a");
    const b = entry(a?.value, "b");
    expect(shown(a?.key)).toBe("a");
    expect(shown(a?.value)).toBe("{ \"b\": [x, 'y'] }");
    expect(shown(b?.key)).toBe('"b"');
    expect(b?.value.kind === "list" && b.value.items.map(shown)).toEqual(["x", "'y'"]);
    expect(shown(entry(root, "c")?.value)).toBe("|\n  block");
    // An alias has the place of its anchor.
    expect(entry(root, "e")?.value).toEqual(entry(root, "c")?.value);
  });

  test("refuses very many levels quickly", () => {
    for (const text of ["[", "{a: ", "- ", "? "].map((open) => open.repeat(runs(20_000)))) {
      expect(read(text).found.map(({ code }) => code)).toEqual(["IVR101"]);
    }
  });

  test("refuses aliases that make a document too large", () => {
    const lines = ["a0: &a0 [x, x]"];
    for (let level = 1; level < 60; level += 1) {
      lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
    }
    expect(read(lines.join("\n")).found.map(({ code }) => code)).toEqual(["IVR130"]);
    const allowed = `a: &a { x: y }\nb:\n${"  - *a\n".repeat(500)}`;
    expect(read(allowed).found).toEqual([]);
  });
});

function pairOf({ key, value }: { key: Node; value: Node }): unknown[] {
  return [key, value].map((node) => (node.kind === "scalar" ? node.text : node.kind));
}
