import { describe, expect, test } from "vitest";
import { FolderDefaults } from "../../src/compile/folder-defaults.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { type Compiled, compile } from "../../src/index.ts";

const config = `version: 1
default_environment: sandbox
rules: { zero-not-operator: off }
environments: { sandbox: { service: sandbox } }
`;
const agents = [
  { id: "1", name: "Asha Rao", eid: "500101", intercom: "1001", team: "Sales", departments: [] },
];
const defaults = `name: "{{shop}}"
description: A shop
recording: "1"
options: { 1: Asha Rao }
invalid: { retries: 2, recording: "2", destination: Asha Rao }
timeout: { wait: 5, retries: 2, retry_recording: "3", recording: "4", destination: Asha Rao }
`;

function compiled(files: Record<string, string>): Compiled {
  const menus = Object.entries(files).map(([file, text]) => [`ivrs/${file}`, text]);
  return compile({ config, menus: Object.fromEntries(menus), agents });
}

function problems(files: Record<string, string>): string[] {
  return compiled(files).diagnostics.map(({ code, file, line }) => `${code} ${file}:${line}`);
}

describe("variables", () => {
  test.each([
    ["a text", "{{shop}}", "Thane"],
    ["white space inside the braces", "{{ shop }}", "Thane"],
    ["several in one text", "{{shop}}-{{shop}}", "Thane-Thane"],
    ["braces as text", "{{{{shop}}", "{{shop}}"],
    ["an odd number of braces", "{{{{{shop}}}", "{{{shop}}}"],
    ["no braces", "{shop}", "{shop}"],
    ["a value with special characters", "{{dollar}}", "$& $1 {{ `"],
  ])("are replaced in %s", (_, text, name) => {
    const vars = 'vars: { shop: Thane, dollar: "$& $1 {{{{ `" }';
    const { payloads } = compiled({
      "_defaults.yaml": defaults.replace("{{shop}}", text),
      "menu.yaml": vars,
    });
    expect(payloads["menu"]?.name).toBe(name);
  });

  test("of the nearest folder win", () => {
    const { payloads } = compiled({
      "_defaults.yaml": `${defaults}vars: { shop: far }`,
      "a/_defaults.yaml": "vars: { shop: near }",
      "a/b/menu.yaml": "owner: me",
      "other.yaml": "owner: me",
    });
    expect([payloads["a/b/menu"]?.name, payloads["other"]?.name]).toEqual(["near", "far"]);
  });

  test("of the nearest folder win if no environment is chosen", () => {
    const text = (file: string, shop: string) => new Source(file, `vars: { shop: ${shop} }`);
    const folders = [text("ivrs/_defaults.yaml", "far"), text("ivrs/a/_defaults.yaml", "near")];
    const { vars } = new FolderDefaults(folders, undefined).of("ivrs/a/menu.yaml");
    const shops = vars.flatMap(({ values }) => values.get("shop")?.value.text ?? []);
    expect(shops).toEqual(["near", "far"]);
  });

  test("are not expressions", () => {
    const found = problems({
      "_defaults.yaml": defaults,
      "menu.yaml": `vars: { shop: Thane }\nowner: "{{shop | upper}} {{constructor}} {{__proto__}}"`,
    });
    expect(found).toEqual([
      "IVR217 ivrs/menu.yaml:2",
      "IVR217 ivrs/menu.yaml:2",
      "IVR217 ivrs/menu.yaml:2",
    ]);
  });
});

describe("a problem with a variable is reported", () => {
  test("in the menu, if the menu sets it", () => {
    const found = problems({
      "_defaults.yaml": defaults.replace("1: Asha Rao", '1: "{{seller}}"'),
      "a.yaml": "vars: { shop: a, seller: Asha Roa }",
      "b.yaml": "vars: { shop: b, seller: Asha Roo }",
    });
    expect(found).toEqual(["IVR301 ivrs/a.yaml:1", "IVR301 ivrs/b.yaml:1"]);
  });

  test("once in the folder, if the folder sets it", () => {
    const { diagnostics } = compiled({
      "_defaults.yaml": `${defaults.replace("1: Asha Rao", '1: "{{seller}}"')}vars: { seller: X }`,
      "a.yaml": "vars: { shop: a }",
      "b.yaml": "vars: { shop: b }",
      "c.yaml": "vars: { shop: c, seller: Asha Rao }",
    });
    expect(diagnostics).toMatchObject([
      {
        code: "IVR301",
        file: "ivrs/_defaults.yaml",
        line: 4,
        hint: expect.stringContaining(
          "Affects 2 menus: a, b. `{{seller}}` is set at ivrs/_defaults.yaml:7.",
        ),
      },
    ]);
    expect(diagnostics[0]).not.toHaveProperty("affects");
  });
});

describe("defaults of folders", () => {
  test("are removed by null in the menu, also those of folders further up", () => {
    const { payloads } = compiled({
      "_defaults.yaml": defaults.replace("1: Asha Rao", "1: Asha Rao, 2: Asha Rao"),
      "a/_defaults.yaml": 'options: { 2: { eid: "500101" } }',
      "a/menu.yaml": "vars: { shop: a }\noptions: { 2: null }",
    });
    expect(payloads["a/menu"]?.option).toEqual(["1"]);
  });

  test("do not apply to menus in other folders", () => {
    const found = problems({ "a/_defaults.yaml": defaults, "ab/menu.yaml": "vars: { shop: x }" });
    expect(new Set(found)).toEqual(
      new Set(["IVR202 ivrs/ab/menu.yaml:1", "IVR219 ivrs/ab/menu.yaml:1"]),
    );
  });

  test("ignore other files whose names start with an underscore", () => {
    const { payloads, diagnostics } = compiled({
      "_defaults.yaml": defaults,
      "_draft.yaml": "name: [",
      "menu.yaml": "vars: { shop: a }",
    });
    expect([Object.keys(payloads), diagnostics]).toEqual([["menu"], []]);
  });
});
