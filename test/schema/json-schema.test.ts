import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod/mini";
import { toPlain } from "../../src/yaml/node.ts";
import { readYaml } from "../../src/yaml/read-yaml.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { Config } from "../../src/schema/config.ts";
import { type Subject, jsonSchema, subjects } from "../../src/schema/json-schema.ts";
import { fileKind } from "../../src/project/file-kind.ts";
import { Menu } from "../../src/schema/menu.ts";
import { toJson } from "../../src/views/json.ts";
import { cases, isClean, textIn } from "../support/cases.ts";
import { strictAjv } from "../support/strict-ajv.ts";

const root = join(import.meta.dirname, "../..");

const validator = (subject: Subject) => strictAjv({ allErrors: true }).compile(jsonSchema(subject));

const validators = {
  menu: validator("menu"),
  config: validator("config"),
  test: validator("test"),
  defaults: validator("defaults"),
};

/** What an editor would mark in a text: the place and the keyword. Ignores empty documents. */
function marks(
  subject: Subject | ReturnType<typeof validator>,
  text: string,
  { merge = true } = {},
): string[] {
  const validate = typeof subject === "string" ? validators[subject] : subject;
  return parseAllDocuments(text.replace(/^\uFEFF/, ""), { merge })
    .map((document): unknown => document.toJS())
    .filter((value) => value !== null)
    .flatMap((value) => (validate(value) ? [] : (validate.errors ?? [])))
    .map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe.each(subjects)("the schema of a %s", (subject) => {
  const schema = jsonSchema(subject);

  test("has only valid examples", () => {
    // The strict validator has checked the schema.
    const ajv = strictAjv({ strict: false }).addSchema(schema, "whole");
    const wrong = withExamples(schema).flatMap(([path, examples]) => {
      const validate = ajv.compile({ $ref: `whole#${path}` });
      return examples.filter((example) => !validate(example));
    });
    expect(wrong).toEqual([]);
  });

  test("is the committed one; `npm run update` writes it again", async () => {
    await expect(toJson(schema)).toMatchFileSnapshot(join(root, `schema/${subject}.schema.json`));
  });

  test("describes every field", () => {
    expect(undescribed(schema, "")).toEqual([]);
  });

  test("explains every pattern in words", () => {
    expect(
      patterns(schema).filter(({ patternErrorMessage }) => patternErrorMessage === undefined),
    ).toEqual([]);
  });

  test("uses every definition and defines everything it uses", () => {
    const used = [...toJson(schema).matchAll(/"#\/definitions\/(\w+)"/g)].map(
      ([, name = ""]) => name,
    );
    const defined = Fields.parse(schema["definitions"]);
    expect([...new Set(used)].sort()).toEqual(Object.keys(defined));
  });
});

const Fields = z.record(z.string(), z.unknown());

/** Every schema with a pattern within a schema, except those of variables. */
function patterns(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([name, part]) =>
    name === "variable" || name === "menu_variable" ? [] : patterns(part),
  );
  return "pattern" in schema ? [Fields.parse(schema), ...inner] : inner;
}

/** The examples within a schema, with the JSON pointers of the schemas that have them. */
function withExamples(schema: unknown, path = ""): [string, unknown[]][] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([name, part]) =>
    withExamples(part, `${path}/${encodeURIComponent(name)}`),
  );
  return Array.isArray(schema) || !("examples" in schema)
    ? inner
    : [[path, z.array(z.unknown()).parse(schema.examples)], ...inner];
}
const Described = z.union([
  z.looseObject({ description: z.string().check(z.minLength(5)) }),
  // Its definition has the description.
  z.strictObject({ $ref: z.literal("#/definitions/key") }),
]);

/** The paths of fields, values and items without a description. */
function undescribed(schema: unknown, path: string): string[] {
  const { properties, definitions, items, additionalProperties, anyOf, allOf } =
    Fields.parse(schema);
  const below = [
    // The schema `true` only repeats the name of a required field.
    ...Object.entries(Fields.parse(properties ?? {})).filter(([, field]) => field !== true),
    ...[items, additionalProperties]
      .filter((rest) => typeof rest === "object")
      .map((rest) => ["*", rest] as const),
  ].map(([name, field]) => [`${path}.${name}`, field] as const);
  const unnamed = z.array(z.unknown());
  return [
    below.filter(([, field]) => !z.safeParse(Described, field).success).map(([where]) => where),
    below.flatMap(([where, field]) => undescribed(field, where)),
    [anyOf, allOf].flatMap((views) =>
      unnamed.parse(views ?? []).flatMap((view) => undescribed(view, path)),
    ),
    Object.entries(Fields.parse(definitions ?? {})).flatMap(([name, view]) =>
      undescribed(view, name),
    ),
  ].flat();
}

