import { describe, expect, test } from "vitest";
import { menuAt } from "../../src/editing/at.ts";
import { attempt, edit, loaderOf } from "../../src/editing/edit.ts";
import { takeTask } from "../../src/editing/take-change.ts";
import { TextFiles } from "../../src/project/text-files.ts";
import { EditProblem } from "../../src/references/edits.ts";
import type { Intent, WantedField } from "../../src/schema/intent.ts";
import { loadProject } from "../../src/workspace/load-project.ts";
import { testHost } from "../support/host.ts";

const agent = (name: string, eid: string, fields: object = {}) => ({
  id: eid,
  name,
  eid,
  intercom: null,
  team: null,
  departments: [],
  blocked: false,
  ...fields,
});

const agents = [
  agent("Asha Rao", "1", { team: "Sales" }),
  agent("Ravi Kumar", "2", { team: "Billing" }),
  agent("Ravi Kumar", "3", { team: "Sales" }),
  agent("Front Desk", "4"),
  agent("Meera Joshi", "5", { blocked: true }),
];

const list = { format_version: "2.0", environment: "sandbox", service: "sandbox", agents };

const config = `version: 1
default_environment: sandbox
environments:
  sandbox: { service: sandbox }
recordings:
  welcome: { id: "10", says: 'For sales, press 1.' } # the greeting
  long:
    id: "11"
    says: >
      For sales,
      press 1.
    seconds: 4
  bare: "12"
destinations: { night shift: { kind: timegroup, id: "12" } }
defaults:
  description: A menu
  recording: welcome
  invalid: { retries: 2, recording: bare, destination: Front Desk }
  timeout: { wait: 5, retries: 2, retry_recording: bare, recording: bare, destination: { hangup: true } }
`;

/** Edits a project in memory. Returns the new texts, or why it is refused. */
async function edited(files: Readonly<Record<string, string>>, intent: Intent) {
  const all = { "ivrctl.yaml": config, "agents.lock.json": JSON.stringify(list), ...files };
  const place = {
    root: "/nowhere",
    globals: { env: undefined },
    host: testHost(),
    files: new TextFiles(all),
  };
  const asked = { paths: [], agentsRequired: true, advice: "all", tests: true } as const;
  try {
    const { texts } = await edit(await loadProject(place, asked), intent);
    return Object.fromEntries(texts);
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return error.message;
  }
}

const person = (eid: string) => ({ kind: "agent", eid }) as const;

/** Gives a key of the menu `a` to a person. */
function option(
  from: string | undefined,
  to: (Intent & { do: "option" })["to"],
  where: "here" | "everywhere" = "here",
  menu = "a",
): Intent {
  return { do: "option", menu, where, ...(from !== undefined && { from }), to };
}

function set(
  path: WantedField["path"],
  to: WantedField["to"],
  where: "here" | "everywhere" = "here",
): Intent {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema pairs paths and values
  return { do: "set", menu: "a", where, fields: [{ path, to } as WantedField] };
}

async function menuAfter(text: string, intent: Intent): Promise<string> {
  const result = await edited({ "ivrs/a.yaml": text }, intent);
  return typeof result === "string" ? result : (result["ivrs/a.yaml"] ?? JSON.stringify(result));
}

