import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { startEditor } from "../support/editor.ts";
import { menu } from "../support/project.ts";

const file = "ivrs/example.yaml";
const text = `name: Front desk
description: First menu in {{city}}
vars: { city: Pune 😀 }
recording: welcome
options:
  1: { for: Sales, agent: Asha Rao }
  2: Meera Joshi
  3: { for: India, menu: sales/india }
  4: Ravi Kumar
  5: Nobody
invalid:
  retries: 3
  destination: Front Desk
timeout:
  destination: { intercom: "1004" }
tests:
  - { press: 3, in: sales/india, hears: [welcome] }
`;
const india = "ivrs/sales/india.yaml";
const files = {
  [india]: menu("Sales in India", "Asha Rao", "tests: [{ press: 1, reaches: Asha Rao }]"),
  "ivrs/sales/_defaults.yaml": "owner: sales\ntimeout: { wait: 7 }\n",
};

const start = () => startEditor(exampleProject({ [file]: text, ...files }));
/** The text with the cursor after a part of it. */
const after = (part: string, written = text) => written.replace(part, `${part}¦`);

describe("hover", () => {
  test.each([
    [
      "an agent",
      "agent: Ash",
      ["Agent Asha Rao (extension 500101)", "Team Sales, department Sales, intercom 1001."],
    ],
    [
      "a blocked agent",
      "Meera",
      [
        "Agent Meera Joshi (extension 500105)",
        "Blocked: this agent gets no calls. Team Support, department Support, intercom 1005.",
      ],
    ],
    [
      "an agent by its intercom",
      'intercom: "10',
      ["Agent Front Desk (extension 500104)", "Intercom 1004."],
    ],
    [
      "a menu",
      "menu: sales",
      ["Menu sales/india: Sales in India", "A menu called Sales in India", "1 test"],
    ],
    [
      "the menu of a test",
      "in: sales",
      ["Menu sales/india: Sales in India", "A menu called Sales in India", "1 test"],
    ],
    [
      "a recording",
      "recording: wel",
      [
        "Recording welcome (id 19549, 7 seconds)",
        '"For sales, press 1. For billing, press 2. For an operator, press 0."',
      ],
    ],
    ["a variable", "in {{ci", ['{{city}} is "Pune 😀" (ivrs/example.yaml:3).']],
    ["a value with a default", "retries: 3", ['The default is "2" (ivrctl.yaml:8).']],
    ["an unknown agent, which has a diagnostic", "5: No", []],
    ["plain text", "for: Sal", []],
  ])("of %s", async (_, part, lines) => {
    expect((await (await start()).hover(file, after(part))).split("\n\n")).toEqual(
      lines.length === 0 ? [""] : lines,
    );
  });

  test("of a field explains it, with the places of all values if some are defaults", async () => {
    const editor = await start();
    expect(await editor.hover(file, after("timeo")))
      .toBe(`What happens when a caller presses no key.

\`\`\`yaml
timeout:
  destination:
    intercom: "1004"            # ivrs/example.yaml:15
  wait: 5                       # ivrctl.yaml:9
  retries: 2                    # ivrctl.yaml:9
  retry_recording: still-there  # ivrctl.yaml:9
  recording: goodbye            # ivrctl.yaml:9
\`\`\``);
    expect(await editor.hover(file, after("opti"))).toMatch(/^The keys that callers can press/);
    // The first field stands for the whole menu.
    const whole = await editor.hover(india, after("na", files[india]));
    expect(whole).toMatch(/^owner: sales .* # ivrs\/sales\/_defaults\.yaml:1$/m);
  });

  test("works in other files", async () => {
    const editor = await start();
    const tests = "menu: sales/india\ntests:\n  - { press: 1, reaches: As¦ha Rao }\n";
    expect(await editor.hover("ivrs/x.test.yaml", tests)).toMatch(/^Agent Asha Rao /);
    expect(await editor.hover("ivrs/sales/_defaults.yaml", "timeout: { wa¦it: 7 }")).toBe(
      `How long the menu waits for a key. ivrctl assumes seconds, because the service's documentation gives no unit. Sent as \`timeout\`.\n\nThe default is "5" (ivrctl.yaml:9).`,
    );
    expect(await editor.hover("ivrctl.yaml", "rules: { menu-too-lo¦ng: off }\n")).toBe(
      "The menu has too many options. Default: warn.",
    );
  });

  test("of a variable shows what the menu gets, and in defaults what is known", async () => {
    const defaults = `vars: { desk: "Desk {{city}} {{no}}", no: 1 }\nowner: "{{de¦sk}}"\n`;
    const root = exampleProject({ "ivrs/a/_defaults.yaml": defaults.replace("¦", "") });
    const editor = await startEditor(root);
    const hotel = "vars: { city: Pune }\nname: '{{de¦sk}}'\n";
    expect(await editor.hover("ivrs/a/hotel.yaml", hotel)).toContain(
      '{{desk}} is "Desk Pune 1" (ivrs/a/\\_defaults.yaml:1).',
    );
    expect(await editor.hover("ivrs/a/_defaults.yaml", defaults)).toContain(
      'is "Desk {{city}} {{no}}"',
    );
  });

  test("shows control characters, and never as Markdown", async () => {
    const root = exampleProject({
      "agents.lock.json": JSON.stringify([{ name: "A\u202E[x](command:y)\u001B[31m", eid: "1" }]),
    });
    const found = await (await startEditor(root)).hover(file, 'options:\n  1: { eid: "¦1" }\n');
    expect(found).toBe(String.raw`Agent A\\u{202E}\[x\](command:y)␛\[31m (extension 1)`);
  });
});

describe("go to definition", () => {
  test.each([
    ["a recording", "recording: wel", "ivrctl.yaml:12:2"],
    ["a recording in a test", "hears: [wel", "ivrctl.yaml:12:2"],
    ["a menu", "menu: sales", "ivrs/sales/india.yaml:0:0"],
    ["the menu of a test", "in: sales", "ivrs/sales/india.yaml:0:0"],
    ["a variable", "in {{ci", "ivrs/example.yaml:2:8"],
    ["a section with a default", "timeo", "ivrctl.yaml:8:2"],
    ["a field with a default", "retri", "ivrctl.yaml:7:13"],
    ["a value with a default", "retries: 3", "ivrctl.yaml:7:13"],
    ["a field without a default", "nam", undefined],
    ["an agent", "agent: Ash", "agents.lock.json:5:4"],
  ])("of %s", async (_, part, place) => {
    expect(await (await start()).definition(file, after(part))).toBe(place);
  });

  test("finds the alias of the environment, the default of the nearest folder, and unsaved texts", async () => {
    const root = exampleProject({ [file]: text, ...files });
    const globals = { env: "production" };
    const editor = await startEditor(root, { globals });
    expect(await editor.definition(file, after("recording: wel"))).toBe("ivrctl.yaml:33:6");
    await editor.type("ivrs/sales/_defaults.yaml", "# 1\n# 2\ntimeout: { wait: 7 }\n");
    const wait = files[india]?.replace("{ wait", "{ wa¦it");
    expect(await editor.definition(india, wait)).toBe("ivrs/sales/_defaults.yaml:2:11");
    // A default of a folder overrides that of the project.
    const defaults = "# 1\n# 2\ntimeout: { wa¦it: 7 }\n";
    expect(await editor.definition("ivrs/sales/_defaults.yaml", defaults)).toBe("ivrctl.yaml:8:13");
  });

  test("finds a menu by its `id` in a file with several, and an SMS template", async () => {
    const config = `version: 1
default_environment: a
sms_templates_enabled: true
sms_templates: { link: "77" }
environments: { a: { service: sandbox } }
`;
    const editor = await startEditor(
      exampleProject({
        "ivrctl.yaml": config,
        "ivrs/two.yaml": `id: one\n${menu("One")}---\nid: two\n${menu("Two")}`,
      }),
    );
    const at = (option: string) => editor.definition(file, `options:\n  1: ${option}\n`);
    expect(await at("{ menu: t¦wo }")).toBe("ivrs/two.yaml:8:4");
    const withSms = "{ agent: Asha Rao, sms: li¦nk }";
    expect(await at(withSms)).toBe("ivrctl.yaml:3:17");
    expect(await editor.hover(file, `options:\n  1: ${withSms}\n`)).toBe(
      "SMS template link (id 77)",
    );
  });
});
