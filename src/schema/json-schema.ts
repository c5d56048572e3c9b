import * as z from "zod/mini";
import { codeEntry } from "../diagnostics/explanations.ts";
import { rules } from "../rules/built-in/index.ts";
import type { Rule } from "../rules/rule.ts";
import {
  type FieldCondition,
  type FieldMeta,
  count,
  extensionPattern,
  forEditors,
  optional,
  unionOf,
} from "./field-types.ts";
import { Config } from "./config.ts";
import { FolderDefaults, Menu, TestFile } from "./menu.ts";
import { severity, withRules } from "./rules.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A JSON Schema as zod writes it for these schemas, with the metadata of the value. */
export interface Written extends FieldMeta {
  readonly type?: "object" | "array" | "string" | "boolean" | "null";
  readonly const?: string | boolean;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Written>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Written | false;
  readonly propertyNames?: Written;
  readonly items?: Written;
  readonly minItems?: number;
  readonly anyOf?: readonly Written[];
}

/** The files that have a schema. */
export const subjects = ["menu", "config", "test", "defaults"] as const;
export type Subject = (typeof subjects)[number];

const schemas: Readonly<Record<Subject, () => z.core.$ZodType>> = {
  menu: () => Menu.complete,
  config: () => {
    const settings = rules.map((rule) => [rule.name, ruleSetting(rule)]);
    const config = z.extend(Config, { rules: z.optional(withRules(Object.fromEntries(settings))) });
    forEditors.add(config, forEditors.get(Config) ?? {});
    return config;
  },
  test: () => TestFile.complete,
  defaults: () => FolderDefaults,
};

/** The setting of a built-in rule. */
function ruleSetting({ code, severity: usual, options }: Rule) {
  const counts = Object.entries(options).map(
    ([name, { about, preset }]) =>
      [name, count(`${about} Default: ${String(preset)}.`, Number(preset))] as const,
  );
  // Editors explain a wrong value with the first alternative, so the severity comes first.
  return unionOf(
    [severity, z.strictObject(optional({ severity, ...Object.fromEntries(counts) }))],
    {
      description: `${codeEntry(code).title}. Default: ${usual === "warning" ? "warn" : usual}.`,
      ...(counts.length === 0 && { shape: "rule" }),
    },
  );
}

/**
 * The JSON Schema (draft-07) for editors. It accepts more than the zod schemas: numbers
 * instead of text, menus without the fields that defaults can provide, and a variable instead of any text:
 * `{{name}}` or, in a configuration, also `${NAME}`. Not every validator applies `<<`, so every mapping
 * may have it. `patternErrorMessage` and `errorMessage` are for the YAML language server.
 */
export function jsonSchema(subject: Subject): JsonSchema {
  const editor = new Editor(subject === "config");
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...editor.view(writtenSchema(subject)),
    definitions: editor.definitions(),
  };
}

/** The JSON Schema of zod, with the metadata of every field. */
function writtenSchema(subject: Subject): Written {
  const known = written.get(subject);
  if (known !== undefined) return known;
  const options = { target: "draft-07", io: "input", metadata: forEditors } as const;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tests check all schemas
  const schema = z.toJSONSchema(schemas[subject](), options) as unknown as Written;
  written.set(subject, schema);
  return schema;
}

const written = new Map<Subject, Written>();

/** The steps to a value: the keys of mappings and the indexes of lists. */
export type Path = readonly (string | number)[];

/** All schemas for the value at a path, the most general first: each schema before its alternatives. */
export function schemasAt(subject: Subject, path: Path): readonly Written[] {
  return path.reduce<readonly Written[]>(
    (schemas, step) => schemas.flatMap((schema) => expanded(inner(schema, step))),
    expanded(writtenSchema(subject)),
  );
}

function inner(schema: Written, step: string | number): Written | false | undefined {
  const { items, properties = {}, additionalProperties } = schema;
  if (typeof step === "number") return items;
  return Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
}

