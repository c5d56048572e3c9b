import { describe, expect, test } from "vitest";
import { importText, payload, plainConfig } from "../support/import.ts";

const laidOut = (value: unknown) => JSON.stringify(value, null, 2);
const having = (fields: object) => laidOut({ ...payload, ...fields });
const without = (field: string) =>
  laidOut(Object.fromEntries(Object.entries(payload).filter(([name]) => name !== field)));

describe("JSON that cannot be read", () => {
  test.each([
    ["a comma too many", '{\n  "name": "x",\n}', "2:14", "JSON has no comma before }."],
    ["a comma too few", '{\n  "name": "x"\n  "b": 1 }', "3:3", "Here should be a comma or }."],
    ["a bracket left open", '[{ "name": "x" }', "1:1", "This [ is never closed."],
    ["a quote left open", '{ "name": "x }', "1:11", "This quote is never closed."],
    ["single quotes", "{ 'name': 1 }", "1:3", "JSON has double quotes, and here is a single one."],
    ["a line break in a text", '{ "name": "a\nb" }', "1:13", "A control character inside a text."],
    ["a bad escape", '{ "name": "a\\qb" }', "1:13", "JSON has no such escape."],
    [
      "a backslash that stays",
      '{ \\"name\\": 1 }',
      "1:3",
      "Here should be a field's name in double quotes, and here is a backslash.",
    ],
    ["no value", '{ "name": }', "1:11", "Here should be a value."],
    ["a word", '{ "name": None }', "1:11", "Here should be a value."],
    ["a number with a zero in front", '{ "timeout": 05 }', "1:14", "Here should be a value."],
    ["nothing behind the colon", '{ "name":', "1:9", "The JSON ends where a value should be."],
    ["something behind the end", '{ "a": {} } x', "1:13", "The JSON has ended before this."],
    [
      "a field twice",
      '{ "name": "a",\n"name": "b" }',
      "2:1",
      "This field is given twice; the first one is at 1:3.",
    ],
    ["depth", "[".repeat(40), "1:18", "This is nested more than 16 levels deep."],
  ])("%s", (_, text, place, message) => {
    const { menus, diagnostics } = importText(text);
    const fault = diagnostics.find(({ code }) => code === "IVR652");
    expect(menus).toEqual([]);
    expect(fault?.message).toBe(message);
    expect(`${fault?.line}:${fault?.column}`).toBe(place);
  });

  test("two million brackets and fifty thousand unknown fields do no harm", () => {
    const strange = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
    expect(importText(having(strange)).faults).toHaveLength(20);
    expect(importText("[".repeat(2_000_000)).faults).toEqual(["IVR652 1:18"]);
    expect(importText(`"${"x".repeat(2_000_000)}`).faults).toEqual(["IVR652 1:1"]);
  });
});

describe("what is no payload", () => {
  test.each([
    ["an empty list", "[]", "IVR651 1:1", "There is no payload in it."],
    ["an empty object", "{}", "IVR651 1:1", "There is no payload in it."],
    ["a text", '"x"', "IVR655 1:1", "A payload is a JSON object."],
    ["a list of texts", '["x"]', "IVR655 1:2", "A payload is a JSON object."],
    [
      "an unknown field",
      having({ colour: "red" }),
      "IVR655 21:3",
      "`colour` is no field of a payload.",
    ],
    ["a missing field", without("timeout"), "IVR655 1:1", "The payload lacks `timeout`."],
    ["a wrong type", having({ name: 5 }), "IVR655 2:11", "`name` must be text."],
    [
      "null",
      having({ sms_template: null }),
      "IVR655 21:19",
      "`sms_template` must be a list of texts.",
    ],
    [
      "a wrong item",
      having({ option: ["1", null] }),
      "IVR655 8:5",
      "Item 2 of `option` must be text or a number.",
    ],
    [
      "an option too many",
      having({ option: [1, 2, "*", 4] }),
      "IVR655 9:5",
      "4 options and 2 destinations: paired by position, `*`, `4` are left over.",
    ],
    [
      "a destination too many",
      having({ option: [1] }),
      "IVR655 11:5",
      "1 option and 2 destinations: paired by position, `extension||500102` is left over.",
    ],
    [
      "an SMS template too few",
      having({ sms_template: ["7"] }),
      "IVR655 21:19",
      "2 options and 1 item of `sms_template`, which belong together by position.",
    ],
  ])("%s", (_, text, fault, message) => {
    const { menus, faults, diagnostics } = importText(text);
    expect(menus).toEqual([]);
    expect(faults).toEqual([fault]);
    expect(diagnostics[0]?.message).toBe(message);
  });

  test("lists that do not fit are told beside everything else", () => {
    const { diagnostics } = importText(having({ option: [], colour: "red" }));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "0 options and 2 destinations: paired by position, `extension||500101`, `extension||500102` are left over.",
      "`colour` is no field of a payload.",
    ]);
  });
});

