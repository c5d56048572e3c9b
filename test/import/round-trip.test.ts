import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/index.ts";
import { formattedMenu } from "../../src/import/write-menu.ts";
import { importText } from "../support/import.ts";
import { runs } from "../support/runs.ts";
import { character } from "../support/characters.ts";

// Texts that are difficult to write as YAML.
const oddWords = [
  "Sales: night",
  "#1 line",
  "yes",
  "null",
  "~",
  "- dash",
  "? q",
  "'quoted'",
  '"double"',
  "00042",
  "1e3",
  "0x1F",
  "2026-11-15",
  "*star",
  "&anchor",
  "!tag",
  "%d",
  "@at",
  "`tick",
  "{ a: b }",
  "[x]",
  "a, b",
  "trailing ",
  " leading",
  "tab\there",
  "two\nlines",
  "two\n\nlines, the last one ended\n",
  "  indented\n  lines",
  "crlf\r\nlines",
  "\n",
  "a\n# b: c\n--- d\n",
  "--- a\nb",
  "||",
  "recording||5",
  "extension||500101",
  "a || b",
  "<<",
  "key: value # comment",
  "अनिल देशपांडे",
  "Zoë\u0301 😀 👩‍👩‍👧",
  "\u202Eevil\u202C",
  "\uFEFFbom",
  "nbsp\u00A0here",
  "line\u2028separator",
  "\u0000\u0007\u001B[31m",
  "\uFFFE\uFFFF",
  "\uE02A\uE07B\uE07D",
  "\\ backslash \\n",
  "half \uD83D of a pair",
  "up ^",
  "$NAME",
  "x".repeat(5000),
  "word ".repeat(900).trim(),
  "=",
  "a:",
  "a:b",
  "http://x/y?z#w",
];
const text = fc
  .oneof(
    { weight: 3, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 40 }) },
    { weight: 4, arbitrary: fc.constantFrom(...oddWords) },
  )
  .filter((words) => /\S/.test(words));
const id = fc.oneof(
  fc.constantFrom(
    "19549",
    "00042",
    "050123456789012345678",
    "0x1F",
    "a|b",
    "ü-1",
    "#1",
    "*",
    "'",
    "null",
  ),
  fc.stringMatching(/^[0-9A-Za-z_.:-]{1,24}$/),
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .filter((candidate) => /^(?:(?!\|\|)\S)+$/.test(candidate)),
);
const eid = fc.oneof(
  fc.constantFrom("500101", "500102", "500103", "500104", "500105", "00042"),
  id,
);
const destination = fc.oneof(
  { weight: 5, arbitrary: eid.map((extension) => `extension||${extension}`) },
  { weight: 1, arbitrary: id.map((department) => `department||${department}`) },
  { weight: 1, arbitrary: fc.constant("hangup||1") },
);
const recordingId = fc.oneof(fc.constantFrom("10", "11", "12", "13"), id);
const count = fc.oneof(fc.nat(99), fc.stringMatching(/^[0-9]{1,20}$/));
const key = fc.oneof(
  fc.nat(12),
  fc.constantFrom("*", "#", "0", "01", "00", "10", "a", "null", "<<", "1 ", "-1", "~", ":", "true"),
  text.filter((candidate) => candidate.length < 200),
);

const plainable = ["invalid_recording", "timeout_recording", "recording_invalid"] as const;
const settings = fc.record({
  plain: fc.subarray([...plainable]),
  filler: fc.constantFrom("", "0", "none"),
  defaults: fc.option(
    fc.record(
      {
        description: fc.constantFrom('"First menu"', "yes"),
        recording: fc.constantFrom("welcome", '"10"', "{ id: x }"),
        options: fc.constantFrom(
          "{ 0: Front Desk }",
          '{ 9: { eid: 00042 }, star: { for: Repeat, agent: Asha Rao }, "#": { agent: Asha Rao, sms: link } }',
          "{ 1: Asha Rao, 2: { agent: Ravi Kumar, team: Sales }, 0: null }",
          "{ 1: Nobody At All }",
        ),
        invalid: fc.constantFrom(
          "{ retries: 2, recording: not-valid }",
          "{ destination: Front Desk, final_recording: not-valid }",
          "{ final_recording: null }",
          "{ retries: 02, recording: nowhere, destination: Meera Joshi }",
        ),
        timeout: fc.constantFrom(
          "{ wait: 5, retries: 2, retry_recording: still-there, recording: goodbye }",
          "{ destination: { kind: department, id: 12 } }",
        ),
        extra: fc.constantFrom("{ timeout_retries: 3 }", "{ timeout_retries: 03 }"),
      },
      { requiredKeys: [] },
    ),
  ),
});
type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

const agents = [
  { id: 1, name: "Asha Rao", eid: "500101", intercom: "1001", team_name: "Sales" },
  { id: 2, name: "Ravi Kumar", eid: "500102", intercom: "1002", team_name: "Billing" },
  { id: 3, name: "Ravi Kumar", eid: "500103", intercom: "1003", team_name: "Sales" },
  { id: 4, name: "Front Desk", eid: "500104", intercom: "1004", team_name: null },
  { id: 5, name: "12345", eid: "500105", intercom: null, departments: [{ name: "x: y" }] },
  { id: 6, name: "12345", eid: "00042", intercom: "1006", departments: [] },
];

function configOf({ plain, filler, defaults }: Settings): string {
  const lines = Object.entries(defaults ?? {}).map(([name, value]) => `  ${name}: ${value}\n`);
  return `version: 1
default_environment: sandbox
sms_templates_enabled: true
wire:
  plain_recordings: [${plain.join(", ")}]
  no_sms_template: "${filler}"
recordings: { welcome: "10", not-valid: { id: "11", says: Not valid }, still-there: "12", "no": "13" }
sms_templates: { link: "77" }
${lines.length === 0 ? "" : `defaults:\n${lines.join("")}`}environments: { sandbox: { service: sandbox } }
`;
}