const frontDesk = `
name: Front desk
description: First menu for callers to the Pune office
recording: welcome                  # an alias from ivrctl.yaml
options:
  1: Asha Rao                       # the agent's name, nothing else
  2: { for: Billing, agent: Ravi Kumar, team: Billing }
  0: { for: Operator, intercom: "1004" }
invalid:
  retries: 2
  recording: not-valid
  destination: Front Desk
timeout:
  wait: 5
  retries: 2
  retry_recording: still-there
  recording: goodbye
  destination: Front Desk
tests:
  - { press: 2, reaches: { agent: Ravi Kumar, team: Billing } }
  - { press: [9, 9, 9], reaches: Front Desk, via: invalid }
  - { press: [], reaches: Front Desk, via: timeout }
`;

const project = `
version: 1
default_environment: sandbox
defaults:
  invalid: { retries: 2, recording: not-valid }
recordings:
  welcome: { id: "19549", says: "For sales, press 1. For billing, press 2. For an operator, press 0.", seconds: 7 }
  not-valid: "19550"
  still-there: "19551"
  goodbye: "19552"
sms_templates:
  payment-link: "77"
rules:
  menu-too-long: off
environments:
  sandbox:
    service: sandbox                         # the embedded service: nothing leaves this machine
  production:
    service:
      base_url: \${TELEPHONY_BASE_URL}
      token: \${TELEPHONY_TOKEN}              # only ever \${ENV} or { command: [...] }; a literal token is an error
      timeout: 30                            # seconds per request (30)
      concurrency: 4                         # creates in flight (4)
      requests_per_second: 5                 # no limit unless given
    state: { backend: file }
    max_creates: 20
    recordings: { welcome: "88101" }         # an environment overrides aliases; a bare id keeps says and seconds
`;

describe("a file that compiles is accepted", () => {
  test("the example of this repository", () => {
    expect(marks("menu", readFileSync(join(root, "ivrs/example.yaml"), "utf8"))).toEqual([]);
    expect(marks("config", readFileSync(join(root, "ivrctl.yaml"), "utf8"))).toEqual([]);
  });

  test("the examples of the documentation", () => {
    expect(marks("menu", frontDesk)).toEqual([]);
    expect(marks("config", project)).toEqual([]);
  });

  test.each(cases.filter(isClean))("the case $name", (one) => {
    const found = [...one.files.keys()].flatMap((file) => {
      const kind = /^ivrs\b.*\.yaml$/.test(file) ? fileKind(file) : "config";
      if (kind === "hidden" || (kind === "config" && file !== "ivrctl.yaml")) return [];
      return marks(kind, textIn(one, file) ?? "");
    });
    expect(found).toEqual([]);
  });
});

