import { describe, expect, test } from "vitest";
import { readYaml } from "../../src/yaml/read-yaml.ts";
import { Diagnostics, diagnosticRange } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { compile } from "../../src/index.ts";
import { some } from "../support/runs.ts";

const core = "tag:yaml.org,2002:";
const names = [
  ..."str int float bool null map seq omap pairs set binary timestamp merge value yaml".split(" "),
  ..."constructor __proto__ toString".split(" "),
];
const tags = [
  ...names.flatMap((name) => [`!!${name}`, `!<${core}${name}>`, `!e!${name}`]),
  ..."! !x !x!y !!x !<x> !<constructor> !<__proto__> !<hasOwnProperty> !<!> !<> !% !%zz !!".split(
    " ",
  ),
];
const values = [
  "word",
  "0042",
  "true",
  "null",
  '"true"',
  "|\n    text\n",
  "{ a: b }",
  "{ a, b }",
  "[a, b]",
  "[a: b, c: d]",
  "[[a, b], [c, d]]",
  "\n    a: b\n    c: d",
  "\n    - a: b\n    - c: d",
  "",
  "*one",
];
/** The places for a tagged value, which replaces `@`. */
const places: Readonly<Record<string, string>> = {
  document: "--- @\n",
  value: "one: &one x\nname: @\n",
  "value with an anchor": "one: &one x\nname: &a @\nagain: *a\n",
  key: "one: &one x\n? @\n: 1\n",
  "key with an anchor": "one: &one x\n? &a @\n: *a\n",
  "key between braces": "one: &one x\nmap: { @ : 1 }\n",
  item: "one: &one x\nlist:\n  - @\n  - y\n",
  "item between brackets": "one: &one x\nlist: [ @ , y ]\n",
  merge: "one: &one { x: y }\nmap:\n  z: 1\n  <<: @\n",
  "merge of a list": "one: &one { x: y }\nmap:\n  z: 1\n  <<: [ @ , *one ]\n",
  option: "name: n\none: &one x\noptions: @\n",
};

function at(text: string, { line, column }: { line: number; column: number }): string {
  return (text.split("\n")[line - 1] ?? "").slice(column - 1);
}

describe("tags", () => {
  const directive = `%TAG !e! ${core}\n---\n`;
  const everywhere = Object.entries(places).map(([place, around], turn) => ({
    place,
    around,
    turn,
  }));

  test.each(everywhere)("as $place: reports the tag", ({ place, around, turn }) => {
    const all = values.flatMap((value) => tags.map((tag) => ({ tag, value })));
    for (const { tag, value } of some(all, turn)) {
      const before = tag.startsWith("!e!") && place !== "document" ? directive : "";
      const text = before + around.replace("@", `${tag} ${value}`);
      const source = new Source("ivrs/menu.yaml", text);
      const diagnostics = new Diagnostics();
      readYaml(source, diagnostics);
      const found = diagnostics.sorted();
      expect(found.filter(({ message }) => /undefined|\[object/.test(message))).toEqual([]);
      const isReported = found.some(({ code, ...problem }) => {
        const place = at(text, diagnosticRange({ code, ...problem }));
        return code === "IVR101" && (place.startsWith(tag) || value === "*one");
      });
      expect({ text, isReported }).toEqual({ text, isReported: true });
    }
  });

  test("finds a tag above its value and before a comment", () => {
    const text = "a: !!omap # Hello!\n  # there!\n  - b: c\n";
    const diagnostics = new Diagnostics();
    readYaml(new Source("menu.yaml", text), diagnostics);
    expect(diagnostics.sorted()).toMatchObject([
      {
        code: "IVR101",
        line: 1,
        column: 4,
        endColumn: 10,
        message: expect.stringMatching("!!omap"),
      },
    ]);
  });

  test("reports other problems besides an unknown tag", () => {
    const menu = "name: !!omap [a: b]\nnme: x\noptions: { 1: Asha Rao }\n";
    const { diagnostics } = compile({
      config: "version: 1\n",
      menus: { "ivrs/m.yaml": menu },
      agents: [],
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["IVR101", "IVR201"]),
    );
  });
});