const model = fc.record({
  name: text,
  description: fc.oneof(text, fc.constant("First menu")),
  recording: recordingId,
  timeout: fc.oneof(count, fc.constant(5)),
  options: fc.uniqueArray(
    fc.record({ key, destination, sms: fc.option(fc.oneof(fc.constant("77"), id)) }),
    { selector: (option) => String(option.key), minLength: 1, maxLength: 12 },
  ),
  incorrect_count: fc.oneof(count, fc.constant("2")),
  invalid_recording: recordingId,
  invalid_destination: destination,
  timeout_retry_recording: recordingId,
  timeout_recording: recordingId,
  timeout_destination: destination,
  timeout_tries: count,
  timeout_retries: fc.option(fc.oneof(fc.nat(), fc.constant(3))),
  recording_invalid: fc.option(recordingId),
});
type Model = typeof model extends fc.Arbitrary<infer T> ? T : never;

function payloadOf(menu: Model, { plain, filler }: Settings) {
  const { options, timeout_retries, recording_invalid, ...rest } = menu;
  const recording = (field: string, bareId: string) =>
    plain.some((name) => name === field) ? bareId : `recording||${bareId}`;
  return {
    ...rest,
    recording: recording("recording", menu.recording),
    option: options.map((option) => option.key),
    destination: options.map((option) => option.destination),
    invalid_recording: recording("invalid_recording", menu.invalid_recording),
    timeout_retry_recording: recording("timeout_retry_recording", menu.timeout_retry_recording),
    timeout_recording: recording("timeout_recording", menu.timeout_recording),
    ...(options.some(({ sms }) => sms !== null && sms !== filler)
      ? { sms_template: options.map(({ sms }) => sms ?? filler) }
      : {}),
    ...(timeout_retries === null ? {} : { timeout_retries }),
    ...(recording_invalid === null
      ? {}
      : { recording_invalid: recording("recording_invalid", recording_invalid) }),
  };
}

/** The payload with numbers as text. */
function inText(payload: Record<string, unknown> | undefined): unknown {
  const numbers = new Set(["timeout", "timeout_tries", "incorrect_count"]);
  return Object.fromEntries(
    Object.entries(payload ?? {}).map(([field, value]) => [
      field,
      numbers.has(field) || (field === "option" && Array.isArray(value))
        ? Array.isArray(value)
          ? value.map(String)
          : String(value)
        : value,
    ]),
  );
}

/** The agents, and one more for each unknown extension in a payload. */
function withUnknownAgents(payload: ReturnType<typeof payloadOf>) {
  const eids = [
    ...payload.destination,
    payload.invalid_destination,
    payload.timeout_destination,
  ].flatMap((target) => /^extension\|\|(.*)$/s.exec(target)?.[1] ?? []);
  const unknown = eids.filter((extension) => !agents.some((agent) => agent.eid === extension));
  return [...agents, ...[...new Set(unknown)].map((extension) => ({ name: "", eid: extension }))];
}

const expressible = (menu: Model) =>
  menu.options.every(
    (option) => !["star", "hash", "__proto__", "o", "O"].includes(String(option.key)),
  );

describe("a payload to a menu and back", () => {
  test.each([
    ["as JSON", (value: unknown) => JSON.stringify(value)],
    ["in a formatted list", (value: unknown) => JSON.stringify([value], null, "\t")],
    [
      "in a curl command in single quotes",
      (value: unknown) =>
        `curl https://x -H 'a: b' \\\n  --data-raw '${JSON.stringify(value, null, 2).replaceAll("'", "'\\''")}'`,
    ],
    [
      "in a curl command in double quotes",
      (value: unknown) =>
        `curl -d "${JSON.stringify(value).replace(/["\\$`]/g, "\\$&")}" https://x`,
    ],
    [
      "in a curl command in $'…'",
      (value: unknown) => `curl https://x -d $'${JSON.stringify(value).replace(/['\\]/g, "\\$&")}'`,
    ],
  ])("keeps all values: %s", async (_, paste) => {
    await fc.assert(
      fc.asyncProperty(model.filter(expressible), settings, async (menu, config) => {
        const given = payloadOf(menu, config);
        // An id that equals the value for no template cannot be recognized.
        fc.pre(menu.options.every(({ sms }) => sms !== config.filler));
        const imported = importText(paste(given), { config: configOf(config), agents });
        expect(imported.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        const [importedMenu] = imported.menus;
        if (importedMenu === undefined) throw new Error("no menu");
        const { text: yaml } = await formattedMenu(importedMenu);
        const compiled = compile({
          config: configOf(config),
          menus: { "ivrs/menu.yaml": yaml },
          agents: withUnknownAgents(given),
        });
        expect(compiled.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(inText({ ...compiled.payloads["menu"] })).toEqual(inText(given));
      }),
      { numRuns: runs(60) },
    );
  });

  test("names agents by extension id if there is no agent list", () => {
    fc.assert(
      fc.property(model.filter(expressible), settings, (menu, config) => {
        fc.pre(menu.options.every(({ sms }) => sms !== config.filler));
        const given = payloadOf(menu, config);
        const { menus, diagnostics } = importText(JSON.stringify(given), {
          config: configOf(config),
          agents: undefined,
        });
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(menus[0]?.text).toMatch(/# there was no agent list$/m);
      }),
      { numRuns: runs(50) },
    );
  });
});
