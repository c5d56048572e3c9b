import * as z from "zod/mini";
import { type Since, firstReaders, oldestFormat } from "./formats.ts";

/** The parts of schemas that came after the oldest format. */
export const later = z.registry<{ since: Since }>();

/**
 * Marks what came with a later format: an optional field, an event, or an alternative of a union. Older
 * versions read everything that does not have it.
 */
export function added<S extends z.core.$ZodType>(since: Since, schema: S): S {
  // A copy, because the same schema may also be in an older part.
  const copy = z.clone(schema);
  later.add(copy, { since });
  return copy;
}

/** What a header says about the versions that can read what follows. */
export const formatFields = {
  version: z.int(),
  /** The version of ivrctl that is needed. The oldest format does not have it. */
  needs: z.exactOptional(z.string()),
};

export const Format = z.object(formatFields);
export type Format = z.infer<typeof Format>;

/** The same in a file that says nothing if every version can read it. */
export const laterFields = {
  version: z.exactOptional(formatFields.version),
  needs: formatFields.needs,
};

/** The lowest format that can read all of these values, each with its schema. */
export function formatOf(...parts: readonly (readonly [z.core.$ZodType, unknown])[]): Format {
  const formats = parts.map(([schema, value]) => measureOf(schema)?.(value) ?? oldestFormat);
  const version = Math.max(...formats);
  const needs = versions.get(version);
  return { version, ...(needs !== undefined && { needs }) };
}

/** The same for a file with `laterFields`. */
export function laterFormat(schema: z.core.$ZodType, value: unknown): Format | undefined {
  const format = formatOf([schema, value]);
  return format.version === oldestFormat ? undefined : format;
}

/** Returns why this version cannot read something with this header, and what can. Undefined if it can. */
export function formatProblem(header: unknown): { problem: string; help: string } | undefined {
  const { version, needs } = Format.safeParse(header).data ?? {};
  if (version === undefined || (version >= oldestFormat && version <= newestFormat))
    return undefined;
  const problem = `has format ${version}, but this ivrctl reads only formats ${oldestFormat} to ${newestFormat}`;
  if (version < oldestFormat) return { problem, help: "Use the ivrctl that wrote it." };
  const least = needs === undefined ? "a newer ivrctl" : `ivrctl ${needs} or later`;
  return {
    problem,
    help: `Use ${least} (\`ivrctl explain install\`). In a pipeline, change the version that it installs.`,
  };
}

const versions = new Map(Object.entries(firstReaders).map(([format, by]) => [Number(format), by]));
const newestFormat = Math.max(...versions.keys());

/** Returns the lowest format that can read a value. */
type Measure = (value: unknown) => number;

const measures = new WeakMap<z.core.$ZodType, { readonly measure: Measure | undefined }>();

/** The measure of a schema. Undefined if the oldest format has all of it, so that values are not searched in vain. */
function measureOf(schema: z.core.$ZodType): Measure | undefined {
  const known = measures.get(schema);
  if (known !== undefined) return known.measure;
  const since = later.get(schema)?.since;
  const inner = innerMeasure(schema);
  const measure =
    since === undefined ? inner : (value: unknown) => Math.max(since, inner?.(value) ?? since);
  measures.set(schema, { measure });
  return measure;
}

function innerMeasure(schema: z.core.$ZodType): Measure | undefined {
  if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodReadonly
  ) {
    const measure = measureOf(schema._zod.def.innerType);
    // JSON leaves out what is undefined.
    return measure && ((value) => ((value ?? null) === null ? oldestFormat : measure(value)));
  }
  if (schema instanceof z.core.$ZodPipe) return measureOf(schema._zod.def.out);
  if (schema instanceof z.core.$ZodArray) {
    const measure = measureOf(schema._zod.def.element);
    return measure && ((value) => highest(Array.isArray(value) ? value.map(measure) : []));
  }
  if (schema instanceof z.core.$ZodUnion) return unionMeasure(schema);
  if (!(schema instanceof z.core.$ZodObject)) return undefined;
  const fields = Object.entries(schema._zod.def.shape).flatMap(([name, field]) => {
    const measure = measureOf(field);
    return measure ? [{ name, measure }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value) => {
    const there = new Map<string, unknown>(Object.entries(Object(value)));
    // JSON has no field that is undefined.
    return highest(
      fields.flatMap(({ name, measure }) =>
        there.get(name) === undefined ? [] : measure(there.get(name)),
      ),
    );
  };
}

/** Of the alternatives that a value fits, the oldest one counts. */
function unionMeasure(union: z.core.$ZodUnion): Measure | undefined {
  const options = union._zod.def.options.map((schema) => ({ schema, measure: measureOf(schema) }));
  if (options.every(({ measure }) => measure === undefined)) return undefined;
  return (value) => {
    const named = options.filter(({ schema }) => hasLiterals(schema, value));
    const [only, ...more] = named;
    const fitting =
      only && more.length === 0
        ? [only]
        : named.filter(({ schema }) => z.safeParse(schema, value).success);
    if (fitting.length === 0) throw new TypeError("A value fits no alternative of its schema.");
    return Math.min(...fitting.map(({ measure }) => measure?.(value) ?? oldestFormat));
  };
}

/** Whether a value has no other literals than an alternative, which is faster to see than whether it fits. */
function hasLiterals(option: z.core.$ZodType, value: unknown): boolean {
  const there = new Map<string, unknown>(Object.entries(Object(value)));
  return Object.entries(option._zod.propValues ?? {}).every(([name, literals]) => {
    const literal = there.get(name);
    return typeof literal !== "string" || literals.has(literal);
  });
}

function highest(formats: readonly number[]): number {
  return formats.reduce((one, other) => Math.max(one, other), oldestFormat);
}