describe("a menu", () => {
  test.each([
    ["only the fields that defaults cannot provide", "name: X"],
    [
      "numbers instead of text",
      "{ name: 24, invalid: { retries: 2 }, timeout: { wait: 0, retries: '2' } }",
    ],
    [
      "ids with and without quotes",
      "{ name: X, recording: 050123456789012345678, options: { 1: { eid: 00042 }, 2: { intercom: 1004 }, 3: { id: 1.5 } } }",
    ],
    ["a key of digits", "{ name: X, id: 2024, moved_from: 2023 }"],
    ["any option key", "{ name: X, options: { 1: A, '*': B, hash: C, 01: D, x y: E } }"],
    [
      "null to remove a default",
      "{ name: X, description: null, recording: ~, options: { 1: null }, invalid: { retries: null, destination: null }, timeout: null, extra: null }",
    ],
    [
      "an extension id in one text",
      "{ name: X, options: { 1: { eid: 500123 }, 2: { kind: department, id: 12 } } }",
    ],
    [
      "every form of a recording",
      "{ name: X, recording: 19549, invalid: { recording: 19550 }, timeout: { recording: { id: 19551 } } }",
    ],
    [
      "tests",
      "{ name: X, tests: [{ press: 1, via: option, hears: [welcome, 19549], steps: 2 }, { press: [_, '*', hash] }] }",
    ],
    ["a test without an expected agent", "{ name: X, tests: [{ press: 1 }] }"],
    ["only variables", "vars: { shop: Thane, floor: 2 }"],
    [
      "variables in its values",
      '{ name: "{{shop}}", timeout: { wait: "{{wait}}" }, on_change: "{{change}}" }',
    ],
    [
      "fields merged with <<",
      "{ name: X, invalid: &tries { retries: 2 }, timeout: { <<: *tries, wait: 5 } }",
    ],
  ])("may have %s", (_, text) => {
    expect(marks("menu", text)).toEqual([]);
  });

  test.each([
    ["name: ''", "name: ' '", "/name pattern"],
    ["name: true", "name: true", "/name type"],
    ["an unknown field", "{ name: X, colour: red }", " additionalProperties"],
    [
      "an unknown field of a part",
      "{ name: X, invalid: { retry: 2 } }",
      "/invalid additionalProperties",
    ],
    [
      "an unknown field of an option",
      "{ name: X, options: { 1: { agnt: A } } }",
      "/options/1 additionalProperties",
    ],
    ["options as a list", "{ name: X, options: [Asha Rao] }", "/options type"],
    ["an empty option", "{ name: X, options: { 1: {} } }", "/options/1 anyOf"],
    [
      "an option without a destination",
      "{ name: X, options: { 1: { for: x } } }",
      "/options/1 anyOf",
    ],
    [
      "an empty destination",
      "{ name: X, invalid: { destination: {} } }",
      "/invalid/destination anyOf",
    ],
    ["a bare number for an agent", "{ name: X, options: { 1: 1004 } }", "/options/1 type"],
    ["digits for an agent", "{ name: X, options: { 1: '1004' } }", "/options/1 pattern"],
    [
      "digits for a destination",
      "{ name: X, timeout: { destination: '007' } }",
      "/timeout/destination pattern",
    ],
    ["true for an agent", "{ name: X, options: { 1: true } }", "/options/1 type"],
    ["wait: -1", "{ name: X, timeout: { wait: -1 } }", "/timeout/wait minimum"],
    ["wait: 1.5", "{ name: X, timeout: { wait: 1.5 } }", "/timeout/wait type"],
    ["wait: 5s", "{ name: X, timeout: { wait: 5s } }", "/timeout/wait pattern"],
    ["wait: ''", "{ name: X, timeout: { wait: '' } }", "/timeout/wait pattern"],
    ["retries: soon", "{ name: X, invalid: { retries: soon } }", "/invalid/retries pattern"],
    ["retries: '-1'", "{ name: X, invalid: { retries: '-1' } }", "/invalid/retries pattern"],
    ["retries: [2]", "{ name: X, invalid: { retries: [2] } }", "/invalid/retries type"],
    ["an id with ||", "{ name: X, options: { 1: { eid: 'a||b' } } }", "/options/1/eid pattern"],
    ["an id with a space", "{ name: X, recording: { id: a b } }", "/recording/id pattern"],
    ["a recording without an id", "{ name: X, recording: {} }", "/recording required"],
    ["an invalid menu key", "{ name: X, id: ../x }", "/id pattern"],
    ["an unknown word", "{ name: X, on_change: maybe }", "/on_change enum"],
    ["a test without press", "{ name: X, tests: [{ via: option }] }", "/tests/0 required"],
    ["two keys in one press", "{ name: X, tests: [{ press: '1,2' }] }", "/tests/0/press pattern"],
  ])("is marked for %s", (_, text, mark) => {
    expect(marks("menu", text)).toContain(mark);
  });
});

const environment = (settings: string) => `{ version: 1, environments: { e: { ${settings} } } }`;
const service = (settings: string) => environment(`service: { base_url: https://x, ${settings} }`);

test.each([
  ["its name", "{ agent: 1004 A }"],
  ["a name with digits", "1004 Pune"],
  ["a name with digits and a line end", '"1004\\n"'],
  ["its team alone", "{ team: Billing }"],
  ["its department alone", "{ department: Sales }"],
  ["its intercom alone", "{ intercom: '1004' }"],
  ["its eid alone", "{ eid: '1004' }"],
  ["its id alone", "{ id: '7', for: x }"],
  ["another kind", "{ kind: department, id: 12 }"],
])("an option may name an agent by %s", (_, option) => {
  expect(marks("menu", `{ name: X, options: { 1: ${option} } }`)).toEqual([]);
});

