import * as z from "zod/mini";
import type { Code } from "../diagnostics/codes.ts";

/**
 * What editors show about a value, and what messages say if it is invalid. In the trees that
 * the schemas validate, every scalar is text. Editors parse YAML themselves, so `numeric`
 * tells them that a number is allowed too.
 */
export interface FieldMeta {
  readonly description?: string;
  /** The code whose title comes before the description. */
  readonly titled?: Code;
  /** Values that are valid here. Messages suggest the first. */
  readonly examples?: readonly unknown[];
  readonly numeric?: true;
  /** Whether the value is a number without a unit, and not an id. */
  readonly isNumber?: true;
  /** What the value must be, for messages: `must name a recording`. */
  readonly must?: string;
  /** How to fix an invalid value, for messages. Starts with a verb. */
  readonly help?: string;
  /** The fields of this mapping that a plain value may belong to. */
  readonly mayMean?: { readonly text?: string; readonly digits?: string };
  /** The pattern that a text must match. */
  readonly pattern?: string;
  /** What editors say about a text that does not match the pattern. */
  readonly mismatch?: string;
  /** Which names of the project complete here in the language server. */
  readonly completes?: Completion;
  /** Whether missing fields of this mapping may come from `defaults:`. */
  readonly defaultable?: true;
  /** The name of this schema under `definitions`, which all its uses refer to. */
  readonly shape?: string;
  /** A pattern of the keys that an open object may have besides those it names. */
  readonly otherKeys?: string;
  /** The keys that editors offer in an open object, and the name of the definition of their values. */
  readonly offers?: { readonly keys: readonly string[]; readonly shape: string };
  /** Whether the mapping may have further fields that start with `x-`, which ivrctl ignores. */
  readonly extensions?: true;
  /** The mapping must have at least one of these fields. */
  readonly someOf?: readonly string[];
  readonly when?: readonly FieldCondition[];
  /** Whether editors must not accept a variable here. */
  readonly exact?: true;
}

/** What a mapping must and must not have if one of its fields has a value. */
export interface FieldCondition {
  readonly field: string;
  /** The value; undefined for any. */
  readonly is?: string;
  readonly needs?: readonly string[];
  readonly never?: readonly string[];
}

export const completions = ["agent", "team", "department", "recording", "sms_template"] as const;
export type Completion = (typeof completions)[number];

/**
 * The metadata of each schema. `z.meta` is not used, because it adds a check to the schema
 * that runs at every validation.
 */
export const forEditors = z.registry<FieldMeta>();

/** The metadata of the schema that each check belongs to. */
const checked = new WeakMap<object, FieldMeta>();

/** The metadata of a schema or of one of its checks. */
export function metaOfSchema(
  inst: z.core.$ZodType | z.core.$ZodCheck | undefined,
): FieldMeta | undefined {
  if (inst === undefined) return undefined;
  return checked.get(inst) ?? (inst instanceof z.core.$ZodType ? forEditors.get(inst) : undefined);
}

/** The metadata of a schema; a text is its description. */
type About = FieldMeta | string;

/** Adds metadata to a schema and returns the schema. */
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

/** A text that must match a pattern. `must` is the message and `code` the diagnostic if it does not. */
export function matching(pattern: RegExp, code: Code, must: string, about: About) {
  const own = metaOf(about);
  const mismatch = [`This ${must}.`, own.help].filter(Boolean).join(" ");
  const meta = { mismatch, ...own, pattern: pattern.source, must };
  return described(z.string().check(matches(pattern, code, meta)), meta);
}

function matches(pattern: RegExp, code: Code, meta: FieldMeta) {
  const check = z.refine<string>((text) => pattern.test(text), { params: { code } });
  checked.set(check, meta);
  return check;
}

/** A text that is not empty. Unlike `words` it cannot be written as a number. */
export function text(about: About) {
  const meta = { pattern: "\\S", mismatch: "This must not be empty.", ...metaOf(about) };
  const check = matches(/\S/, "IVR203", { ...meta, must: "must not be empty" });
  return described(z.string().check(check), meta);
}

export const words = (about: About) => text({ ...metaOf(about), numeric: true });

export const idPattern = /^(?:(?!\|\|)\S)+$/;
export const digits = /^[0-9]+$/;

export const id = (description: string, example = "19549") =>
  matching(idPattern, "IVR203", "must be an id without spaces or `||`", {
    description,
    numeric: true,
    examples: [example],
  });

export const count = (description: string, example = 2) =>
  number(digits, "must be a whole number, 0 or more", { description, examples: [example] });

/** A number that must match a pattern. */
export function number(pattern: RegExp, must: string, about: FieldMeta) {
  return matching(pattern, "IVR203", must, { ...about, numeric: true, isNumber: true });
}

/** An optional field; `null` is the same as leaving it out. */
export function maybe<T extends z.core.SomeType>(schema: T) {
  return z.optional(z.nullable(schema));
}

/** The keys of fields that ivrctl ignores. */
export const extensionPattern = /^x-/;

export const keyPattern =
  /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;
export const keyRule =
  "must be letters, digits, `.`, `_`, `-` and `/`, without empty, `.` or `..` parts";
export const menuKeyHelp =
  "Use the path of the menu file under ivrs/ without .yaml, or the `id:` of the menu.";
export const environmentNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/** The rule of a name as an instruction: `must be letters` becomes `Use letters.` */
export function instruction(rule: string): string {
  return `${rule.replace(/^must be /, "Use ")}.`;
}