describe("what no menu says", () => {
  test.each([
    ["an empty name", { name: " " }, "2:11", "A menu's `name` is never empty."],
    ["an empty description", { description: "" }, "3:18", "A menu's `description` is never empty."],
    [
      "a count in words",
      { timeout: "soon" },
      "5:14",
      "`timeout` must be a whole number from 0, digits only.",
    ],
    [
      "a count below zero",
      { timeout: -1 },
      "5:14",
      "`timeout` must be a whole number from 0, digits only.",
    ],
    [
      "half a count",
      { timeout_tries: 1.5 },
      "20:20",
      "`timeout_tries` must be a whole number from 0, digits only.",
    ],
    ["an empty key", { option: ["1", ""] }, "8:5", "No menu has an option with the key ``."],
    [
      "a key in words",
      { option: ["1", "star"] },
      "8:5",
      "No menu has an option with the key `star`.",
    ],
    ["a key twice", { option: ["1", 1] }, "8:5", "The option `1` is given twice."],
    ["half a key", { option: ["1", 1.5] }, "8:5", "A key is text, or a whole number."],
    [
      "no options",
      { option: [], destination: [] },
      "6:13",
      "A menu has at least one option, and here is none.",
    ],
    [
      "a destination without its kind",
      { invalid_destination: "500104" },
      "16:26",
      "A destination is `KIND||ID` without spaces, and this is `500104`.",
    ],
    [
      "a destination with more",
      { invalid_destination: "extension||5||6" },
      "16:26",
      "A destination is `KIND||ID` without spaces, and this is `extension||5||6`.",
    ],
    [
      "a recording of another kind",
      { recording: "tts||5" },
      "4:16",
      "`recording` must be `recording||ID`, or the id alone, without spaces.",
    ],
    [
      "a long count",
      { timeout_retries: 1e20 },
      "21:22",
      "`timeout_retries` has at most 15 digits.",
    ],
    [
      "a key too long for YAML",
      { option: ["1", "x".repeat(2000)] },
      "1:1",
      "No menu could be written that certainly compiles to this payload.",
    ],
  ])("%s", (_, fields, place, message) => {
    const { menus, faults, diagnostics } = importText(having(fields));
    expect(menus).toEqual([]);
    expect(faults).toEqual([`IVR656 ${place}`]);
    expect(diagnostics[0]?.message).toBe(message);
  });
});

describe("what the configuration does not allow is told with what to put there", () => {
  const plain = { invalid_recording: "11", timeout_recording: "13" };
  const templates = { sms_template: ["7", ""] };
  test.each([
    ["bare ids", plain, "wire: { plain_recordings: [invalid_recording, timeout_recording] }"],
    [
      "another kind",
      { invalid_destination: "department||12" },
      "wire: { destination_kinds: [department] }",
    ],
    ["SMS templates", templates, "sms_templates_enabled: true"],
  ])("%s", (_, fields, setting) => {
    const { menus, diagnostics } = importText(having(fields));
    expect(menus).toEqual([]);
    for (const { code, hint } of diagnostics) {
      expect({ code, hint }).toEqual({ code: "IVR657", hint: `In ivrctl.yaml: ${setting}.` });
    }
    const config = `${plainConfig}${setting}\n`;
    const mended = importText(having(fields), { config });
    expect(mended.faults).toEqual([]);
    expect(mended.menus).toHaveLength(1);
  });

  test("a form that the environment would not send", () => {
    const config = `${plainConfig}wire: { plain_recordings: [recording] }\n`;
    const { diagnostics } = importText(having({}), { config });
    expect(diagnostics).toMatchObject([
      {
        code: "IVR657",
        message:
          "`recording` holds `recording||`, and the environment `sandbox` would send the bare id.",
        hint: "In ivrctl.yaml: wire: { plain_recordings: [] }.",
      },
    ]);
  });

  test("another filler for options without an SMS template", () => {
    const config = `${plainConfig}sms_templates_enabled: true\nwire: { no_sms_template: "0" }\n`;
    expect(importText(having(templates), { config }).diagnostics).toMatchObject([
      { code: "IVR657", hint: 'In ivrctl.yaml: wire: { no_sms_template: "" }.' },
    ]);
  });

  test("an id of an SMS template that is none", () => {
    const config = `${plainConfig}sms_templates_enabled: true\n`;
    const { faults } = importText(having({ sms_template: ["a b", "7"] }), { config });
    expect(faults).toEqual(["IVR656 22:5"]);
  });

  test("a list of SMS templates that says nothing is left out with a word", () => {
    for (const sms_template of [["", ""], []]) {
      const { menus, faults } = importText(having({ sms_template }));
      expect(faults).toEqual(["IVR650 21:19"]);
      expect(menus[0]?.text).not.toContain("sms");
    }
  });
});