describe("without support for `<<`", () => {
  const seen = (subject: Subject, text: string) => marks(subject, text, { merge: false });

  test.each([
    ["the menu", "{ name: X, <<: { description: D } }"],
    ["options", "{ name: X, options: { <<: { 1: A }, 2: B } }"],
    ["options alone", "{ name: X, options: { <<: { 1: A } } }"],
    ["an option", "{ name: X, options: { 1: &a { agent: A }, 2: { <<: *a, for: x } } }"],
    ["a destination", "{ name: X, invalid: { destination: { <<: { eid: 7 } } } }"],
    ["a part", "{ name: X, invalid: &tries { retries: 2 }, timeout: { <<: *tries, wait: 5 } }"],
    ["a list of mappings", "{ name: X, extra: { <<: [{ timeout_retries: 1 }, {}] } }"],
    ["a test", "{ name: X, tests: [&t { press: 1 }, { <<: *t, press: 2 }] }"],
  ])("a menu may have `<<` in %s", (_, text) => {
    expect(seen("menu", text)).toEqual([]);
  });

  test.each([
    ["the whole", "{ version: 1, environments: {}, <<: { max_creates: 5 } }"],
    ["environments", "{ version: 1, environments: { a: {}, <<: { b: {} } } }"],
    ["an environment", environment("<<: { max_creates: 5 }")],
    ["a service", service("token: '${T}', <<: [{ timeout: 5 }]")],
    ["recordings", environment("recordings: { <<: { a: 1 }, b: { <<: { says: x }, id: 2 } }")],
    ["SMS templates", environment("sms_templates: { <<: { a: 1 } }")],
    ["wire", environment("wire: { <<: { numbers: number } }")],
    ["rules", "{ version: 1, environments: {}, rules: { <<: { reserved-key: off } } }"],
    ["defaults", "{ version: 1, environments: {}, defaults: { <<: { owner: X }, options: {} } }"],
  ])("a configuration may have `<<` in %s", (_, text) => {
    expect(seen("config", text)).toEqual([]);
  });

  test("marks a text to merge", () => {
    expect(seen("menu", "{ name: X, invalid: { <<: tries } }")).toEqual(["/invalid/<< type"]);
    expect(seen("menu", "{ name: X, options: { <<: [tries] } }")).toEqual(["/options/<</0 type"]);
  });

  test("every mapping of both schemas allows `<<`", () => {
    const without = (["menu", "config"] as const).flatMap((subject) =>
      mappings(jsonSchema(subject)).filter(
        ({ patternProperties }) =>
          !(typeof patternProperties === "object" && "^<<$" in (patternProperties ?? {})),
      ),
    );
    // The merged mapping itself, once in each schema.
    const merged = { description: "A mapping to merge.", type: "object" };
    expect(without).toEqual([merged, merged]);
  });
});

/** Every schema of a mapping within a schema. */
function mappings(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.values(schema).flatMap(mappings);
  if (Array.isArray(schema)) return inner;
  const { type, ...rest } = Fields.parse(schema);
  const isMapping =
    (type === "object" || (Array.isArray(type) && type.includes("object"))) && !("items" in rest);
  return isMapping ? [{ type, ...rest }, ...inner] : inner;
}

