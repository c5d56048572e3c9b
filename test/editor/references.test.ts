import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { exampleProject } from "../support/cli.ts";
import { startEditor } from "../support/editor.ts";

const file = "ivrs/example.yaml";
const text = `name: Front desk in {{city}}
vars: { city: Pune }
options:
  1: { for: Sales, agent: Asha Rao }
  2: { for: Shop, menu: shops/first }
  3: { agent: Ravi Kumar, team: Billing }
  0: Front Desk
recording: welcome
invalid: { destination: Front Desk }
timeout: { destination: Front Desk }
tests:
  - { press: 1, reaches: Asha Rao, hears: [welcome] }
  - { press: [2, 0], in: shops/first }
`;
const first = "ivrs/shops/first.yaml";
const files = {
  [file]: text,
  "ivrs/shops/_defaults.yaml": `timeout: { destination: "{{closer}}" }
invalid: { destination: Front Desk }
options: { 1: Front Desk }
vars: { closer: Asha Rao, city: Mumbai }
description: A shop in {{city}}
`,
  [first]: "name: First\n",
  "ivrs/shops/second.yaml": 'name: "{{city}}"\nvars: { city: Thane }\n',
  "ivrs/shops/first.test.yaml": "tests: [{ press: 1, reaches: Front Desk }]\n",
  "ivrs/other.test.yaml": "menu: shops/first\ntests: [{ press: 1, reaches: Front Desk }]\n",
};

/** An editor with the project open. The files on disk, changed by an edit, are its texts. */
async function start(changed: Readonly<Record<string, string>> = {}) {
  const root = exampleProject({ ...files, ...changed });
  const abilities = {
    workspace: {
      workspaceEdit: { documentChanges: true, resourceOperations: ["rename" as const] },
    },
  };
  const editor = await startEditor(root, {}, abilities);
  const after = (part: string, written = text) => written.replace(part, `${part}¦`);
  const rename = async (part: string, to: string, at = file) => {
    const written = readFileSync(join(root, at), "utf8");
    const { old, edit } = await editor.rename(at, after(part, written), to);
    const parts = edit?.documentChanges ?? [];
    const edits = Object.entries(edit?.changes ?? {});
    for (const one of parts)
      if ("edits" in one) edits.push([one.textDocument.uri, one.edits as never]);
    const texts = edits.map(([uri, own]) => {
      const path = uri.slice(editor.uriOf("/").length);
      const document = TextDocument.create(uri, "yaml", 1, readFileSync(join(root, path), "utf8"));
      return [path, TextDocument.applyEdits(document, own)] as const;
    });
    const moved = parts.flatMap((one) => ("oldUri" in one ? [[one.oldUri, one.newUri]] : []));
    const paths = moved.map((pair) => pair.map((uri) => uri.slice(editor.uriOf("/").length)));
    return { old, texts: Object.fromEntries(texts), moved: paths };
  };
  return { editor, after, rename, root };
}

describe("references", () => {
  test.each([
    [
      "an agent, also in variables and tests",
      "agent: Ash",
      [
        "agents.lock.json:5:4",
        "ivrs/example.yaml:11:25",
        "ivrs/example.yaml:3:26",
        "ivrs/shops/_defaults.yaml:3:16",
      ],
    ],
    [
      "a menu",
      "menu: sho",
      [
        "ivrs/example.yaml:12:25",
        "ivrs/example.yaml:4:24",
        "ivrs/other.test.yaml:0:6",
        "ivrs/shops/first.yaml:0:0",
      ],
    ],
    [
      "a variable of one menu, which is not that of others",
      "in {{ci",
      ["ivrs/example.yaml:0:22", "ivrs/example.yaml:1:8"],
    ],
  ])("of %s", async (_, part, places) => {
    const { editor, after } = await start();
    expect((await editor.references(file, after(part))).sort()).toEqual(places);
  });

  test("of a variable that a menu overrides are those of both", async () => {
    const { editor } = await start();
    const second = files["ivrs/shops/second.yaml"]?.replace("{{ci", "{{ci¦");
    expect((await editor.references("ivrs/shops/second.yaml", second)).sort()).toEqual([
      expect.stringMatching(/^ivrs\/shops\/_defaults.yaml:3:/),
      expect.stringMatching(/^ivrs\/shops\/_defaults.yaml:4:/),
      expect.stringMatching(/^ivrs\/shops\/second.yaml:/),
      expect.stringMatching(/^ivrs\/shops\/second.yaml:/),
    ]);
  });

  test("of a recording are in every environment", async () => {
    const { editor, after } = await start();
    const places = await editor.references(file, after("recording: wel"));
    expect(places).toEqual(expect.arrayContaining(["ivrctl.yaml:12:2", "ivrctl.yaml:33:6"]));
    expect(places).toEqual(
      expect.arrayContaining(["ivrs/example.yaml:7:11", "ivrs/example.yaml:11:43"]),
    );
  });

  test("the symbols of a project are its agents, menus, recordings and variables", async () => {
    const { editor } = await start();
    await editor.type(file);
    const found = async (query: string) =>
      (await editor.named(query)).map(({ name, containerName }) => [name, containerName]);
    expect(await found("asha")).toEqual([["Asha Rao", "agent"]]);
    expect(await found("SHOPS/F")).toEqual([["shops/first", "menu"]]);
    expect(await found("wel")).toContainEqual(["welcome", "recording"]);
    expect(await found("clos")).toEqual([["closer", "variable"]]);
  });
});