describe("a key in its own file", () => {
  test("in braces keeps its order, quotes and comments", async () => {
    const text = `name: A # first
options:
  1: { for: 'Sales', agent: "Asha Rao" } # ask Asha
  0: Front Desk
`;
    const to = { key: "1", for: "Sales", destination: person("4") };
    expect(await menuAfter(text, option("1", to))).toBe(text.replace('"Asha Rao"', '"Front Desk"'));
    const two = { key: "1", for: "New cars", destination: person("2") };
    expect(await menuAfter(text, option("1", two))).toBe(
      text.replace(`'Sales', agent: "Asha Rao"`, `'New cars', agent: "Ravi Kumar", team: Billing`),
    );
  });

  test("in a block", async () => {
    const text = `name: A
options:
  1:
    # Only in the morning.
    agent: Ravi Kumar
    team: Billing
    for: Bills
  0: Front Desk
`;
    const to = { key: "1", for: "Bills", destination: person("1") };
    expect(await menuAfter(text, option("1", to))).toBe(
      text.replace("agent: Ravi Kumar\n    team: Billing", "agent: Asha Rao"),
    );
    const menu = { key: "1", for: "Bills", destination: { kind: "menu", key: "a" } } as const;
    expect(await menuAfter(text, option("1", menu))).toBe(
      text.replace("agent: Ravi Kumar\n    team: Billing", "menu: a"),
    );
  });

  test("a bare name becomes a mapping if there is a purpose", async () => {
    const text = "name: A\noptions: { 1: Asha Rao, 0: Front Desk }\n";
    const to = { key: "1", for: "Sales, or parts", destination: person("1") };
    expect(await menuAfter(text, option("1", to))).toBe(
      'name: A\noptions: { 1: { for: "Sales, or parts", agent: Asha Rao }, 0: Front Desk }\n',
    );
  });

  test("is added where people announce it, and renumbered in place", async () => {
    const text = "name: A\noptions:\n  1: Asha Rao # first\n  0: Front Desk\n# end\n";
    const to = { key: "2", for: "Bills", destination: person("2") };
    const added = await menuAfter(text, option(undefined, to));
    expect(added).toBe(
      text.replace("first\n", "first\n  2: { for: Bills, agent: Ravi Kumar, team: Billing }\n"),
    );
    const star = { key: "*", for: "Bills", destination: person("2") };
    expect(await menuAfter(added, option("2", star))).toBe(added.replace("  2:", '  "*":'));
    expect(await menuAfter(added, option("1", { ...to, destination: person("1") }))).toBe(
      "This menu already has a key 2.",
    );
  });

  test("is removed with its line", async () => {
    const text = "name: A\r\noptions:\r\n  1: Asha Rao\r\n  2: Ravi Kumar\r\n  0: Front Desk\r\n";
    const fixed = text.replace("Ravi Kumar", "{ agent: Ravi Kumar, team: Sales }");
    expect(await menuAfter(fixed, option("2", null))).toBe(text.replace("  2: Ravi Kumar\r\n", ""));
    const to = { key: "3", destination: person("1") };
    expect(await menuAfter(fixed, option(undefined, to))).toBe(
      fixed.replace("  0:", "  3: Asha Rao\r\n  0:"),
    );
  });

  test("which is an alias is written here, and the anchor stays", async () => {
    const text = `name: A
x-desk: &desk Front Desk
options:
  1: *desk
  2: &sales { for: Sales, agent: Asha Rao }
  3: { <<: *sales, for: More sales }
  0: *desk
`;
    const to = { key: "1", destination: person("1") };
    expect(await menuAfter(text, option("1", to))).toBe(text.replace("1: *desk", "1: Asha Rao"));
    const merged = { key: "3", for: "More sales", destination: person("4") };
    expect(await menuAfter(text, option("3", merged))).toBe(
      text.replace(
        "3: { <<: *sales, for: More sales }",
        "3: { for: More sales, agent: Front Desk }",
      ),
    );
    const anchor = { key: "2", for: "Sales", destination: person("4") };
    expect(await menuAfter(text, option("2", anchor))).toContain("would be different");
  });

  test("which is an alias is removed and moved, but not before its anchor", async () => {
    const block = `name: A
options:
  1: &desk Asha Rao # the anchor
  2: Front Desk
  # the alias
  3: *desk # again
`;
    const order = (...keys: string[]): Intent => ({ do: "order", menu: "a", where: "here", keys });
    expect(await menuAfter(block, option("3", null))).toBe(
      block.replace("  3: *desk # again\n", ""),
    );
    expect(await menuAfter(block, order("1", "3", "2"))).toBe(
      block.replace(/( {2}2: .*\n)([^]*)/, "$2$1"),
    );
    expect(await menuAfter(block, order("3", "1", "2"))).toContain("desk");
    expect(await menuAfter(block, option("1", null))).toContain("desk");
    const flow = "name: A\noptions: { 1: &desk Asha Rao, 2: *desk, 3: Front Desk, 4: *desk }\n";
    expect(await menuAfter(flow, option("2", null))).toBe(flow.replace(" 2: *desk,", ""));
    expect(await menuAfter(flow, option("3", null))).toBe(flow.replace(" 3: Front Desk,", ""));
    expect(await menuAfter(flow, option("4", null))).toBe(flow.replace(", 4: *desk", ""));
  });

  test("of one of several menus in a file", async () => {
    const text = `id: a
name: A
options: { 1: Asha Rao }
---
id: b
name: B
options: { 1: Asha Rao }
`;
    const to = { key: "1", destination: person("4") };
    const result = await edited({ "ivrs/both.yaml": text }, option("1", to, "here", "b"));
    expect(result).toEqual({
      "ivrs/both.yaml": text.replace(
        "name: B\noptions: { 1: Asha Rao",
        "name: B\noptions: { 1: Front Desk",
      ),
    });
  });

  test("goes to an alias of ivrctl.yaml, and to what has none by its kind and id", async () => {
    const text = "name: A\noptions: { 1: Asha Rao }\n";
    const to = (id: string) =>
      option("1", { key: "1", destination: { kind: "other", name: "timegroup", id } });
    expect(await menuAfter(text, to("12"))).toBe(text.replace("Asha Rao", "{ to: night shift }"));
    expect(await menuAfter(text, to("13"))).toContain("1: { kind: timegroup, id: ");
  });

  test("is refused if nobody would answer", async () => {
    const to = { key: "1", destination: person("5") };
    expect(await menuAfter("name: A\noptions: { 1: Asha Rao }\n", option("1", to))).toContain(
      "blocked",
    );
  });
});

