import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod/mini";
import { type SchemaSubject, fileSchema, subjects } from "../../src/workspace/file-schemas.ts";
import { fileKind } from "../../src/project/files.ts";
import { toJson } from "../../src/views/json.ts";
import { cases, isClean, textIn, withRulesOff } from "../support/cases.ts";
import { strictAjv } from "../support/strict-ajv.ts";

const root = join(import.meta.dirname, "../..");

const validator = (subject: SchemaSubject) =>
  strictAjv({ allErrors: true }).compile(fileSchema(subject));

const validators = {
  menu: validator("menu"),
  config: validator("config"),
  test: validator("test"),
  defaults: validator("defaults"),
};

/** What an editor would mark in a text: the place and the keyword. Ignores empty documents. */
function marks(
  subject: SchemaSubject | ReturnType<typeof validator>,
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
  const schema = fileSchema(subject);

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
    name === "variable" ? [] : patterns(part),
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
const Described = z.looseObject({ description: z.string().check(z.minLength(5)) });

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

  test.each(cases.filter(isClean))("the case $name", (testCase) => {
    const found = [...testCase.files.keys()].flatMap((file) => {
      const kind = /^ivrs\b.*\.yaml$/.test(file) ? fileKind(file) : "config";
      if (kind === "hidden" || (kind === "config" && file !== "ivrctl.yaml")) return [];
      return marks(kind, withRulesOff(textIn(testCase, file) ?? ""));
    });
    expect(found).toEqual([]);
  });
});

describe("without support for `<<`", () => {
  const seen = (subject: SchemaSubject, text: string) => marks(subject, text, { merge: false });

  test("marks a text to merge", () => {
    expect(seen("menu", "{ name: X, invalid: { <<: tries } }")).toEqual(["/invalid/<< type"]);
    expect(seen("menu", "{ name: X, options: { <<: [tries] } }")).toEqual(["/options/<</0 type"]);
  });

  test("every mapping of both schemas allows `<<`", () => {
    const without = (["menu", "config"] as const).flatMap((subject) =>
      mappings(fileSchema(subject)).filter(
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
