import * as z from "zod/mini";
import {
  type FieldCondition,
  type FieldMeta,
  extensionPattern,
  forEditors,
} from "./field-types.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema (draft-07) for editors. It accepts more than the zod schemas: numbers instead of
 * text, null instead of an optional field, and a variable instead of any text: `{{name}}` or, in a
 * configuration, also `${NAME}`. Not every validator applies `<<`, so every mapping may have it.
 * `patternErrorMessage` and `errorMessage` are for the YAML language server.
 */
export function jsonSchema(file: z.core.$ZodType, hasSettings: boolean): JsonSchema {
  const variable = hasSettings ? `${template}|${setting}` : template;
  const definitions: Record<string, JsonSchema> = { merge, variable: variableWith(variable) };
  const schema = z.toJSONSchema(file, {
    target: "draft-07",
    io: "input",
    metadata: forEditors,
    override({ zodSchema, jsonSchema: written }) {
      const meta = forEditors.get(zodSchema) ?? {};
      const body =
        zodSchema._zod.def.type === "optional"
          ? orNull(written)
          : bodyOf(zodSchema, written, meta, variable);
      for (const name of Object.keys(written)) delete written[name];
      if (meta.shape === undefined) Object.assign(written, annotations(meta), body);
      else {
        definitions[meta.shape] ??= body;
        // Draft-07 ignores everything next to a $ref, so the reference is inside an allOf.
        Object.assign(written, annotations(meta), { allOf: [reference(meta.shape)] });
      }
    },
  });
  // Sorted, so that their order does not depend on the first use.
  const sorted = Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...schema, definitions: Object.fromEntries(sorted) };
}

/** The key that merges another mapping. */
const mergeKey = "^<<$";
const merge: JsonSchema = {
  description: "Merges the keys of another mapping, for example `<<: *common`.",
  type: ["object", "array"],
  items: { description: "A mapping to merge.", type: "object" },
};

const setting = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;
const template = String.raw`\{\{[ \t]*[A-Za-z_][A-Za-z0-9_-]*[ \t]*\}\}`;
const variableWith = (pattern: string): JsonSchema => ({
  description: "The value of a variable, for example `{{shop}}`.",
  type: "string",
  pattern,
});

const extension: JsonSchema = {
  description: "Anything. ivrctl ignores this field. Use it for anchors.",
};

/** What editors check. The schemas inside are the same objects as in what zod has written. */
function bodyOf(
  schema: z.core.$ZodType,
  written: JsonSchema,
  meta: FieldMeta,
  variable: string,
): JsonSchema {
  switch (written.type) {
    case "object":
      return objectBody(schema, written, meta);
    case "array": {
      const { type, items, minItems } = written;
      return { type, ...(items && { items }), ...(minItems !== undefined && { minItems }) };
    }
    case "string":
      return textBody(written, meta, variable);
    case "boolean":
      if (written.const !== undefined) return { type: "boolean", enum: [written.const] };
      return {
        type: ["boolean", "string"],
        pattern: `^${setting}$`,
        patternErrorMessage: "This must be true or false.",
      };
    default:
      return written.anyOf ? { anyOf: written.anyOf } : {};
  }
}

function objectBody(
  schema: z.core.$ZodType,
  { properties, required, additionalProperties }: JsonSchema,
  { extensions, someOf = [], when = [] }: FieldMeta,
): JsonSchema {
  const keys = schema instanceof z.ZodMiniRecord ? keyRule(schema._zod.def.keyType) : undefined;
  return {
    type: "object",
    ...(properties && { properties }),
    // Not a property, because editors would offer it everywhere.
    patternProperties: {
      [mergeKey]: reference("merge"),
      ...(extensions && { [extensionPattern.source]: extension }),
    },
    ...(required && { required }),
    ...havingOneOf(someOf),
    // Editors explain an error with the alternative that matches the most fields. So every field
    // matches something.
    allOf: [...when.map(onCondition), { patternProperties: { "": true } }],
    ...(keys && { propertyNames: keys }),
    additionalProperties:
      JSON.stringify(additionalProperties) === "{}" || (additionalProperties ?? false),
  };
}