describe("rename", () => {
  test("of a variable leaves others with the same name alone", async () => {
    const { rename } = await start();
    const { old, texts } = await rename("in {{ci", "town");
    expect(old).toBe("city");
    expect(texts).toEqual({
      [file]: text.replace("{{city}}", "{{town}}").replace("city:", "town:"),
    });
  });

  test("of a recording changes all environments", async () => {
    const { rename } = await start();
    const { texts } = await rename("recording: wel", "hello: you");
    expect(texts[file]).toContain('recording: "hello: you"\n');
    expect(texts[file]).toContain(
      'hears: [ "hello: you" ]'.replaceAll(/\[ | \]/g, (s) => s.trim()),
    );
    expect(texts["ivrctl.yaml"]?.match(/"hello: you":/g)).toHaveLength(2);
  });

  test("of an agent puts a different one in all places", async () => {
    const { rename } = await start();
    const { texts } = await rename("agent: Ash", "अनिल देशपांडे");
    expect(Object.keys(texts).sort()).toEqual([file, "ivrs/shops/_defaults.yaml"]);
    expect(texts[file]).toBe(text.replaceAll("Asha Rao", "अनिल देशपांडे"));
  });

  test("of a menu moves its file and its tests, and keeps its record", async () => {
    const { rename } = await start();
    const { texts, moved } = await rename("menu: sho", "shops/pune");
    expect(moved).toEqual([
      [first, "ivrs/shops/pune.yaml"],
      ["ivrs/shops/first.test.yaml", "ivrs/shops/pune.test.yaml"],
    ]);
    expect(texts).toEqual({
      [file]: text.replaceAll("shops/first", "shops/pune"),
      [first]: `moved_from: shops/first\n${files[first]}`,
      "ivrs/other.test.yaml": files["ivrs/other.test.yaml"]?.replace("first", "pune"),
    });
  });

  test("of a menu with an `id` moves no file", async () => {
    const { rename } = await start({ [first]: `id: shops/first\n${files[first]}` });
    const { texts, moved } = await rename("menu: sho", "shop");
    expect(moved).toEqual([]);
    expect(texts[first]).toBe(`moved_from: shops/first\nid: shop\n${files[first]}`);
  });

  test.each([
    ["a key that a menu has", "menu: sho", "Shops/second", {}],
    ["a key that is not valid", "menu: sho", "shops/a b", {}],
    ["a folder with different defaults", "menu: sho", "pune", {}],
    [
      "a menu that was renamed before",
      "menu: sho",
      "shops/b",
      { [first]: `moved_from: a\n${files[first]}` },
    ],
    [
      "a menu that does not exist",
      "menu: sho",
      "shops/b",
      { [file]: text.replaceAll("shops/first", "shops/no") },
    ],
    ["a variable that exists", "in {{ci", "closer", {}],
    ["a variable that cannot exist", "in {{ci", "a b", {}],
    ["a recording that exists", "recording: wel", "goodbye", {}],
    ["a recording that would be an id", "recording: wel", "1234", {}],
    ["an agent who does not exist", "agent: Ash", "Asha Roa", {}],
    ["an ambiguous agent", "agent: Ash", "Ravi Kumar", {}],
    ["a blocked agent", "agent: Ash", "Meera Joshi", {}],
    ["an agent that a variable cannot name", "agent: Ash", "Ravi Kumar, team Billing", {}],
  ])("is refused: %s", async (_, part, to, changed) => {
    const { rename } = await start(changed);
    await expect(rename(part, to)).rejects.toThrow(/^[\w./]+:\d+: /);
  });
});

describe("quick fixes for agents", () => {
  test("offer each candidate of an ambiguous name", async () => {
    const { editor } = await start();
    const fixes = await editor.fixes(file, text.replace("Asha Rao }", "Ravi K¦umar } # who?"));
    expect(fixes.map(({ title }) => title)).toEqual([
      "Replace Ravi Kumar with Ravi Kumar, team Billing",
      "Replace Ravi Kumar with Ravi Kumar, team Sales",
    ]);
    expect(fixes[1]?.text).toContain("agent: Ravi Kumar, team: Sales } # who?");
  });

  test("offer who could take the calls of an agent who left or is blocked", async () => {
    const { editor } = await start();
    const gone = text.replaceAll("Asha Rao", "Nobody At All").replace("Nobody", "Nob¦ody");
    const fixes = await editor.fixes(file, gone);
    expect(fixes.map(({ title }) => title)).toContain(
      "Replace Nobody At All with Front Desk in all 2 places",
    );
    const chosen = fixes.find(({ title }) => title.includes("Front Desk"));
    expect(chosen?.text).toBe(text.replaceAll("Asha Rao", "Front Desk"));
    const blocked = await editor.fixes(file, text.replace("Asha Rao }", "Meera J¦oshi }"));
    expect(blocked.map(({ title }) => title)).toContain("Replace Meera Joshi with Front Desk");
  });

  test("offer first who has the extension of a name that is gone", async () => {
    const list = readFileSync("templates/project/agents.lock.json", "utf8");
    const renamed = list.replace(
      /"name": "Asha Rao"(.*) \}/,
      '"name": "Asha Iyer"$1, "was": "Asha Rao" }',
    );
    const { editor } = await start({ "agents.lock.json": renamed });
    const [fix] = await editor.fixes(file, text.replace("Asha Rao }", "Asha R¦ao }"));
    expect(fix?.title).toBe("Replace Asha Rao with Asha Iyer in all 3 places");
    expect(fix?.text).toBe(text.replaceAll("Asha Rao", "Asha Iyer"));
  });

  test("add key 0, which goes where callers go after silence", async () => {
    const { editor } = await start();
    const without = text.replace("  0: Front Desk\n", "");
    const [fix] = await editor.fixes(file, without.replace("options", "opt¦ions"));
    expect(fix?.text).toBe(
      without.replace("Billing }\n", "Billing }\n  0: { for: Operator, agent: Front Desk }\n"),
    );
  });
});
