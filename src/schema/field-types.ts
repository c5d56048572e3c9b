import * as z from "zod/mini";
import type { Code } from "../diagnostics/codes.ts";

/**
 * What editors show about a value, and what messages say if it is invalid. In the trees that
 * the schemas validate, every scalar is text. Editors parse YAML themselves, so `numeric`
 * tells them that a number is allowed too.
 */
export interface FieldMeta {
  readonly description?: string;
  /** Values that are valid here. Messages suggest the first. */
  readonly examples?: readonly unknown[];
  readonly numeric?: true;
  /** The least and the largest number. */
  readonly range?: readonly [number, number];
  /** What the value must be, for messages: `must refer to a recording`. */
  readonly must?: string;
  /** How to fix an invalid value, for messages. Starts with a verb. */
  readonly help?: string;
  /** The pattern that a text must match. */
  readonly pattern?: string;
  /** What editors say about a text that does not match the pattern. */
  readonly mismatch?: string;
  /** Which names of the project complete here in the language server. */
  readonly completes?: Completion;
  /** The name of this schema under `definitions`, which all its uses refer to. */
  readonly shape?: string;
  /** Whether the mapping may have further fields that start with `x-`, which ivrctl ignores. */
  readonly extensions?: true;
  /** Fields that every menu has for itself, if the mapping has defaults. */
  readonly neverDefault?: readonly string[];
  /** The paths of fields that are no longer in this mapping, by their former names. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The mapping must have at least one of these fields. */
  readonly someOf?: readonly string[];
  /** What to report if it has none of them, at the key of the mapping. */
  readonly lacking?: Omit<MappingProblem, "path">;
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

/** A condition that a mapping does not meet, as a message. */
export interface MappingProblem {
  readonly code: Code;
  /** `{name}` stands for the name of the field. */
  readonly message: string;
  readonly hint: string;
  readonly severity?: "error";
  /** The field to report. Empty for the mapping itself, by its key. */
  readonly path: readonly string[];
  /** Whether to report the name of the field, not its value. */
  readonly atKey?: true;
}

export type Completion =
  | "agent"
  | "team"
  | "department"
  | "recording"
  | "sms_template"
  | "destination";

/**
 * The metadata of each schema. `z.meta` is not used, because it adds a check to the schema
 * that runs at every validation.
 */
export const forEditors = z.registry<FieldMeta>();

/** What a value is, a valid value, and what else editors and messages need. */
type Annotation = readonly [description: string, example?: unknown, meta?: FieldMeta];

function metaOf([description, example, meta]: Annotation): FieldMeta {
  return { description, ...(example !== undefined && { examples: [example] }), ...meta };
}

/** Adds metadata to a schema and returns the schema. */
export function described<T extends z.core.$ZodType>(schema: T, ...annotation: Annotation): T {
  return withMeta(schema, metaOf(annotation));
}

function withMeta<T extends z.core.$ZodType>(schema: T, meta: FieldMeta): T {
  forEditors.add(schema, meta);
  return schema;
}

export const flag = (description: string) => described(z.boolean(), description);

export function oneOf<const W extends readonly string[]>(words: W, ...annotation: Annotation) {
  return described(z.enum(words), ...annotation);
}

export function listOf<T extends z.core.SomeType>(item: T, ...annotation: Annotation) {
  return described(z.array(item), ...annotation);
}

/** These fields, each optional. `null` is the same as no field: in a plain value it is undefined. */
export function optional<F extends z.core.$ZodLooseShape>(fields: F) {
  return z.partial(z.object(fields)).shape;
}

/** A mapping of these fields and no others, which meets the conditions in its metadata. */
export function mapping<F extends z.core.$ZodLooseShape>(fields: F, meta: FieldMeta) {
  const schema = z.strictObject(fields);
  if (meta.someOf === undefined && meta.when === undefined) return withMeta(schema, meta);
  return withMeta(
    schema.check(({ value, issues }) => {
      const entries = new Map<string, unknown>(Object.entries(value));
      const has = (name: string) => entries.get(name) !== undefined;
      const add = ({ path, ...params }: MappingProblem) =>
        issues.push({ code: "custom", input: value, path: [...path], params });
      for (const condition of meta.when ?? []) {
        const { field, is, needs = [], never = [] } = condition;
        if (!has(field) || (is !== undefined && entries.get(field) !== is)) continue;
        const other = never.find(has);
        const needed = needs.find((name) => !has(name));
        if (other !== undefined) add(notTogether(other, condition));
        else if (needed !== undefined) {
          const missing = { code: "invalid_type", expected: "string", input: undefined } as const;
          issues.push({ ...missing, path: [needed] });
        }
        if (other !== undefined || needed !== undefined) return;
      }
      if (meta.lacking && !meta.someOf?.some(has)) add({ ...meta.lacking, path: [] });
    }),
    meta,
  );
}

function notTogether(other: string, { field, is }: FieldCondition): MappingProblem {
  const [code, cause] =
    is === undefined ? (["IVR310", field] as const) : (["IVR407", `${field}: ${is}`] as const);
  return {
    code,
    path: [other],
    // The value of a setting may be a secret.
    ...(is !== undefined && { atKey: true }),
    message: `\`${other}\` cannot be combined with \`${cause}\`.`,
    hint: `Remove \`${other}:\`, or use it without \`${cause}\`.`,
  };
}

/** A value that fits one of several schemas. */
export function unionOf<const T extends readonly z.core.SomeType[]>(schemas: T, meta: FieldMeta) {
  return withMeta(z.union(schemas), meta);
}

/** Every check makes a copy of it. */
const anyText = z.string();

/** A text that must match a pattern. `must` is the message and `code` the diagnostic if it does not. */
export function matching(pattern: RegExp, code: Code, must: string, ...annotation: Annotation) {
  const meta = metaOf(annotation);
  const mismatch = [`This ${must}.`, meta.help].filter(Boolean).join(" ");
  const [least = -Infinity, most = Infinity] = meta.range ?? [];
  return withProblem({ mismatch, ...meta, pattern: pattern.source, must }, (text, all) =>
    !pattern.test(text) || Number(text) < least || Number(text) > most
      ? { code, meta: all }
      : undefined,
  );
}

/** A text that is not empty. Unlike `words` it cannot be written as a number. */
export function text(...annotation: Annotation) {
  const meta = { pattern: "\\S", mismatch: "This must not be empty.", ...metaOf(annotation) };
  return withProblem(meta, (value) =>
    /\S/.test(value) ? undefined : { code: "IVR203", meta: { ...meta, must: "must not be empty" } },
  );
}

/** An address, with a condition that says in its own words what is wrong. */
export function address(
  problemOf: (text: string) => { readonly message: string; readonly help: string } | undefined,
  ...annotation: Annotation
) {
  const meta = { pattern: "\\S", mismatch: "This must not be empty.", ...metaOf(annotation) };
  return withProblem(meta, (value) => {
    const problem = problemOf(value);
    return problem && { code: "IVR407", message: problem.message, hint: problem.help };
  });
}

/** A text that must have no problem: an issue gets the problem as its params. */
function withProblem(
  meta: FieldMeta,
  problemOf: (text: string, meta: FieldMeta) => Readonly<Record<string, unknown>> | undefined,
) {
  const schema = anyText.check(({ value, issues }) => {
    const params = problemOf(value, meta);
    if (params !== undefined) issues.push({ code: "custom", input: value, path: [], params });
  });
  return withMeta(schema, meta);
}

export const words = (...[description, example, meta]: Annotation) =>
  text(description, example, { ...meta, numeric: true });

export const idPattern = /^(?:(?!\|\|)\S)+$/;
export const digits = /^[0-9]+$/;

export const id = (description: string, example = "19549") =>
  matching(idPattern, "IVR203", "must be an id without spaces or `||`", description, example, {
    numeric: true,
  });

export const count = (description: string, example = 2) =>
  number(digits, "must be a whole number, 0 or more", description, example);

/** A number that must match a pattern. */
export function number(pattern: RegExp, must: string, ...[description, example, meta]: Annotation) {
  return matching(pattern, "IVR203", must, description, example, { ...meta, numeric: true });
}

/** A number in a range. */
export function between(
  range: readonly [least: number, most: number],
  kind: "number" | "whole number",
  description: string,
  example: number,
) {
  const pattern = kind === "number" ? /^[0-9]+(?:\.[0-9]+)?$/ : digits;
  const must = `must be a ${kind} from ${range[0]} to ${range[1]}`;
  return number(pattern, must, description, example, { range });
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

export const varName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The variables that texts of menus can use. */
export const vars = described(
  z.record(
    matching(
      varName,
      "IVR203",
      "cannot be the name of a variable",
      "The name of a variable.",
      undefined,
      { help: "Use letters, digits, `_` and `-`. Start with a letter or `_`." },
    ),
    described(z.string(), "The text of the variable. It can use other variables.", "Thane", {
      numeric: true,
      exact: true,
    }),
  ),
  "Variables for texts: `{{shop}}` in a text is replaced by `vars: { shop: Thane }`.",
  { shop: "Thane" },
  { shape: "vars", must: "must map names to texts" },
);
