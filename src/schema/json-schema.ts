import * as z from "zod/mini";
import { isCode } from "../diagnostics/codes.ts";
import { entryOf } from "../diagnostics/entries.ts";
import { extensionPattern, forEditors } from "./common.ts";
import { MappingMeta, havingOneOf, onCondition } from "./conditions.ts";
import { Config } from "./config.ts";
import { FolderDefaults, Menu, TestFile } from "./menu.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The files that have a schema. */
export const subjects = ["menu", "config", "test", "defaults"] as const;
export type Subject = (typeof subjects)[number];

const schemas = {
  menu: Menu.complete,
  config: Config,
  test: TestFile.complete,
  defaults: FolderDefaults,
} as const satisfies Record<Subject, z.core.$ZodType>;

/**
 * The JSON Schema (draft-07) for editors. It accepts more than the zod schemas: numbers
 * instead of text, menus without the fields that defaults can provide, `{{name}}` for any scalar of a
 * menu, and `${NAME}` under `service:` and `state:`. Not every validator applies `<<`, so every mapping
 * may have it. `patternErrorMessage` and `errorMessage` are for the YAML language server.
 */
export function jsonSchema(subject: Subject): JsonSchema {
  const written = writtenSchema(subject);
  const editor = new Editor(subject === "config" ? "neither" : "templates");
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...editor.view(written),
    definitions: editor.definitions(),
  };
}

/** The JSON Schema of zod, with the metadata of every field. */
export function writtenSchema(subject: Subject): JsonSchema {
  return z.toJSONSchema(schemas[subject], {
    target: "draft-07",
    io: "input",
    metadata: forEditors,
  });
}

/** The key that merges another mapping. */
const mergeKey = "^<<$";
const setting = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;
const variable = String.raw`\{\{[ \t]*[A-Za-z_][A-Za-z0-9_-]*[ \t]*\}\}`;

const extension: JsonSchema = {
  description: "Anything. ivrctl ignores this field. Use it for anchors.",
};

type Variables = "settings" | "templates" | "neither";

/** The parts of a configuration whose texts may have variables. */
const partsWithVariables: ReadonlyMap<string, Variables> = new Map([
  ["defaults", "templates"],
  ["service", "settings"],
  ["state", "settings"],
]);

/** Turns the JSON Schema of zod into the one for editors. */
class Editor {
  /** Whether a scalar may have a `${NAME}` or a `{{name}}`. */
  #variables: Variables;
  readonly #definitions = new Map<string, JsonSchema>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  view(written: JsonSchema): JsonSchema {
    const { shape } = written;
    const said = annotations(written);
    if (typeof shape !== "string") return { ...said, ...this.#body(written) };
    if (!this.#definitions.has(shape)) this.#definitions.set(shape, this.#body(written));
    // Draft-07 ignores everything next to a $ref, so the reference is inside an allOf.
    return { ...said, allOf: [reference(shape)] };
  }

  /** The definitions, sorted, so that their order does not depend on the first use. */
  definitions(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #body(written: JsonSchema): JsonSchema {
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
        return this.#variables === "settings"
          ? {
              type: ["boolean", "string"],
              pattern: setting,
              patternErrorMessage: "This must be true or false.",
            }
          : { type: "boolean" };
      case undefined:
        return {};
      default:
        throw new Error(`The type ${String(written.type)} is not supported in a JSON Schema.`);
    }
  }

