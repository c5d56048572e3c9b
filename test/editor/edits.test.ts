import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { startEditor } from "../support/editor.ts";
import { menu } from "../support/project.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const file = "ivrs/example.yaml";
describe("quick fixes for what a hint offers", () => {
  const good = `name: A
description: x
recording: welcome
options:
  1: Asha Rao
  2: { for: B, menu: bills }
  3: { agent: Ravi Kumar, team: Billing }
  "*": Asha Rao
invalid: { retries: 2, recording: not-valid, destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: still-there, recording: goodbye, destination: Front Desk }
`;

  test.each([
    ["an agent", "1: Asha Rao", "1: Asha R¦oa"],
    ["an agent in quotes", "1: Asha Rao", "1: 'Asha R¦oa'"],
    ["a field", "description: x", "descri¦pton: x"],
    ["a recording", "recording: welcome", "recording: wel¦com"],
    ["a menu key", "menu: bills", "menu: bi¦ls"],
    ["a unit", "wait: 5", "wait: 5¦s"],
    ["a tab", "  1: Asha Rao", "\t1: As¦ha Rao"],
    ["a rule in a comment", "name: A", "name: A # ivrctl-ignore: menu-too-lo¦g"],
    ["a star without quotes", '"*": Asha Rao', "¦*: Asha Rao"],
    ["a colon", "2: { for: B, menu: bills }", "2 { for: ¦B, menu: bills }"],
    ["a colon after a field with fields", "options:\n  1: Asha Rao", "options¦\n  1: Asha Rao"],
    ["a menu that has moved", "menu: bills", "menu: in¦voices"],
  ])("%s", async (_, right, wrong) => {
    const editor = await startEditor(
      exampleProject({ "ivrs/bills.yaml": `moved_from: invoices\n${menu("Bills")}` }),
    );
    const [fix] = await editor.fixes(file, good.replace(right, wrong));
    expect(fix).toMatchObject({ kind: "quickfix" });
    const comment = wrong.includes("#") ? " # ivrctl-ignore: menu-too-long" : "";
    expect(fix?.text).toBe(good.replace(right, right + comment));
  });

  test("belong to the problem that they solve, and are for the kind that the editor asks for", async () => {
    const editor = await startEditor(exampleProject());
    const text = good.replace("1: Asha Rao", "1: Asha R¦oa");
    expect(await editor.fixes(file, text)).toMatchObject([{ diagnostics: [{ code: "IVR301" }] }]);
    expect(await editor.fixes(file, text, "quickfix")).toHaveLength(1);
    expect(await editor.fixes(file, text, "refactor")).toEqual([]);
  });

  test("replace a variable in a text, but no value that has variables", async () => {
    const editor = await startEditor(exampleProject());
    const vars = "vars: { city: Pune, who: Asha }\n";
    const variable = vars + good.replace("description: x", "description: In {{ci¦yt}}");
    expect(await editor.fixes(file, variable)).toMatchObject([
      { title: "Replace {{ciyt}} with {{city}}" },
    ]);
    const value = vars.replace("who", "w¦ho") + good.replace("Asha Rao", '"{{who}} Roa"');
    expect(await editor.fixes(file, value)).toEqual([]);
  });

  test("offer every name that the hint does", async () => {
    const files = { "ivrs/night.yaml": menu("A"), "ivrs/light.yaml": menu("B") };
    const editor = await startEditor(exampleProject(files));
    const titles = (await editor.fixes(file, good.replace("bills", "ni¦ht"))).map(
      ({ title }) => title,
    );
    expect(titles).toEqual(["Replace niht with night", "Replace niht with light"]);
  });
});

describe("formatting", () => {
  test.each([
    ["a menu", file, "name:   x # 😀\r\noptions:\r\n    1:   Asha Rao\r\n"],
    ["several menus", file, `id: a\n${menu("A")}---\nid:   b\n${menu("B")}`],
    ["ivrctl.yaml", "ivrctl.yaml", "version:    1\n"],
    ["a test file", "ivrs/example.test.yaml", "tests:\n      -   press: 1\n"],
    ["defaults", "ivrs/_defaults.yaml", "owner:   me\n"],
  ])("of %s is that of ivrctl fmt", async (_, path, text) => {
    const root = exampleProject({ [path]: text });
    const edited = await (await startEditor(root)).format(path, text);
    await ivrctl(["fmt", path], { cwd: root });
    expect(edited).toBe(readFileSync(join(root, path), "utf8"));
    expect(edited).not.toBe(text);
  });

  test("leaves a text alone that cannot be read", async () => {
    const editor = await startEditor(exampleProject());
    expect(await editor.format(file, "name:   [\n")).toBe("name:   [\n");
  });
});

describe("the outline", () => {
  const outline = (symbols: unknown, indent = ""): string[] =>
    (Array.isArray(symbols) ? symbols : []).flatMap(({ name, detail = "", range, children }) => [
      `${indent}${range.start.line}-${range.end.line} ${name} ${detail}`.trimEnd(),
      ...outline(children, `${indent}  `),
    ]);

  test("of a file with several menus", async () => {
    const editor = await startEditor(exampleProject());
    const one = "id: one\nname: 😀 One\noptions:\n  1: Asha Rao\n  2: { for: Billing, menu: b }\n";
    expect(outline(await editor.symbols(file, `${one}---\nid: two\nname: Two\n`))).toEqual([
      "0-5 one 😀 One",
      "  0-0 id one",
      "  1-1 name 😀 One",
      "  2-4 options",
      "    3-3 1 Asha Rao",
      "    4-4 2 Billing",
      "6-8 two Two",
      "  6-6 id two",
      "  7-7 name Two",
    ]);
  });

  test("of ivrctl.yaml has no values", async () => {
    const editor = await startEditor(exampleProject());
    const found = await editor.symbols("ivrctl.yaml", "version: 1\nenvironments: { a: {} }\n");
    expect(outline(found)).toEqual(["0-0 version", "1-1 environments", "  1-1 a"]);
  });

  test("skips what is written elsewhere", async () => {
    const editor = await startEditor(exampleProject());
    const text = "x-common: &common { owner: me }\nname: A\n<<: *common\nextra: *common\n";
    const found = outline(await editor.symbols(file, text));
    expect(found).toEqual([
      "0-4 example A",
      "  0-0 x-common",
      "    0-0 owner me",
      "  1-1 name A",
      "  3-3 extra",
    ]);
  });
});
