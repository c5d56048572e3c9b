import * as z from "zod/mini";

/** All schemas for the value at a path, the most general first: each union before its alternatives. */
export function alternativesAt(
  root: z.core.$ZodType,
  path: readonly PropertyKey[],
): z.core.$ZodType[] {
  return path.reduce(
    (schemas, step) => schemas.flatMap((schema) => expanded(inside(schema, String(step)))),
    expanded(root),
  );
}

function inside(schema: z.core.$ZodType, step: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodMiniArray) return schema._zod.def.element;
  if (schema instanceof z.ZodMiniRecord) return schema._zod.def.valueType;
  if (!(schema instanceof z.ZodMiniObject)) return undefined;
  const { shape, catchall } = schema._zod.def;
  return Object.hasOwn(shape, step) ? shape[step] : catchall;
}

function expanded(schema: z.core.$ZodType | undefined): z.core.$ZodType[] {
  if (schema instanceof z.ZodMiniOptional) return expanded(schema._zod.def.innerType);
  if (!(schema instanceof z.ZodMiniUnion)) return schema ? [schema] : [];
  return [schema, ...schema._zod.def.options.flatMap(expanded)];
}

export function fieldsAt(root: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  return alternativesAt(root, path).flatMap(fieldNamesOf);
}

export function fieldNamesOf(schema: z.core.$ZodType): string[] {
  return schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [];
}