  #alternatives(written: readonly JsonSchema[]): JsonSchema {
    const values = written.filter(({ type }) => type !== "null");
    const [only] = values;
    const view =
      only !== undefined && values.length === 1
        ? this.view(only)
        : { anyOf: explainable(values.flatMap((value) => alternativesOf(this.view(value)))) };
    return values.length === written.length ? view : orNull(view);
  }

  #object(written: JsonSchema): JsonSchema {
    const { properties = {}, required = [], additionalProperties, propertyNames } = written;
    // What a menu lacks may come from its defaults.
    const needed = written["defaultable"] === true ? [] : required;
    const fields = Object.entries(properties).map(([name, value]) => {
      const view = this.#inside(partsWithVariables.get(name), schemaOf(value));
      return [name, needed.includes(name) ? view : orNull(view)] as const;
    });
    const keys = propertyNames === undefined ? undefined : keyRule(schemaOf(propertyNames));
    const { offers, when = [], someOf = [] } = z.parse(MappingMeta, written);
    const rest =
      typeof additionalProperties === "object" &&
      (Object.keys(additionalProperties).length === 0 ||
        this.#defined(offers?.shape, this.view(additionalProperties)));
    const offered = offers?.keys.map((key) => [key, rest] as const) ?? [];
    const others = written["otherKeys"];
    const narrowed = typeof others === "string" && typeof rest === "object";
    return {
      type: "object",
      ...(fields.length + offered.length > 0 && {
        properties: Object.fromEntries([...fields, ...offered]),
      }),
      // Not a property, because editors would offer it everywhere.
      patternProperties: {
        [mergeKey]: this.#merge(),
        ...(narrowed ? { [others]: rest } : {}),
        ...(written["extensions"] === true ? { [extensionPattern.source]: extension } : {}),
      },
      ...(needed.length === 0 ? {} : { required: needed }),
      ...havingOneOf(someOf),
      ...(when.length > 0 && { allOf: when.map(onCondition) }),
      ...(keys === undefined ? {} : { propertyNames: keys }),
      additionalProperties: narrowed ? false : rest,
    };
  }

  /** A reference to the schema under this name; the schema itself if it has none. */
  #defined(name: string | undefined, view: JsonSchema): JsonSchema {
    if (name === undefined) return view;
    this.#definitions.set(name, view);
    return reference(name);
  }

  #array({ items, minItems }: JsonSchema): JsonSchema {
    if (Array.isArray(items)) throw new Error("Tuples are not supported in a JSON Schema.");
    return {
      type: "array",
      ...(items === undefined ? {} : { items: this.view(schemaOf(items)) }),
      ...(minItems === undefined ? {} : { minItems }),
    };
  }

  #text(written: JsonSchema): JsonSchema {
    const { pattern, mismatch } = written;
    const numeric = written["numeric"] === true;
    const words = written.enum ?? (written.const === undefined ? undefined : [written.const]);
    const eased = written["exact"] === true ? [] : this.#patterns();
    if (words !== undefined) {
      const variables = eased.map((pattern) => this.#variable(pattern));
      const choice = oneOf(words.map(String), numeric);
      return variables.length === 0 ? choice : { anyOf: [choice, ...variables] };
    }
    const view = matching(pattern, mismatch, numeric, eased);
    const [minimum, maximum] = Array.isArray(written["range"]) ? written["range"] : [];
    return minimum === undefined ? view : { ...view, minimum, maximum };
  }

  #merge(): JsonSchema {
    this.#definitions.set("merge", {
      description: "Merges the keys of another mapping, for example `<<: *common`.",
      type: ["object", "array"],
      items: { description: "A mapping to merge.", type: "object" },
    });
    return reference("merge");
  }

  /** The view of a part that may have its own kind of variables. */
  #inside(variables: Variables | undefined, written: JsonSchema): JsonSchema {
    const around = this.#variables;
    this.#variables = variables ?? around;
    const view = this.view(written);
    this.#variables = around;
    return view;
  }

  #patterns(): string[] {
    return { settings: [setting], templates: [variable], neither: [] }[this.#variables];
  }

  #variable(pattern: string): JsonSchema {
    const isSetting = pattern === setting;
    const name = isSetting ? "variable" : "menu_variable";
    this.#definitions.set(name, {
      description: isSetting
        ? "The value of an environment variable, for example `${TELEPHONY_TOKEN}`."
        : "The value of a variable under `vars:`, for example `{{shop}}`.",
      type: "string",
      pattern,
    });
    return reference(name);
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** What editors show about a value. */
export function annotations({ titled, description, examples }: JsonSchema): JsonSchema {
  const title = typeof titled === "string" && isCode(titled) ? `${entryOf(titled).title}. ` : "";
  const text = `${title}${description}`;
  // Editors complete a mapping or a list as `[object Object]`.
  const scalars = (examples ?? []).filter((example) => typeof example !== "object");
  return {
    ...(description === undefined ? {} : { description: text }),
    ...(description?.includes("`") ? { markdownDescription: text } : {}),
    ...(scalars.length === 0 ? {} : { examples: scalars }),
  };
}

/** The alternatives of a schema that has nothing else; otherwise the schema itself. */
function alternativesOf(view: JsonSchema): JsonSchema[] {
  if (view.anyOf === undefined || view.type !== undefined) return [view];
  const said = annotations(view);
  return view.anyOf.map((one) => (one.$ref === undefined ? { ...said, ...one } : one));
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
  mismatch: unknown,
  numeric: boolean,
  eased: readonly string[] = [],
): JsonSchema {
  const numbers = numeric ? numbersLike(pattern) : undefined;
  return {
    type: numbers === undefined ? "string" : ["string", numbers.type],
    ...(pattern === undefined ? {} : { pattern: orVariable(pattern, eased) }),
    ...(typeof mismatch === "string" && { patternErrorMessage: mismatch }),
    ...numbers?.bounds,
  };
}

/** The pattern of a text that matches a pattern or has a variable. */
function orVariable(pattern: string, variables: readonly string[]): string {
  const rule = new RegExp(pattern, "u");
  const samples = { [setting]: "${A} ${B}", [variable]: "{{a}} {{b}}" };
  const others = variables.filter((one) => !rule.test(samples[one] ?? ""));
  return [pattern, ...others].join("|");
}

/** The type and bounds of the numbers whose text matches the pattern; undefined if there are none. */
function numbersLike(pattern = "") {
  const rule = new RegExp(pattern, "u");
  if (!rule.test("1")) return undefined;
  const type = rule.test("1.5") ? ("number" as const) : ("integer" as const);
  if (rule.test("-1")) return { type, bounds: {} };
  if (rule.test("0")) return { type, bounds: { minimum: 0 } };
  return { type, bounds: type === "integer" ? { minimum: 1 } : { exclusiveMinimum: 0 } };
}

function oneOf(words: readonly string[], numeric: boolean): JsonSchema {
  const numbers = numeric ? words.filter(isNumberLike).map(Number) : [];
  return {
    type: numbers.length === 0 ? "string" : ["string", "number"],
    enum: [...words, ...new Set(numbers)],
  };
}

function keyRule(written: JsonSchema): JsonSchema | undefined {
  const { pattern, mismatch } = written;
  if (pattern === undefined) return undefined;
  const rule = new RegExp(pattern, "u");
  return {
    ...annotations(written),
    // Some editors read a key of digits as a number, and patterns apply only to text.
    ...(rule.test("0") ? {} : { type: "string", errorMessage: mismatch }),
    pattern: rule.test("<<") ? pattern : `${pattern}|${mergeKey}`,
    ...(typeof mismatch === "string" && { patternErrorMessage: mismatch }),
  };
}

function schemaOf(written: JsonSchema | boolean): JsonSchema {
  if (typeof written === "object") return written;
  throw new Error("Boolean schemas are not supported in a JSON Schema.");
}

/** Whether YAML reads this text as a number. */
function isNumberLike(text: string): boolean {
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text);
}
