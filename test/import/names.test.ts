import { describe, expect, test } from "vitest";
import { slugOf } from "../../src/import/places.ts";
import { importText, payload, plainConfig, staff } from "../support/import.ts";

const json = (fields: object = {}) => JSON.stringify({ ...payload, ...fields });

/** The value of key 1, when it leads there. */
function keyOne(eid: string, agents: Parameters<typeof importText>[1]) {
  const { menus, diagnostics } = importText(
    json({ option: [1], destination: [`extension||${eid}`] }),
    agents,
  );
  const line = /^ {2}1: (.*)$/m.exec(menus[0]?.text ?? "")?.[1];
  return { line, codes: diagnostics.map(({ code }) => code), unnamed: menus[0]?.unnamed };
}

describe("agents get the friendliest name that means them alone", () => {
  const person = { name: "Ravi Kumar", eid: "1", intercom: "11", team_name: "Sales" };
  const other = { ...person, eid: "2", intercom: "12" };
  test.each([
    ["the name", [person], "Ravi Kumar"],
    [
      "the team",
      [person, { ...other, team_name: "Billing" }],
      "{ agent: Ravi Kumar, team: Sales }",
    ],
    [
      "a department",
      [
        { ...person, departments: [{ name: "All" }, { name: "Night, late" }] },
        { ...other, departments: [{ name: "All" }] },
      ],
      '{ agent: Ravi Kumar, department: "Night, late" }',
    ],
    ["the intercom", [person, other], '{ agent: Ravi Kumar, intercom: "11" }'],
    ["the extension", [person, { ...other, intercom: "11" }], '{ agent: Ravi Kumar, eid: "1" }'],
    ["no name", [{ ...person, name: null }], '{ intercom: "11" }'],
    ["no name at all", [{ eid: "1" }], '{ eid: "1" }'],
    ["digits for a name", [{ ...person, name: "1004" }], '{ agent: "1004" }'],
    [
      "a name like a destination",
      [{ ...person, name: "extension||2" }, other],
      '{ intercom: "11" }',
    ],
    ["a name like a number", [{ ...person, name: "1e3" }], '"1e3"'],
    ["a name that YAML would take for something else", [{ ...person, name: "No" }], '"No"'],
    ["spaces in the list", [{ ...person, name: "  Ravi   Kumar " }], "Ravi Kumar"],
    ["another script", [{ ...person, name: "अनिल देशपांडे" }], "अनिल देशपांडे"],
  ])("%s", (_, agents, line) => {
    const nobodyElse = staff.filter(({ name }) => name === "Front Desk");
    expect(keyOne("1", { agents: [...agents, ...nobodyElse] })).toMatchObject({ line, codes: [] });
  });

  test("who is nobody, blocked or two is told at the line", () => {
    expect(keyOne("500999", { agents: staff })).toMatchObject({
      line: '{ eid: "500999" } # extension 500999 is nobody on the agent list',
      codes: ["IVR659"],
    });
    expect(keyOne("500105", { agents: staff })).toMatchObject({
      line: "Meera Joshi # by the agent list Meera Joshi is blocked and gets no calls",
      codes: ["IVR659"],
    });
    expect(
      keyOne("1", { agents: [...staff, person, { ...other, eid: "1", name: "B\n# c" }] }),
    ).toMatchObject({
      codes: ["IVR659"],
      line: '{ agent: Ravi Kumar, intercom: "11" } # by the agent list extension 1 belongs to Ravi Kumar and to B\\u000A# c',
    });
  });

  test("without a list they stay extension ids, and that is said once", () => {
    const { menus, faults } = importText(json(), { agents: undefined });
    expect(faults).toEqual([]);
    expect(menus[0]?.text).toMatch(
      /^# No agent list was at hand[^]*\n {2}1: \{ eid: "500101" \}\n/,
    );
    expect(menus[0]?.unnamed.filter(({ reason }) => /agent list/.test(reason))).toHaveLength(4);
  });
});