describe("a configuration", () => {
  test.each([
    [
      "nothing but a version and environments",
      "{ version: '1', environments: { sandbox: , 2024: {} } }",
    ],
    ["a token from the environment", service("token: '${TOKEN}'")],
    ["a token from a command", service("token: { command: [pass, show, 7] }")],
    ["numbers", service("token: '${T}', timeout: 0.5, concurrency: 4, requests_per_second: '2.5'")],
    ["variables for numbers", service("token: '${T}', timeout: '${A}', concurrency: '${B}'")],
    [
      "variables for words, flags and texts of the state",
      environment("state: { backend: '${A}', path_style: '${B}', bucket: 'a-${C}' }"),
    ],
    [
      "words and flags",
      environment(
        "on_change: refuse, sms_templates_enabled: true, wire: { numbers: number, plain_recordings: [recording], no_sms_template: 0 }",
      ),
    ],
    [
      "rules",
      "{ version: 1, environments: {}, rules: { plugins: [./rules/custom.mjs], reserved-key: off, menu-too-long: { severity: warn, max: 5 }, custom/a: off, custom/b: { severity: warn, limit: 5 } } }",
    ],
    [
      "parts of a menu as defaults",
      "{ version: 1, environments: {}, defaults: { options: { 0: Front Desk, 9: null }, timeout: { wait: 5 }, owner: X } }",
    ],
  ])("may have %s", (_, text) => {
    expect(marks("config", text)).toEqual([]);
  });

  test.each([
    ["a literal token", service("token: s3cr3t"), "/environments/e/service/token pattern"],
    [
      "a token with a variable in it",
      service("token: 'Bearer ${T}'"),
      "/environments/e/service/token pattern",
    ],
    ["a token of digits", service("token: 12345"), "/environments/e/service/token type"],
    [
      "an empty command",
      service("token: { command: [] }"),
      "/environments/e/service/token/command minItems",
    ],
    [
      "no token",
      environment("service: { base_url: https://x }"),
      "/environments/e/service required",
    ],
    ["another service", environment("service: sandbx"), "/environments/e/service enum"],
    ["another version", "{ version: 2, environments: {} }", "/version enum"],
    ["no environments", "version: 1", " required"],
    ["an unknown field", "{ version: 1, environments: {}, colour: red }", " additionalProperties"],
    [
      "a name among the defaults",
      "{ version: 1, environments: {}, defaults: { name: X } }",
      "/defaults additionalProperties",
    ],
    [
      "a variable outside of the service and the state",
      environment("max_creates: '${A}'"),
      "/environments/e/max_creates pattern",
    ],
    [
      "an environment's name with a space",
      "{ version: 1, environments: { a b: {} } }",
      "/environments propertyNames",
    ],
    [
      "an alias of digits",
      environment("recordings: { 7: x }"),
      "/environments/e/recordings propertyNames",
    ],
    ["timeout: 0", service("token: '${T}', timeout: 0"), "/environments/e/service/timeout minimum"],
    [
      "concurrency: 0",
      service("token: '${T}', concurrency: 0"),
      "/environments/e/service/concurrency minimum",
    ],
    [
      "concurrency: 1.5",
      service("token: '${T}', concurrency: 1.5"),
      "/environments/e/service/concurrency type",
    ],
    ["max_creates: $N", environment("max_creates: $N"), "/environments/e/max_creates pattern"],
    [
      "a flag that is text",
      environment("sms_templates_enabled: 'true'"),
      "/environments/e/sms_templates_enabled type",
    ],
    [
      "a list for a flag",
      environment("sms_templates_enabled: []"),
      "/environments/e/sms_templates_enabled type",
    ],
    [
      "an unknown severity",
      "{ version: 1, environments: {}, rules: { reserved-key: loud } }",
      "/rules/reserved-key enum",
    ],
    [
      "an unknown rule",
      "{ version: 1, environments: {}, rules: { menu-to-long: off } }",
      "/rules additionalProperties",
    ],
    [
      "an unknown option of a rule",
      "{ version: 1, environments: {}, rules: { menu-too-long: { mox: 5 } } }",
      "/rules/menu-too-long additionalProperties",
    ],
  ])("is marked for %s", (_, text, mark) => {
    expect(marks("config", text)).toContain(mark);
  });
});

const wholeMenu = `
id: front
moved_from: old
name: Front desk
description: First
recording: welcome
options: { 1: { for: Sales, agent: Asha Rao, team: Sales, department: D, intercom: a, eid: b, id: c, sms: s }, 2: { eid: b, sms: { id: d } }, 3: { kind: k, id: e }, 4: { menu: m }, 5: { hangup: true } }
invalid: { retries: 1, recording: { id: e }, destination: { agent: A } }
timeout: { wait: 1, retries: 2, retry_recording: r, recording: s, destination: { team: T } }
extra: { timeout_retries: 1, recording_invalid: x }
on_change: replace
owner: me
tests: [{ name: t, press: [1], reaches: { eid: f }, via: option, hears: [a], steps: 3 }]
`;