describe("a key that several menus share", () => {
  const files = {
    "ivrs/_defaults.yaml": `# Every town.
name: "Town {{town}}"
options:
  1: { for: "Sales at {{town}}", agent: "{{seller}}" }
  2: { for: Repairs, agent: Ravi Kumar, team: Billing } # by day
  0: Front Desk
vars: { seller: Asha Rao }
`,
    "ivrs/a.yaml": "vars: { town: A }\n",
    "ivrs/b.yaml": "vars: { town: B }\n",
    "ivrs/c.yaml": "vars: { town: C, seller: Front Desk }\n",
  };

  test("can change only here, with the variable of the menu or with an option of its own", async () => {
    const one = { key: "1", for: "Sales at A", destination: person("4") };
    expect(await edited(files, option("1", one))).toEqual({
      "ivrs/a.yaml": "vars: { town: A, seller: Front Desk }\n",
    });
    const two = { key: "2", for: "Repairs", destination: person("1") };
    expect(await edited(files, option("2", two))).toEqual({
      "ivrs/a.yaml": "vars: { town: A }\noptions: { 2: { for: Repairs, agent: Asha Rao } }\n",
    });
    expect(await edited(files, option("2", null))).toEqual({
      "ivrs/a.yaml": "vars: { town: A }\noptions: { 2: null }\n",
    });
    expect(await edited(files, option("2", { ...two, key: "3" }))).toEqual({
      "ivrs/a.yaml":
        "vars: { town: A }\noptions: { 2: null, 3: { for: Repairs, agent: Asha Rao } }\n",
    });
  });

  test("changes beside a key of the menu that comes first, and no key gets a different place", async () => {
    const text = "vars: { town: A }\noptions:\n  9: Front Desk # first\n";
    const own = { ...files, "ivrs/a.yaml": text };
    const two = { key: "2", for: "Repairs", destination: person("1") };
    const changed = `${text}  2: { for: Repairs, agent: Asha Rao }\n`;
    expect(await edited(own, option("2", two))).toEqual({ "ivrs/a.yaml": changed });
    expect(await edited(own, option("2", null))).toEqual({ "ivrs/a.yaml": `${text}  2: null\n` });
  });

  test("makes no error that a different menu has already", async () => {
    const all = {
      "ivrs/a.yaml": "name: A\noptions: { 1: null, 2: Asha Rao }\n",
      // What comes from `<<` is not removed, and without a default, null is no way to remove a key.
      "ivrs/b.yaml":
        "x-desk: &desk { 1: Asha Rao }\nname: B\noptions: { <<: *desk, 2: Front Desk }\n",
    };
    expect(await edited(all, option("1", null, "here", "b"))).toEqual(expect.any(String));
  });

  test("can change everywhere", async () => {
    const one = { key: "1", for: "Sales at A", destination: person("4") };
    const defaults = files["ivrs/_defaults.yaml"];
    expect(await edited(files, option("1", one, "everywhere"))).toEqual({
      "ivrs/_defaults.yaml": defaults.replace("seller: Asha Rao", "seller: Front Desk"),
    });
    const two = { key: "3", for: "Repairs", destination: person("1") };
    expect(await edited(files, option("2", two, "everywhere"))).toEqual({
      "ivrs/_defaults.yaml": defaults.replace(
        "2: { for: Repairs, agent: Ravi Kumar, team: Billing }",
        "3: { for: Repairs, agent: Asha Rao }",
      ),
    });
    expect(await edited(files, option("2", null, "everywhere"))).toEqual({
      "ivrs/_defaults.yaml": defaults.replace(
        "  2: { for: Repairs, agent: Ravi Kumar, team: Billing } # by day\n",
        "",
      ),
    });
  });
});

