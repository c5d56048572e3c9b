import * as z from "zod/mini";
import { codeEntry } from "../rules/explanations.ts";
import { rules } from "../rules/built-in/index.ts";
import { alternativesAt, fieldNamesOf } from "../schema/alternatives.ts";
import { ConfigSchema } from "../schema/config.ts";
import { type FieldMeta, forEditors } from "../schema/field-types.ts";
import { type JsonSchema, jsonSchema } from "../schema/json-schema.ts";
import { FolderDefaultsSchema, TestFile, menuSchemas } from "../schema/menu.ts";
import { ruleSetting, withRules } from "../schema/rules.ts";

/** The files that have a schema. */
export const subjects = ["menu", "config", "test", "defaults"] as const;
export type SchemaSubject = (typeof subjects)[number];

const schemas: Readonly<Record<SchemaSubject, () => z.core.$ZodType>> = {
  menu: () => menuSchemas.draft,
  config: () => (config ??= configWithRules()),
  test: () => TestFile,
  defaults: () => FolderDefaultsSchema,
};

let config: z.core.$ZodType | undefined;

function configWithRules(): z.core.$ZodType {
  const settings = rules.map((rule) => {
    const severity = rule.severity === "warning" ? "warn" : rule.severity;
    const description = `${codeEntry(rule.code).title}. Default: ${severity}.`;
    return [rule.name, ruleSetting(rule.options, description)];
  });
  const schema = z.extend(ConfigSchema, {
    rules: z.optional(withRules(Object.fromEntries(settings))),
  });
  forEditors.add(schema, forEditors.get(ConfigSchema) ?? {});
  return schema;
}

/** What a schema says about a value. */
interface Described extends FieldMeta {
  readonly fields: readonly string[];
  /** The values that are allowed, if they are few. */
  readonly words: readonly string[];
  readonly isScalar: boolean;
}

/** What the schemas say about the value at a path, the most general first. */
export function schemasAt(subject: SchemaSubject, path: readonly PropertyKey[]): Described[] {
  return alternativesAt(schemas[subject](), path).map((schema) => {
    const words =
      schema instanceof z.ZodMiniBoolean ? [true, false] : [...(schema._zod.values ?? [])];
    return Object.assign({}, forEditors.get(schema), {
      fields: fieldNamesOf(schema),
      words: words.map(String),
      isScalar: words.length > 0 || schema instanceof z.ZodMiniString,
    });
  });
}

/** The JSON Schema for editors. Only ivrctl.yaml may use environment variables. */
export function fileSchema(subject: SchemaSubject): JsonSchema {
  return jsonSchema(schemas[subject](), subject === "config");
}