const wholeConfig = `
version: 1
default_environment: e
defaults: { description: D, recording: r, options: { 1: { agent: A } }, invalid: { retries: 2 }, timeout: { wait: 5 }, extra: { timeout_retries: 1 }, on_change: refuse, owner: o }
recordings: { welcome: a, bye: { id: b, says: c, seconds: 7 } }
sms_templates: { link: d }
rules: { reserved-key: off, menu-too-long: { severity: warn, max: 5 }, plugins: [a], custom/z: { severity: off } }
wire: { numbers: string, plain_recordings: [recording], no_sms_template: "0" }
on_change: refuse
sms_templates_enabled: true
max_creates: 5
environments:
  e:
    service: { base_url: https://x, token: { command: [a] }, timeout: 1, concurrency: 2, requests_per_second: 3 }
    state: { backend: file }
`;

/** Scalars as people write them, valid or not, with what an editor and ivrctl read. */
const scalars = [
  "0",
  "1",
  "2",
  "00042",
  "050123456789012345678",
  "-1",
  "+1",
  "1.5",
  ".5",
  "0.0",
  "1e3",
  "0x1F",
  "0o17",
  "1_000",
  ".inf",
  "soon",
  "5s",
  "a b",
  "a||b",
  "recording||5",
  "replace",
  "option",
  "file",
  "off",
  "number",
  "recording",
  "_",
  "star",
  "true",
  "False",
  "yes",
  "null",
  "~",
  '""',
  '" "',
  '"2"',
  '"true"',
  '"null"',
  "2024-01-01",
  "10:30",
  "अनिल",
  '"${NAME}"',
  '"x ${NAME} y"',
  '"${}"',
  '"$NAME"',
  '"{{name}}"',
  '"x {{ name }} {{name}}"',
  '"{{}}"',
].map((scalar) => ({ scalar, value: parse(scalar) as unknown, read: plain(scalar) }));

// An editor parses scalars by the YAML standard, and ivrctl keeps their characters. These tests try
// each scalar in each field. An editor must not mark a value that ivrctl accepts. It may miss a value
// that ivrctl refuses only for the reasons below.
describe.each([
  ["menu", Menu.complete, wholeMenu],
  ["config", Config, wholeConfig],
] as const)("editor and ivrctl agree about a %s", (subject, schema, whole) => {
  const read = plain(whole);
  const seen: unknown = parse(whole);
  const fields = leaves(seen);

  test("with all fields", () => {
    expect(z.safeParse(schema, read).error?.issues ?? []).toEqual([]);
    expect(marks(subject, whole)).toEqual([]);
  });

  test.each(fields.map((path) => [path.join("."), path] as const))("in %s", (_, path) => {
    const verdicts = scalars.map(({ scalar, value, read: written }) => {
      const accepted = z.safeParse(schema, put(read, path, written)).success;
      const unmarked = validators[subject](put(seen, path, value));
      const mayBeMissed =
        // The editor no longer knows how a number was written: 0x1F is 31.
        typeof value === "number" ||
        // A missing field may be in the defaults.
        ((subject === "menu" || path[0] === "defaults") && value === null) ||
        // The schemas do not know the values of variables.
        (path[0] === "environments" && typeof value === "string" && value.includes("${NAME}")) ||
        ((subject === "menu" || path[0] === "defaults") &&
          typeof value === "string" &&
          /\{\{ ?name ?\}\}/.test(value));
      return { scalar, value, accepted, unmarked, mayBeMissed };
    });
    // The compiler refuses a number as the name of an agent, and the schemas do not.
    const refused = ({ value }: { value: unknown }) =>
      path.at(-1) === "agent" && (typeof value === "number" || value === "2");
    const wronglyMarked = verdicts.filter(
      (verdict) =>
        verdict.accepted && !verdict.unmarked && verdict.value !== Infinity && !refused(verdict),
    );
    const missed = verdicts.filter(
      ({ accepted, unmarked, mayBeMissed }) => !accepted && unmarked && !mayBeMissed,
    );
    expect({ wronglyMarked, missed }).toEqual({ wronglyMarked: [], missed: [] });
  });
});

/** The value that the zod schemas validate. */
function plain(text: string): unknown {
  const node = readYaml(new Source("x.yaml", text), new Diagnostics())[0]?.root;
  return node === undefined ? undefined : toPlain(node);
}

type Path = readonly (string | number)[];

function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function put(value: unknown, [step, ...rest]: Path, leaf: unknown): unknown {
  if (step === undefined) return leaf;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === step ? put(item, rest, leaf) : item));
  }
  const fields = Fields.parse(value);
  return { ...fields, [step]: put(fields[step], rest, leaf) };
}