describe("recordings and SMS templates get their aliases", () => {
  const config = `${plainConfig}sms_templates_enabled: true
recordings: { welcome: "10", again: "10", "12 o'clock: late": { id: "12" }, unset: "\${UNSET}" }
sms_templates: { link: "77" }
`;

  test("where the environment has one; else they stay ids with a word", () => {
    const given = { sms_template: ["77", "0078"], recording_invalid: "recording||x-1" };
    const { menus } = importText(json(given), { config });
    expect(menus[0]?.text).toBe(`name: Front desk
description: First menu
recording: welcome

options:
  1: { agent: Asha Rao, sms: link }
  2: { agent: Ravi Kumar, team: Billing, sms: "0078" } # no alias in sms_templates: has this id

invalid:
  retries: 2
  recording: "11" # no alias in recordings: has this id
  destination: Front Desk
timeout:
  wait: 5
  retries: 2
  retry_recording: "12 o'clock: late"
  recording: "13" # no alias in recordings: has this id
  destination: Front Desk
extra:
  recording_invalid: { id: "x-1" } # no alias in recordings: has this id
`);
    const reason = "no alias in recordings: has this id";
    expect(menus[0]?.unnamed).toEqual([
      { field: "options.2.sms", value: "0078", reason: "no alias in sms_templates: has this id" },
      { field: "invalid.recording", value: "recording||11", reason },
      { field: "timeout.recording", value: "recording||13", reason },
      { field: "extra.recording_invalid", value: "recording||x-1", reason },
    ]);
  });
});

describe("defaults", () => {
  const config = `${plainConfig}defaults:
  description: First menu
  recording: "10"
  options: { 8: Front Desk, 9: { for: Operator, agent: Asha Rao } }
  invalid: { retries: 2, destination: Front Desk }
  timeout: { wait: 5, retries: 2, retry_recording: "12", recording: "13", destination: Front Desk }
  extra: { timeout_retries: 3 }
`;

  test("what they say is left out, what the payload lacks is taken away", () => {
    const { menus } = importText(
      json({ option: [1, 9], destination: ["extension||500104", "extension||500101"] }),
      { config },
    );
    expect(menus[0]?.text).toBe(`name: Front desk

options:
  1: Front Desk
  8: null

invalid:
  recording: "11" # no alias in recordings: has this id
extra:
  timeout_retries: null
`);
  });

  test("options that come in another order are written out", () => {
    const { menus } = importText(
      json({
        option: [9, 8, 1],
        destination: ["extension||500101", "extension||500104", "extension||500101"],
        timeout_retries: 3,
      }),
      { config },
    );
    expect(menus[0]?.text).toContain("options:\n  9: Asha Rao\n  8: Front Desk\n  1: Asha Rao\n");
    expect(menus[0]?.text).not.toContain("extra:");
  });

  test("a menu that is all defaults has its name alone", () => {
    const { menus } = importText(
      json({
        option: [8, 9],
        destination: ["extension||500104", "extension||500101"],
        timeout_retries: 3,
        invalid_recording: "recording||11",
      }),
      { config: config.replace("retries: 2, dest", 'retries: 2, recording: "11", dest') },
    );
    expect(menus[0]?.text).toBe("name: Front desk\n");
  });
});

test.each([
  ["Front desk", "front-desk"],
  ["  Sales / India #2 ", "sales-india-2"],
  ["Café Zürich Straße Łódź", "cafe-zurich-strasse-lodz"],
  ["Ａｂｃ", "abc"],
  ["../../etc/passwd", "etc-passwd"],
  ["मुख्य मेनू", ""],
  ["!!!", ""],
  ["word ".repeat(50), "word-word-word-word-word-word-word-word-word-word-word-word"],
  ["x".repeat(300), "x".repeat(60)],
])("the key of %j is %j", (name, key) => {
  expect(slugOf(name)).toBe(key);
});
