import { describe, expect, test } from "vitest";
import { CompletionItemTag } from "vscode-languageserver";
import { exampleProject } from "../support/cli.ts";
import { startEditor } from "../support/editor.ts";
import { menu } from "../support/project.ts";

const file = "ivrs/example.yaml";
const text = `name: Front desk
description: First menu
recording: welcome
options:
  1: { for: Sales, agent: Asha Rao }
  2: Front Desk
invalid:
  destination: Front Desk
timeout:
  destination: Front Desk
`;

async function complete(written: string, where = file, files: Record<string, string> = {}) {
  const editor = await startEditor(exampleProject(files));
  return editor.complete(where, written);
}
const labels = async (...args: Parameters<typeof complete>) =>
  (await complete(...args)).map(({ label }) => label);

describe("completion of agents", () => {
  test("shows team, intercom and blocked agents, and writes what distinguishes two of them", async () => {
    const found = await complete(text.replace("2: Front Desk", "2: ¦"));
    const line = (written = "") => written.split("\n")[5];
    expect(found.map(({ label, detail, text: after }) => [label, detail, line(after)])).toEqual([
      ["Asha Rao", "Team Sales, department Sales, intercom 1001.", "  2: Asha Rao"],
      [
        "Ravi Kumar",
        "Team Billing, department Accounts and Support, intercom 1002.",
        "  2: { agent: Ravi Kumar, team: Billing }",
      ],
      [
        "Ravi Kumar",
        "Team Sales, department Sales, intercom 1003.",
        "  2: { agent: Ravi Kumar, team: Sales }",
      ],
      ["Front Desk", "Intercom 1004.", "  2: Front Desk"],
      [
        "Meera Joshi",
        "Blocked: this agent gets no calls. Team Support, department Support, intercom 1005.",
        "  2: Meera Joshi",
      ],
      [
        "अनिल देशपांडे",
        "Team Support, department Support and Night shift, intercom 1006.",
        "  2: अनिल देशपांडे",
      ],
    ]);
    expect(found.map(({ labelDetails }) => labelDetails?.description)).toEqual([
      "",
      "team: Billing",
      "team: Sales",
      "",
      "",
      "",
    ]);
    const blocked = found.filter(({ tags }) => tags?.includes(CompletionItemTag.Deprecated));
    expect(blocked.map(({ label }) => label)).toEqual(["Meera Joshi"]);
  });

  test("shows the extension of agents that differ in nothing else, also after `agent:`", async () => {
    const agents = ["7", "8"].map((eid) => ({ name: "Asha Rao", eid, intercom: "1001" }));
    const found = await complete(text.replace("2: Front Desk", "2: { agent: ¦ }"), file, {
      "agents.lock.json": JSON.stringify(agents),
    });
    expect(found.map(({ labelDetails }) => labelDetails)).toEqual([
      { description: 'eid: "7"' },
      { description: 'eid: "8"' },
    ]);
    expect(found[1]?.text).toContain('2: { agent: Asha Rao, eid: "8" }\n');
  });

  test("writes the team of an ambiguous name after `agent:`, unless the mapping has it", async () => {
    const written = async (option: string) => {
      const found = await complete(text.replace("2: Front Desk", option));
      return found.find(({ label }) => label === "Ravi Kumar")?.text;
    };
    expect(await written("2: { agent: ¦ }")).toContain("2: { agent: Ravi Kumar, team: Billing }\n");
    expect(await written("2:\n    for: X\n    agent: ¦")).toContain(
      "    agent: Ravi Kumar\n    team: Billing\n",
    );
    expect(await written("2: { agent: ¦, team: Sales }")).toContain(
      "2: { agent: Ravi Kumar, team: Sales }\n",
    );
  });

  test("offers the fields of a menu in the order in which people write them", async () => {
    const found = await complete("¦");
    const sorted = found.toSorted((a, b) => ((a.sortText ?? "") < (b.sortText ?? "") ? -1 : 1));
    expect(sorted.slice(0, 6).map(({ label }) => label)).toEqual([
      "name",
      "description",
      "recording",
      "options",
      "invalid",
      "timeout",
    ]);
  });

  test.each([
    ["in the middle of a word", "2: Front Desk", "2: As¦ha", "  2: Front Desk"],
    ["in quotes", "2: Front Desk", '2: "Fro¦nt"', "  2: Front Desk"],
    ["in quotes that are still open", "2: Front Desk", '2: "Fro¦', "  2: Front Desk"],
    ["in a mapping", "2: Front Desk", "2: { agent: Fro¦ }", "  2: { agent: Front Desk }"],
    [
      "in a mapping that is still open",
      "2: Front Desk",
      "2: { agent: ¦",
      "  2: { agent: Front Desk",
    ],
    [
      "after an emoji",
      "2: Front Desk",
      "2: { for: 😀, agent: Fro¦ }",
      "  2: { for: 😀, agent: Front Desk }",
    ],
  ])("%s replaces the whole name", async (_, before, after, expected) => {
    const found = await complete(text.replace(before, after));
    const desk = found.find(({ label }) => label === "Front Desk");
    expect(desk?.text.split("\n")[5]).toBe(expected);
    expect(desk?.text.split("\n")[6]).toBe("invalid:");
    const typed = /["']/.exec(after)?.[0] ?? "";
    expect(desk?.filterText).toBe(`${typed}Front Desk`);
  });

  test("offers teams and departments", async () => {
    expect(await labels(text.replace("Front Desk", "{ team: ¦ }"))).toEqual([
      "Sales",
      "Billing",
      "Support",
    ]);
    expect(await labels(text.replace("Front Desk", "{ department: ¦ }"))).toContain("Night shift");
  });
});

describe("completion of other names", () => {
  test("recordings, with what they say", async () => {
    const found = await complete(text.replace("welcome", "¦"));
    expect(found.map(({ label, detail }) => [label, detail])).toContainEqual([
      "not-valid",
      "That key is not in use.",
    ]);
    expect(await labels(`${text}tests:\n  - { press: 1, hears: [¦] }\n`)).toContain("goodbye");
  });

  test("menu keys, with the names of the menus", async () => {
    const files = { "ivrs/sales/india.yaml": menu("Sales in India") };
    for (const written of [
      text.replace("2: Front Desk", "2: { menu: ¦ }"),
      `${text}tests:\n  - { press: 1, in: ¦ }\n`,
    ]) {
      const found = await complete(written, file, files);
      expect(found.map(({ label, detail }) => [label, detail])).toEqual([
        ["example", "Front desk"],
        ["sales/india", "Sales in India"],
      ]);
    }
    expect(await labels("menu: ¦\ntests: []\n", "ivrs/x.test.yaml", files)).toContain(
      "sales/india",
    );
  });

  test("variables", async () => {
    const written = `vars: { shop: Thane }\n${text.replace("First menu", "In {{¦")}`;
    const found = await complete(written);
    expect(found.map(({ label, detail }) => [label, detail])).toEqual([["shop", "Thane"]]);
    const files = { "ivrs/example.yaml": `vars: { shop: Thane }\n${text}` };
    const inFolder = { "ivrs/a/_defaults.yaml": "vars: { shop: Pune, desk: 'At {{shop}}' }\n" };
    const inner = await complete(written, "ivrs/a/b.yaml", inFolder);
    expect(inner.map(({ label, detail }) => [label, detail])).toEqual([
      ["shop", "Thane"],
      ["desk", "At {{shop}}"],
    ]);
    const test = "tests:\n  - { press: 1, reaches: '{{s¦' }\n";
    expect(await labels(test, "ivrs/example.test.yaml", files)).toEqual(["shop"]);
  });

  test("rules, in ignore comments and in ivrctl.yaml", async () => {
    const plugin = {
      "rule.mjs": "export default { name: 'own', rules: { one: { check() {} } } };\n",
      "ivrctl.yaml":
        "version: 1\nrules: { plugins: [./rule.mjs] }\ndefault_environment: a\nenvironments: { a: { service: sandbox } }\n",
    };
    const found = await labels(`# ivrctl-ignore: menu-too-long, ¦\n${text}`, file, plugin);
    expect(found).toEqual(expect.arrayContaining(["blocked-agent", "own/one"]));
    const named = await complete("rules:\n  menu-too-l¦\n", "ivrctl.yaml");
    expect(named.find(({ label }) => label === "menu-too-long")?.documentation).toBe(
      "The menu has too many options. Default: warn.",
    );
    expect(await labels("rules:\n  menu-too-long: ¦\n", "ivrctl.yaml")).toEqual(
      expect.arrayContaining(["warn", "off"]),
    );
  });
});

describe("completion of fields", () => {
  test.each([
    ["of an empty file", "¦", ["name", "options", "timeout"], []],
    ["at the end of a menu", `${text}¦`, ["owner", "on_change"], ["name", "timeout"]],
    ["in a section", `${text}  ¦`, ["wait", "retries"], ["destination"]],
    ["in a new section", `${text}extra:\n  ¦`, ["timeout_retries"], ["wait"]],
    ["before other fields", text.replace("recording:", "o¦\nrecording:"), ["owner"], ["name"]],
    ["in a flow mapping", text.replace("Front Desk", "{ ¦ }"), ["for", "agent", "menu"], ["wait"]],
    ["in a list", `${text}tests:\n  - ¦`, ["press", "reaches"], ["name of"]],
    ["of the options", text.replace("  2:", "  ¦\n  2:"), ["3", "0", "*"], ["1", "2"]],
    ["in the second document", `id: a\n${text}---\n${text}¦`, ["id", "owner"], ["name"]],
  ])("%s offers those that are missing", async (_, written, offered, missing) => {
    const found = await labels(written);
    expect(found).toEqual(expect.arrayContaining(offered));
    for (const label of missing) expect(found).not.toContain(label);
  });

  test("writes the colon, and quotes where YAML needs them", async () => {
    const at = async (written: string, label: string) => {
      const found = await complete(written);
      return found
        .find((item) => item.label === label)
        ?.text.split("\n")
        .at(-1);
    };
    expect(await at("own¦", "owner")).toBe("owner: ");
    expect(await at("time¦", "timeout")).toBe("timeout:");
    expect(await at("own¦: me", "owner")).toBe("owner: me");
    expect(await at("options:\n  ¦", "*")).toBe('  "*": ');
  });

  test("explains them, and offers the words that are allowed", async () => {
    const field = (await complete(`${text}  wai¦`)).find(({ label }) => label === "wait");
    expect(field?.documentation).toContain("How long the menu waits for a key");
    expect(await labels(`${text}on_change: ¦`)).toEqual(["replace", "refuse"]);
    expect(await labels(`${text}entry: ¦`)).toEqual(["true", "false"]);
  });

  test("knows the other kinds of files", async () => {
    expect(await labels("¦", "ivrs/_defaults.yaml")).not.toContain("id");
    expect(await labels("¦", "ivrs/example.test.yaml")).toEqual(["menu", "tests"]);
    expect(await labels("version: 1\n¦", "ivrctl.yaml")).toContain("recordings");
  });

  test("offers nothing in a text", async () => {
    expect(await labels(text.replace("First menu", "First ¦"))).toEqual([]);
    expect(await labels(`# A comment ¦\n${text}`)).toEqual([]);
  });
});
