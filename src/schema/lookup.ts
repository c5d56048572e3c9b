import { type JsonSchema, type Subject, writtenSchema } from "./json-schema.ts";

/** The steps to a value: the keys of mappings and the indexes of lists. */
export type Path = readonly (string | number)[];

/** All schemas for the value at a path, the most general first: each schema before its alternatives. */
export function schemasAt(subject: Subject, path: Path): readonly JsonSchema[] {
  let schema = known.get(subject);
  if (schema === undefined) {
    schema = writtenSchema(subject);
    known.set(subject, schema);
  }
  return path.reduce<readonly JsonSchema[]>(
    (schemas, step) => schemas.flatMap((one) => expanded(inner(one, step))),
    expanded(schema),
  );
}

const known = new Map<Subject, JsonSchema>();

function inner(schema: JsonSchema, step: string | number): JsonSchema | boolean | undefined {
  const { items, properties = {}, additionalProperties } = schema;
  if (typeof step === "number") return Array.isArray(items) ? undefined : items;
  return Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
}

function expanded(schema: JsonSchema | boolean | undefined): JsonSchema[] {
  if (typeof schema !== "object") return [];
  return [schema, ...(schema.anyOf ?? []).flatMap(expanded)];
}
