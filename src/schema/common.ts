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
  return checked(matches(pattern, code, rule), { ...about, pattern: pattern.source }, rule);
}

function matches(pattern: RegExp, code: Code, rule: string) {
  return z.refine<string>((text) => pattern.test(text), { error: rule, params: { code } });
}

/** Made with its check: `z.string().check(…)` makes two schemas, and every start makes them all. */
function checked(check: z.core.$ZodCheck<string>, about: FieldMeta, rule?: string) {
  return new z.ZodMiniString({
    type: "string",
    checks: [check],
    ...(rule === undefined ? {} : { error: () => rule }),
  }).register(forEditors, about);
}

const saysSomething = matches(/\S/, "IVR204", "must not be empty");

/** A text that says something. Unlike `words` it cannot be written as a number. */
export const text = (about: FieldMeta) => checked(saysSomething, { pattern: "\\S", ...about });

export const words = (about: FieldMeta) => text({ ...about, numeric: true });

export const idPattern = /^(?:(?!\|\|)\S)+$/;
export const digits = /^[0-9]+$/;

const idRule = "must be an id: text without spaces and without `||`";
const isId = matches(idPattern, "IVR206", idRule);

export const id = (description: string) =>
  checked(isId, { description, numeric: true, pattern: idPattern.source }, idRule);

const countRule = "must be a whole number from 0, digits only";
const isCount = matches(digits, "IVR205", countRule);

export const count = (description: string) =>
  checked(isCount, { description, numeric: true, pattern: digits.source }, countRule);

/** An optional field; `null` is the same as leaving it out. */
export function maybe<T extends z.core.SomeType>(schema: T) {
  return z.optional(z.nullable(schema));
}

type Made<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };
type Fields = Readonly<Record<string, () => z.core.SomeType>>;

/**
 * The fields of a mapping, made when one is first judged: few projects have all there can be, and
 * every start would make them.
 */
export function whenUsed<F extends Fields>(fields: F): Made<F> {
  const made = {};
  for (const [name, get] of Object.entries(fields)) {
    Object.defineProperty(made, name, { enumerable: true, get });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return made as Made<F>;
}

export const keyPattern =
  /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;
export const keyRule =
  "must be letters, digits, `.`, `_`, `-` and `/`, with no empty, `.` or `..` part";
export const environmentNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