describe("other values", () => {
  const text = "name: A\noptions: { 1: Asha Rao }\n";

  test("retries and destinations override a default", async () => {
    expect(await menuAfter(text, set("invalid.retries", "3"))).toBe(
      `${text}invalid: { retries: 3 }\n`,
    );
    const path = "timeout.destination";
    expect(await menuAfter(text, set(path, person("4")))).toBe(
      `${text}timeout: { destination: Front Desk }\n`,
    );
    const hangup = { kind: "other", name: "hangup", id: "1" } as const;
    const invalid = "invalid.destination";
    expect(await edited({ "ivrs/a.yaml": text }, set(invalid, hangup, "everywhere"))).toEqual({
      "ivrctl.yaml": config.replace("destination: Front Desk", "destination: { hangup: true }"),
    });
  });

  test("the text of a recording is written in ivrctl.yaml, in its style", async () => {
    const says = (recording: string, to: string): Intent => ({ do: "says", recording, to });
    expect(await edited({ "ivrs/a.yaml": text }, says("welcome", "It's 1."))).toEqual({
      "ivrctl.yaml": config.replace("'For sales, press 1.'", "'It''s 1.'"),
    });
    expect(await edited({ "ivrs/a.yaml": text }, says("bare", "No."))).toEqual({
      "ivrctl.yaml": config.replace('bare: "12"', 'bare: { id: "12", says: No. }'),
    });
    const long = `${text}recording: long\n`;
    expect(await edited({ "ivrs/a.yaml": long }, says("long", "For: all"))).toEqual({
      "ivrctl.yaml": config.replace(">\n      For sales,\n      press 1.\n", '"For: all"\n'),
    });
  });

  test("a failed test expects what happens now", async () => {
    const tests = `${text}tests:
  - { name: Sales, press: 1, reaches: 'Front Desk' } # before May
`;
    const intent = { do: "expect", menu: "a", file: "ivrs/a.yaml", line: 4 } as const;
    expect(await menuAfter(tests, intent)).toBe(tests.replace("'Front Desk'", "'Asha Rao'"));
    expect(await menuAfter(text, intent)).toContain("no failed test");
  });

  test("a test that menus share changes for all of them only if it is right for most", async () => {
    const defaults = `tests:
- press: 1
  reaches: Asha Rao # always
- { press: [9, 9, 9], reaches: Front Desk }
`;
    const menu = (name: string, who: string) => `name: ${name}\noptions: { 1: ${who} }\n`;
    const files = {
      "ivrs/t/_defaults.yaml": defaults,
      "ivrs/t/a.yaml": menu("A", "Front Desk"),
      "ivrs/t/b.yaml": menu("B", "Asha Rao"),
      "ivrs/t/c.yaml": menu("C", "Asha Rao"),
    };
    const ravi = "{ agent: Ravi Kumar, team: Billing }";
    const intent = { do: "expect", file: "ivrs/t/_defaults.yaml", line: 2 } as const;
    expect(await edited(files, { ...intent, menu: "t/a" })).toEqual({
      "ivrs/t/a.yaml": `${menu("A", "Front Desk")}tests:
  - press: 1
    reaches: Front Desk # always
  - { press: [9, 9, 9], reaches: Front Desk }
`,
    });
    const most = {
      ...files,
      "ivrs/t/b.yaml": menu("B", ravi),
      "ivrs/t/c.yaml": menu("C", ravi),
    };
    expect(await edited(most, { ...intent, menu: "t/b" })).toEqual({
      "ivrs/t/_defaults.yaml": defaults.replace("Asha Rao", ravi),
    });
    expect(Object.keys(await edited(most, { ...intent, menu: "t/a" }))).toEqual(["ivrs/t/a.yaml"]);
  });

  test("a call becomes a test", async () => {
    const intent: Intent = { do: "test", menu: "a", press: ["9", "9", "9"] };
    const saved = await menuAfter(text, intent);
    expect(saved).toBe(`${text}tests:\n  - { press: [9, 9, 9], reaches: Front Desk }\n`);
    expect(await menuAfter(saved, { ...intent, press: ["_", "_", "_"] })).toBe(
      `${saved}  - { press: [], reaches: { hangup: true } }\n`,
    );
    expect(await menuAfter(saved, { ...intent, press: ["9"] })).toContain("has not ended");
  });

  test("a call that ends at any kind of destination becomes a test", async () => {
    const box = "name: A\noptions: { 1: { kind: voicemail, id: '7' } }\n";
    const saved = await menuAfter(box, { do: "test", menu: "a", press: ["1"] });
    expect(saved).toBe(`${box}tests:\n  - { press: 1, reaches: { kind: voicemail, id: "7" } }\n`);
  });

  test("a new menu has only what the defaults do not give it", async () => {
    const option = { key: "1", for: "Desk", destination: person("4") };
    const intent: Intent = { do: "menu", key: "new", like: "a", name: "New", option };
    expect(await edited({ "ivrs/a.yaml": text }, intent)).toEqual({
      "ivrs/new.yaml":
        "name: New\ndescription: New\n\noptions:\n  1: { for: Desk, agent: Front Desk }\n",
    });
  });
});

