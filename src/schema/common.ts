import * as z from "zod/mini";
import type { Code } from "../diagnostics/codes.ts";

/**
 * The schemas judge what the reader hands over, where every scalar is the text
 * that was written. `numeric` tells the JSON Schema for editors, which read
 * YAML their own way, that a number may stand there too.
 */
export interface FieldMeta {
  readonly description?: string;
  /** The code whose title stands before the description. */
  readonly titled?: Code;
  readonly examples?: unknown[];
  readonly numeric?: true;
  /** What a text must match. */
  readonly pattern?: string;
  /** Which names of the project complete here (`schema --with-agents`). */
  readonly completes?: Completion;
  /** A pattern of what may stand here beside those names. */
  readonly besides?: string;
  /** An object whose missing fields may come from `defaults:`. */
  readonly defaultable?: true;
  /** What is called by this name wherever it is used, under `definitions`. */
  readonly shape?: string;
  /** A pattern of the keys that an open object may have beside those it names. */
  readonly otherKeys?: string;
  /** Fields of which a mapping has one at least. */
  readonly someOf?: readonly string[];
  /** Never eased for the editor: exactly what the schema says. */
  readonly exact?: true;
}

export type Completion = "agent" | "team" | "department" | "recording" | "sms_template";

/**
 * What the schemas tell editors of themselves. Schemas are registered here: `z.meta` would
 * be a check of each, which copies the schema and runs whenever something is judged.
 */
export const forEditors = z.registry<FieldMeta>();

/** A text that must match, with the diagnostic for one that does not. */
export function matching(pattern: RegExp, code: Code, rule: string, about: FieldMeta) {
  return z
    .string({ error: rule })
    .check(matches(pattern, code, rule))
    .register(forEditors, { ...about, pattern: pattern.source });
}

function matches(pattern: RegExp, code: Code, rule: string) {
  return z.refine<string>((text) => pattern.test(text), { error: rule, params: { code } });
}

/** A text that says something. Unlike `words` it cannot be written as a number. */
export const text = (about: FieldMeta) =>
  z
    .string()
    .check(matches(/\S/, "IVR204", "must not be empty"))
    .register(forEditors, { pattern: "\\S", ...about });

export const words = (about: FieldMeta) => text({ ...about, numeric: true });

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