function textBody(written: JsonSchema, meta: FieldMeta, variable: string): JsonSchema {
  const { pattern, mismatch, numeric = false, range, exact } = meta;
  const words = written.enum ?? (written.const === undefined ? undefined : [written.const]);
  if (words !== undefined) {
    const choice: JsonSchema = numeric
      ? { type: ["string", "number"], enum: [...words, ...words.map(Number)] }
      : { type: "string", enum: words };
    return exact ? choice : { anyOf: [choice, reference("variable")] };
  }
  const matches = (text: string) => pattern === undefined || new RegExp(pattern, "u").test(text);
  const [minimum, maximum] = range ?? [0];
  return {
    type: numeric ? ["string", matches("5.5") ? "number" : "integer"] : "string",
    ...(pattern !== undefined && {
      pattern: exact || matches("{{a}} ${B}") ? pattern : `${pattern}|${variable}`,
      patternErrorMessage: mismatch,
    }),
    ...(numeric && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** What editors show about a value. */
function annotations({ description, examples = [] }: FieldMeta): JsonSchema {
  // Editors complete a mapping or a list as `[object Object]`.
  const scalars = examples.filter((example) => typeof example !== "object");
  return {
    ...(description !== undefined && { description }),
    ...(description?.includes("`") && { markdownDescription: description }),
    ...(scalars.length > 0 && { examples: scalars }),
  };
}

/** Adds null, unless the schema has it already: a field can be optional in the table and again in a file. */
function orNull(view: JsonSchema): JsonSchema {
  const { type, anyOf, allOf, ...rest } = view;
  if ([type].flat().includes("null")) return { ...view };
  if (type === undefined) return { ...rest, anyOf: [...(anyOf ?? allOf ?? []), { type: "null" }] };
  return {
    ...view,
    type: [...[type].flat(), "null"],
    ...(view.enum && { enum: [...view.enum, null] }),
  };
}

function keyRule(key: z.core.$ZodType): JsonSchema | undefined {
  const { pattern, mismatch, ...meta } = forEditors.get(key) ?? {};
  if (pattern === undefined) return undefined;
  const rule = new RegExp(pattern, "u");
  return {
    ...annotations(meta),
    // Some editors read a key of digits as a number, and patterns apply only to text.
    ...(rule.test("0") ? {} : { type: "string", errorMessage: mismatch }),
    pattern: rule.test("<<") ? pattern : `${pattern}|${mergeKey}`,
    ...(mismatch !== undefined && { patternErrorMessage: mismatch }),
  };
}

/**
 * A schema that requires one of these fields, or `<<`, which may provide one. Strict validators
 * require that `properties` has every required field. The schema `true` keeps editors from
 * offering the field twice.
 */
function havingOneOf(fields: readonly string[]): JsonSchema {
  if (fields.length === 0) return {};
  return {
    anyOf: [...fields, "<<"].map((name) => ({ properties: { [name]: true }, required: [name] })),
  };
}

/** A schema that requires and forbids fields if another field has a value. */
function onCondition({ field, is, needs = [], never = [] }: FieldCondition): JsonSchema {
  const value: JsonSchema = is === undefined ? { not: { type: "null" } } : { const: is };
  const cause = is === undefined ? field : `${field}: ${is}`;
  const errorMessage = `Remove this field. It cannot be combined with \`${cause}\`.`;
  return {
    if: { properties: { [field]: value }, required: [field] },
    // oxlint-disable-next-line unicorn/no-thenable
    then: {
      ...(never.length > 0 && {
        patternProperties: { [`^(?:${never.join("|")})$`]: { type: "null", errorMessage } },
      }),
      ...(needs.length > 0 && { allOf: needs.map((need) => havingOneOf([need])) }),
    },
  };
}