describe("menus as a whole", () => {
  const text = `name: A
numbers:
  - "+91 22 4123 4567" # the old one
  - "+912241234568"
options:
  # Sales first.
  1: { for: Sales, agent: Asha Rao } # s
  2: Front Desk
tests:
  - { press: 1, reaches: Asha Rao }
`;

  test("numbers are replaced, added and removed in their lines", async () => {
    const numbers = (...to: string[]) => menuAfter(text, set("numbers", to));
    expect(await numbers("+912241234569", "+912241234568")).toBe(
      text.replace("+91 22 4123 4567", "+912241234569"),
    );
    expect(await numbers("+912241234568")).toBe(
      text.replace('  - "+91 22 4123 4567" # the old one\n', ""),
    );
    expect(await numbers("+912241234567", "+912241234568", "+912241234569")).toBe(
      text.replace('4568"\n', '4568"\n  - "+912241234569"\n'),
    );
  });

  test("keys have a different order, and comments move along", async () => {
    expect(await menuAfter(text, { do: "order", menu: "a", where: "here", keys: ["2", "1"] })).toBe(
      text.replace(
        /( {2}# Sales.*\n {2}1.*\n)( {2}2.*\n)/,
        (_, first: string, second: string) => second + first,
      ),
    );
  });

  test("several fields change together or not at all", async () => {
    const to = (wait: string): Intent => ({
      do: "set",
      menu: "a",
      where: "here",
      fields: [
        { path: "timeout.retries", to: "3" },
        { path: "timeout.wait", to: wait },
        { path: "recording", to: "long" },
      ],
    });
    expect(await menuAfter(text, to("7"))).toBe(
      text.replace("tests:", "timeout: { retries: 3, wait: 7 }\nrecording: long\ntests:"),
    );
    const bad: Intent = { ...to("7"), do: "set", menu: "a", where: "here", fields: [] };
    const fields = [
      { path: "timeout.wait", to: "7" } as const,
      { path: "recording", to: "nobody" } as const,
    ];
    expect(await menuAfter(text, { ...bad, fields })).toContain("There is no recording `nobody`");
  });

  test("a value of its own is removed, so that the default counts", async () => {
    const own = `${text}timeout: { wait: 9 } # slow\n`;
    expect(await menuAfter(own, set("timeout.wait", null))).toContain("timeout: {  } # slow");
    expect(await menuAfter(text, set("timeout.wait", null))).toContain("no value of its own");
  });

  test("a key goes to a person in all menus from the same defaults", async () => {
    const files = {
      "ivrs/_defaults.yaml": "options: { 0: Front Desk }\n",
      "ivrs/a.yaml": "name: A\n",
      "ivrs/b.yaml": "name: B\noptions: { 1: Front Desk }\n",
    };
    const to = { key: "2", for: "Sales", destination: person("1") };
    expect(await edited(files, option(undefined, to, "everywhere"))).toEqual({
      "ivrs/_defaults.yaml": "options: { 2: { for: Sales, agent: Asha Rao }, 0: Front Desk }\n",
    });
  });

  test("a menu that only a different environment has is compared, too", async () => {
    const files = {
      "ivrctl.yaml": config.replace(
        "  sandbox: { service: sandbox }\n",
        "  sandbox: { service: sandbox }\n  staging: { service: sandbox }\n",
      ),
      "ivrs/both.yaml": `id: a
name: A
x-desk: &desk { agent: Asha Rao }
options: { 1: *desk }
---
id: b
environments: [staging]
name: B
options: { 1: Asha Rao }
tests: [{ press: 1, reaches: Asha Rao }]
`,
    };
    const to = { key: "1", destination: person("4") };
    expect(await edited(files, option("1", to))).toMatchObject({
      "ivrs/both.yaml": files["ivrs/both.yaml"].replace("1: *desk", "1: Front Desk"),
    });
    const shared = {
      "ivrctl.yaml": files["ivrctl.yaml"].replace(
        "recording: bare, destination",
        "recording: bare, destination",
      ),
      "ivrs/a.yaml": "name: A\noptions: { 1: Asha Rao }\n",
      "ivrs/b.yaml": "environments: [staging]\nname: B\noptions: { 1: Asha Rao }\n",
    };
    expect(await edited(shared, set("invalid.destination", person("1"), "everywhere"))).toEqual({
      "ivrctl.yaml": shared["ivrctl.yaml"].replace(
        "recording: bare, destination: Front Desk",
        "recording: bare, destination: Asha Rao",
      ),
    });
  });

  test("a person is replaced everywhere, in tests too", async () => {
    const intent: Intent = { do: "replace", from: "Asha Rao", to: "eid 4" };
    expect(await menuAfter(text, intent)).toBe(text.replaceAll("Asha Rao", "Front Desk"));
    expect(await menuAfter(text, { ...intent, to: "Meera Joshi" })).toContain("blocked");
    expect(await menuAfter(text, { ...intent, from: "Nobody" })).toContain("Nobody");
  });

  test("a different key moves the file and its tests, and links follow", async () => {
    const files = {
      "ivrs/a.yaml": "name: A\noptions: { 1: { menu: b } }\n",
      "ivrs/b.yaml": "name: B\noptions: { 1: Asha Rao }\n",
      "ivrs/b.test.yaml": "tests: [{ press: 1, reaches: Asha Rao }]\n",
    };
    expect(await edited(files, { do: "rename", menu: "b", to: "c" })).toEqual({
      "ivrs/a.yaml": "name: A\noptions: { 1: { menu: c } }\n",
      "ivrs/b.yaml": undefined,
      "ivrs/c.yaml": "moved_from: b\nname: B\noptions: { 1: Asha Rao }\n",
      "ivrs/b.test.yaml": undefined,
      "ivrs/c.test.yaml": files["ivrs/b.test.yaml"],
    });
    expect(await edited(files, { do: "delete", menu: "b" })).toContain("There is no menu");
    expect(await edited(files, { do: "delete", menu: "a" })).toEqual({ "ivrs/a.yaml": undefined });
    const both = `id: a\nname: A\noptions: { 1: Asha Rao }\n---\nid: b\nname: B\noptions: { 1: Asha Rao }\n`;
    expect(await edited({ "ivrs/x.yaml": both }, { do: "delete", menu: "a" })).toEqual({
      "ivrs/x.yaml": "---\nid: b\nname: B\noptions: { 1: Asha Rao }\n",
    });
  });

  test("a failed test presses the key that reaches the person", async () => {
    const moved = text.replace("  1:", "  3:");
    const press = ["3"];
    const intent: Intent = { do: "expect", menu: "a", file: "ivrs/a.yaml", line: 10, press };
    expect(await menuAfter(moved, intent)).toBe(moved.replace("press: 1", "press: 3"));
    expect(await menuAfter(moved, { ...intent, press: ["2"] })).toContain("a test would fail");
  });
});

describe("a change on the console", () => {
  test("keeps what a key is for, also where the menu overrides a default for the first time", async () => {
    const files = {
      "ivrctl.yaml": config,
      "agents.lock.json": JSON.stringify(list),
      "ivrs/_defaults.yaml": "options:\n  1: { for: Sales, agent: Asha Rao }\n  0: Front Desk\n",
      "ivrs/a.yaml": "name: A\n",
    };
    const project = await loadProject(
      {
        root: "/nowhere",
        globals: { env: undefined },
        host: testHost(),
        files: new TextFiles(files),
      },
      { paths: [], agentsRequired: true },
    );
    const [menu] = project.compiled.values();
    if (menu === undefined) throw new Error("The project has errors.");
    const options = menu.content.options.map(({ key, destination }) => ({
      key,
      destination: key === "1" ? person("3") : destination,
    }));
    const wanted = { ...menu.content, options };
    const task = takeTask(menuAt(project, "a"), wanted, () => undefined);
    const { texts } = await attempt(project, task, loaderOf(project));
    expect(texts.get("ivrs/a.yaml")).toBe(
      "name: A\noptions: { 1: { for: Sales, agent: Ravi Kumar, team: Sales } }\n",
    );
  });
});
