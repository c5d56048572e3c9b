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
import { fileKind } from "../../src/project/files.ts";
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

describe("a file that compiles is accepted", () => {
  test("the example of this repository", () => {
    expect(marks("menu", readFileSync(join(root, "ivrs/example.yaml"), "utf8"))).toEqual([]);
    expect(marks("config", readFileSync(join(root, "ivrctl.yaml"), "utf8"))).toEqual([]);
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

describe("without support for `<<`", () => {
  const seen = (subject: Subject, text: string) => marks(subject, text, { merge: false });

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
