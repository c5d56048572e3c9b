import * as z from "zod/mini";
import type { Code } from "../diagnostics/codes.ts";

/**
 * What the JSON Schema for editors says about a value. The schemas validate what the
 * reader hands over, where every scalar is the text that was written. Editors read YAML
 * their own way, and `numeric` tells them that a number is allowed too.
 */
export interface FieldMeta {
  readonly description?: string;
  /** The code whose title comes before the description. */
  readonly titled?: Code;
  readonly examples?: unknown[];
  readonly numeric?: true;
  /** What a text must match. */
  readonly pattern?: string;
  /** Which names of the project complete here (`schema --with-agents`). */
  readonly completes?: Completion;
  /** A pattern of what is allowed here besides those names. */
  readonly besides?: string;
  /** An object whose missing fields may come from `defaults:`. */
  readonly defaultable?: true;
  /** What is called by this name wherever it is used, under `definitions`. */
  readonly shape?: string;
  /** A pattern of the keys that an open object may have besides those it names. */
  readonly otherKeys?: string;
  /** Fields of which a mapping has one at least. */
  readonly someOf?: readonly string[];
  /** Never eased for the editor: exactly what the schema says. */
  readonly exact?: true;
}

export type Completion = "agent" | "team" | "department" | "recording" | "sms_template";

/**
 * What the schemas tell editors about themselves. Schemas are registered here: `z.meta`
 * would be a check of each, which runs whenever something is validated.
 */
export const forEditors = z.registry<FieldMeta>();

/** What editors show; a text is the description. */
type About = FieldMeta | string;

/** The schema, with what editors show about it. */
export function described<T extends z.core.$ZodType>(schema: T, about: About): T {
  forEditors.add(schema, metaOf(about));
  return schema;
}

function metaOf(about: About): FieldMeta {
  return typeof about === "string" ? { description: about } : about;
}

export function oneOf<const W extends readonly string[]>(words: W, about: About) {
  return described(z.enum(words), about);
}

export function listOf<T extends z.core.SomeType>(item: T, about: About) {
  return described(z.array(item), about);
}

/** A mapping of these fields and no others. */
export function mapping<F extends z.core.$ZodLooseShape>(fields: F, about: About) {
  return described(z.strictObject(fields), about);
}

/** A value that fits one of several schemas. */
export function either<const T extends readonly z.core.SomeType[]>(schemas: T, about: About) {
  return described(z.union(schemas), about);
}

/** A text that must match, with the diagnostic for one that does not. */
export function matching(pattern: RegExp, code: Code, rule: string, about: About) {
  return described(z.string({ error: rule }).check(matches(pattern, code, rule)), {
    ...metaOf(about),
    pattern: pattern.source,
  });
}

function matches(pattern: RegExp, code: Code, rule: string) {
  return z.refine<string>((text) => pattern.test(text), { error: rule, params: { code } });
}

/** A text that says something. Unlike `words` it cannot be written as a number. */
export function text(about: About) {
  return described(z.string().check(matches(/\S/, "IVR204", "must not be empty")), {
    pattern: "\\S",
    ...metaOf(about),
  });
}

export const words = (about: About) => text({ ...metaOf(about), numeric: true });

export const idPattern = /^(?:(?!\|\|)\S)+$/;
export const digits = /^[0-9]+$/;

export const id = (description: string) =>
  matching(idPattern, "IVR206", "must be an id: text without spaces and without `||`", {
    description,
    numeric: true,
  });

export const count = (description: string) =>
  matching(digits, "IVR205", "must be a whole number from 0, digits only", {
    description,
    numeric: true,
  });

/** An optional field; `null` is the same as leaving it out. */
export function maybe<T extends z.core.SomeType>(schema: T) {
  return z.optional(z.nullable(schema));
}

export const keyPattern =
  /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;
export const keyRule =
  "must be letters, digits, `.`, `_`, `-` and `/`, with no empty, `.` or `..` part";
export const environmentNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
