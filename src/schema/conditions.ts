import * as z from "zod/mini";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const Condition = z.strictObject({
  field: z.string(),
  is: z.optional(z.string()),
  needs: z.optional(z.array(z.string())),
  never: z.optional(z.array(z.string())),
  example: z.optional(z.string()),
});
type Condition = z.infer<typeof Condition>;

/** The metadata about the fields of a mapping, as zod adds it to a JSON Schema. */
export const MappingMeta = z.looseObject({
  offers: z.optional(z.strictObject({ keys: z.array(z.string()), shape: z.string() })),
  someOf: z.optional(z.array(z.string())),
  when: z.optional(z.array(Condition)),
});

/**
 * A schema that requires one of these fields, or `<<`, which may provide one. Strict validators
 * require that `properties` has every required field. The schema `true` keeps editors from
 * offering the field twice.
 */
export function havingOneOf(fields: readonly string[]): JsonSchema {
  if (fields.length === 0) return {};
  return {
    anyOf: [...fields, "<<"].map((name) => ({ properties: { [name]: true }, required: [name] })),
  };
}

/** A schema that requires and forbids fields if another field has a value. */
export function onCondition({ field, is, needs = [], never = [] }: Condition): JsonSchema {
  const value: JsonSchema = is === undefined ? { not: { type: "null" } } : { const: is };
  const cause = is === undefined ? field : `${field}: ${is}`;
  return {
    if: { properties: { [field]: value }, required: [field] },
    // oxlint-disable-next-line unicorn/no-thenable
    then: {
      ...(never.length > 0 && {
        patternProperties: {
          [`^(?:${never.join("|")})$`]: {
            type: "null",
            errorMessage: `Remove this field. It cannot be combined with \`${cause}\`.`,
          },
        },
      }),
      ...(needs.length > 0 && { allOf: needs.map((need) => havingOneOf([need])) }),
    },
  };
}