function expanded(schema: Written | false | undefined): Written[] {
  return schema ? [schema, ...(schema.anyOf ?? []).flatMap(expanded)] : [];
}

/** The key that merges another mapping. */
const mergeKey = "^<<$";
const setting = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;
const template = String.raw`\{\{[ \t]*[A-Za-z_][A-Za-z0-9_-]*[ \t]*\}\}`;

const extension: JsonSchema = {
  description: "Anything. ivrctl ignores this field. Use it for anchors.",
};

/** Turns the JSON Schema of zod into the one for editors. */
class Editor {
  /** The pattern of a variable. */
  readonly #variable: string;
  readonly #boolean: JsonSchema;
  readonly #definitions = new Map<string, JsonSchema>();

  constructor(isConfig: boolean) {
    this.#variable = isConfig ? `${template}|${setting}` : template;
    this.#boolean = isConfig
      ? {
          type: ["boolean", "string"],
          pattern: `^${setting}$`,
          patternErrorMessage: "This must be true or false.",
        }
      : { type: "boolean" };
  }

  view(written: Written): JsonSchema {
    const { shape } = written;
    const said = annotations(written);
    if (shape === undefined) return { ...said, ...this.#body(written) };
    if (!this.#definitions.has(shape)) this.#definitions.set(shape, this.#body(written));
    // Draft-07 ignores everything next to a $ref, so the reference is inside an allOf.
    return { ...said, allOf: [reference(shape)] };
  }

  /** The definitions, sorted, so that their order does not depend on the first use. */
  definitions(): Record<string, JsonSchema> {
    this.#definitions.set("merge", {
      description: "Merges the keys of another mapping, for example `<<: *common`.",
      type: ["object", "array"],
      items: { description: "A mapping to merge.", type: "object" },
    });
    this.#definitions.set("variable", {
      description: "The value of a variable, for example `{{shop}}`.",
      type: "string",
      pattern: this.#variable,
    });
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #body(written: Written): JsonSchema {
    if (written.anyOf !== undefined) return this.#alternatives(written.anyOf);
    switch (written.type) {
      case "object":
        return this.#object(written);
      case "array":
        return this.#array(written);
      case "string":
        return this.#text(written);
      case "boolean":
        if (written.const !== undefined) return { type: "boolean", enum: [written.const] };
        return this.#boolean;
      default:
        return {};
    }
  }

  #alternatives(written: readonly Written[]): JsonSchema {
    const values = written.filter(({ type }) => type !== "null");
    const [only] = values;
    const view =
      only !== undefined && values.length === 1
        ? this.view(only)
        : { anyOf: explainable(values.flatMap((value) => alternativesOf(this.view(value)))) };
    return values.length === written.length ? view : orNull(view);
  }

  #object(written: Written): JsonSchema {
    const { properties = {}, required = [], additionalProperties, propertyNames } = written;
    const { when = [], someOf = [] } = written;
    // What a menu lacks may come from its defaults.
    const needed = written.defaultable ? [] : required;
    const fields = Object.entries(properties).map(([name, value]) => {
      const view = this.view(value);
      return [name, needed.includes(name) ? view : orNull(view)] as const;
    });
    const keys = propertyNames && keyRule(propertyNames);
    const rest =
      additionalProperties !== undefined &&
      additionalProperties !== false &&
      (Object.keys(additionalProperties).length === 0 || this.view(additionalProperties));
    return {
      type: "object",
      ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
      // Not a property, because editors would offer it everywhere.
      patternProperties: {
        [mergeKey]: reference("merge"),
        ...(written.extensions && { [extensionPattern.source]: extension }),
      },
      ...(needed.length > 0 && { required: [...needed] }),
      ...havingOneOf(someOf),
      ...(when.length > 0 && { allOf: when.map(onCondition) }),
      ...(keys && { propertyNames: keys }),
      additionalProperties: rest,
    };
  }

  #array({ items, minItems }: Written): JsonSchema {
    return {
      type: "array",
      ...(items && { items: this.view(items) }),
      ...(minItems !== undefined && { minItems }),
    };
  }

  #text(written: Written): JsonSchema {
    const { pattern, mismatch, numeric = false, range } = written;
    const words = written.enum ?? (written.const === undefined ? undefined : [written.const]);
    if (words !== undefined) {
      const choice = oneOf(words.map(String), numeric);
      return written.exact ? choice : { anyOf: [choice, reference("variable")] };
    }
    const view = matching(pattern, mismatch, numeric, written.exact ? undefined : this.#variable);
    return range === undefined ? view : { ...view, minimum: range[0], maximum: range[1] };
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** What editors show about a value. */
function annotations({
  description,
  examples,
}: Pick<FieldMeta, "description" | "examples">): JsonSchema {
  // Editors complete a mapping or a list as `[object Object]`.
  const scalars = (examples ?? []).filter((example) => typeof example !== "object");
  return {
    ...(description === undefined ? {} : { description }),
    ...(description?.includes("`") ? { markdownDescription: description } : {}),
    ...(scalars.length === 0 ? {} : { examples: scalars }),
  };
}

/** The alternatives of a schema that has nothing else; otherwise the schema itself. */
function alternativesOf(view: JsonSchema): JsonSchema[] {
  if (view.anyOf === undefined || view.type !== undefined) return [view];
  const said = annotations(view);
  return view.anyOf.map((alternative) =>
    alternative.$ref === undefined ? { ...said, ...alternative } : alternative,
  );
}

/**
 * The alternatives of a value. Editors explain an error with the alternative that matches the most
 * fields, and of several with the first. So every field of a mapping matches something.
 */
function explainable(alternatives: readonly JsonSchema[]): JsonSchema[] {
  return alternatives.map((view) =>
    view.type === "object"
      ? { ...view, allOf: [...(view.allOf ?? []), { patternProperties: { "": true } }] }
      : view,
  );
}

function orNull(view: JsonSchema): JsonSchema {
  const { type, ...rest } = view;
  if (type === undefined) {
    const { anyOf, allOf, ...others } = rest;
    const alternatives = anyOf ?? allOf;
    return alternatives === undefined
      ? view
      : { ...others, anyOf: [...alternatives, { type: "null" }] };
  }
  return {
    ...annotations(view),
    type: [...(Array.isArray(type) ? type : [type]), "null"],
    ...rest,
    ...(view.enum === undefined ? {} : { enum: [...view.enum, null] }),
  };
}

function matching(
  pattern: string | undefined,
  mismatch: string | undefined,
  numeric: boolean,
  variable?: string,
): JsonSchema {
  const isWhole = pattern !== undefined && !new RegExp(pattern, "u").test("5.5");
  return {
    type: numeric ? ["string", isWhole ? "integer" : "number"] : "string",
    ...(pattern !== undefined && { pattern: orVariable(pattern, variable) }),
    ...(mismatch !== undefined && { patternErrorMessage: mismatch }),
    ...(numeric && { minimum: 0 }),
  };
}

/** The pattern of a text that matches a pattern or has a variable. */
function orVariable(pattern: string, variable: string | undefined): string {
  const isEased = variable === undefined || new RegExp(pattern, "u").test("{{a}} ${B}");
  return isEased ? pattern : `${pattern}|${variable}`;
}

function oneOf(words: readonly string[], numeric: boolean): JsonSchema {
  return numeric
    ? { type: ["string", "number"], enum: [...words, ...words.map(Number)] }
    : { type: "string", enum: [...words] };
}

function keyRule(written: Written): JsonSchema | undefined {
  const { pattern, mismatch } = written;
  if (pattern === undefined) return undefined;
  const rule = new RegExp(pattern, "u");
  return {
    ...annotations(written),
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
