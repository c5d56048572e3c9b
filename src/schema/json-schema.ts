import * as z from "zod/mini";
import { isCode } from "../diagnostics/codes.ts";
import { entryOf } from "../diagnostics/texts.ts";
import { type Completion, forEditors } from "./common.ts";
import { Config } from "./config.ts";
import { Menu, TestFile, neverDefault } from "./menu.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What can be written where a schema says `completes`. */
export type Names = Readonly<Record<Completion, readonly string[]>>;

/** What there is a schema of. */
export const subjects = ["menu", "config", "test"] as const;
export type Subject = (typeof subjects)[number];

const schemas = { menu: Menu, config: Config, test: TestFile } as const satisfies Record<
  Subject,
  z.core.$ZodType
>;

/**
 * The JSON Schema (draft-07) for editors. It is more lenient than the schemas it is made
 * of: a number is allowed for its text, a menu need not have what `defaults:` can give
 * it, and in the configuration `${NAME}` is allowed for any scalar. Not every validator
 * applies `<<`, so it is allowed in any mapping. With names, only these are accepted as
 * agents, recordings and so on.
 */
export function jsonSchema(subject: Subject, names?: Names): JsonSchema {
  const written = z.toJSONSchema(schemas[subject], {
    target: "draft-07",
    io: "input",
    metadata: forEditors,
  });
  const editor = new Editor(names, subject === "config");
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...editor.view(written),
    definitions: editor.definitions(),
  };
}

/** The key that takes in those of another mapping. */
const mergeKey = "^<<$";
const variable = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;

/** Where the names are kept, under `definitions`. */
const known: Record<Completion, string> = {
  agent: "known_agents",
  team: "known_teams",
  department: "known_departments",
  recording: "known_recordings",
  sms_template: "known_sms_templates",
};

/** Turns what zod wrote into what an editor needs. */
class Editor {
  readonly #names: Names | undefined;
  /** Whether `${NAME}` may replace a scalar. */
  readonly #variables: boolean;
  readonly #definitions = new Map<string, JsonSchema>();

  constructor(names: Names | undefined, variables: boolean) {
    this.#names = names;
    this.#variables = variables;
  }

  view(written: JsonSchema): JsonSchema {
    const { shape } = written;
    const said = annotations(written);
    if (typeof shape !== "string") return { ...said, ...this.#body(written) };
    if (!this.#definitions.has(shape)) this.#definitions.set(shape, this.#body(written));
    // In draft-07 whatever is next to a $ref is ignored, hence the allOf.
    return { ...said, allOf: [reference(shape)] };
  }

  /** Sorted, so that where a shape is first met does not matter. */
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
        return this.#variables
          ? { type: ["boolean", "string"], pattern: variable }
          : { type: "boolean" };
      case undefined:
        return {};
      default:
        throw new Error(`No editor's view of the type ${String(written.type)}.`);
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
    const mayComeFromDefaults = (name: string) =>
      written["defaultable"] === true && required.includes(name) && !neverDefault.has(name);
    const fields = Object.entries(properties).map(([name, value]) => {
      const view = this.view(schemaOf(value));
      return [name, mayComeFromDefaults(name) ? orNull(view) : view] as const;
    });
    const needed = required.filter((name) => !mayComeFromDefaults(name));
    const keys = propertyNames === undefined ? undefined : keyRule(schemaOf(propertyNames));
    const rest =
      typeof additionalProperties === "object" &&
      (Object.keys(additionalProperties).length === 0 || this.view(additionalProperties));
    const others = written["otherKeys"];
    const narrowed = typeof others === "string" && typeof rest === "object";
    return {
      type: "object",
      ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
      // Not one of the properties: editors would offer it everywhere.
      patternProperties: { [mergeKey]: this.#merge(), ...(narrowed ? { [others]: rest } : {}) },
      ...(needed.length === 0 ? {} : { required: needed }),
      ...havingOneOf(textsIn(written["someOf"])),
      ...(keys === undefined ? {} : { propertyNames: keys }),
      additionalProperties: narrowed ? false : rest,
    };
  }

  #array({ items, minItems }: JsonSchema): JsonSchema {
    if (Array.isArray(items)) throw new Error("No editor's view of a tuple.");
    return {
      type: "array",
      ...(items === undefined ? {} : { items: this.view(schemaOf(items)) }),
      ...(minItems === undefined ? {} : { minItems }),
    };
  }

  #text(written: JsonSchema): JsonSchema {
    const { completes, besides, pattern } = written;
    const numeric = written["numeric"] === true;
    const words = written.enum ?? (written.const === undefined ? undefined : [written.const]);
    const eased = this.#variables && written["exact"] !== true;
    const variables = () => (eased ? [this.#variable()] : []);
    if (words !== undefined) return anyOf([oneOf(words.map(String), numeric), ...variables()]);
    if (this.#names !== undefined && isCompletion(completes)) {
      return anyOf([
        ...this.#known(completes, this.#names[completes]),
        ...(typeof besides === "string" ? [matching(besides, numeric)] : []),
        ...variables(),
      ]);
    }
    return matching(pattern, numeric, eased);
  }

  /** The names are written once, however often they are asked for: there may be 50,000. */
  #known(completes: Completion, names: readonly string[]): JsonSchema[] {
    if (names.length === 0) return [];
    if (!this.#definitions.has(known[completes])) {
      this.#definitions.set(known[completes], oneOfMany([...new Set(names)].sort()));
    }
    return [reference(known[completes])];
  }

  #merge(): JsonSchema {
    this.#definitions.set("merge", {
      description: "Takes in the keys of another mapping.",
      type: ["object", "array"],
      items: { description: "A mapping whose keys are taken in.", type: "object" },
    });
    return reference("merge");
  }

  #variable(): JsonSchema {
    this.#definitions.set("variable", {
      description: "Read from the environment variable NAME: ${NAME}.",
      type: "string",
      pattern: variable,
    });
    return reference("variable");
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** One of these; where there are none, nothing will do. */
function anyOf(alternatives: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = alternatives;
  if (first === undefined) return { not: {} };
  if (others.length > 0) return { anyOf: [...alternatives] };
  return first.$ref === undefined ? first : { allOf: [first] };
}

/**
 * A mapping with one of these fields, or with `<<`, which may bring it. Strict
 * validators want a field to be named where it is required; named by no more
 * than `true`, editors do not offer it twice.
 */
function havingOneOf(fields: readonly string[]): JsonSchema {
  if (fields.length === 0) return {};
  return {
    anyOf: [...fields, "<<"].map((name) => ({ properties: { [name]: true }, required: [name] })),
  };
}

function annotations({ titled, description, examples }: JsonSchema): JsonSchema {
  const title = typeof titled === "string" && isCode(titled) ? `${entryOf(titled).title}. ` : "";
  return {
    ...(description === undefined ? {} : { description: `${title}${description}` }),
    ...(examples === undefined ? {} : { examples }),
  };
}

/** A view that is nothing but alternatives is as many as it has. */
function alternativesOf(view: JsonSchema): JsonSchema[] {
  if (view.anyOf === undefined || view.type !== undefined) return [view];
  const said = annotations(view);
  return view.anyOf.map((one) => (one.$ref === undefined ? { ...said, ...one } : one));
}

/**
 * Editors tell what is wrong by the first of the alternatives that come close,
 * so the text that is hardly ever wrong comes last.
 */
function explainable(alternatives: readonly JsonSchema[]): JsonSchema[] {
  const isAnyText = ({ pattern }: JsonSchema) =>
    pattern !== undefined && new RegExp(pattern, "u").test("any text");
  return [...alternatives.filter((view) => !isAnyText(view)), ...alternatives.filter(isAnyText)];
}

function orNull(view: JsonSchema): JsonSchema {
  const { type, anyOf, allOf, not, ...rest } = view;
  const alternatives = anyOf ?? allOf;
  if (alternatives !== undefined) return { ...rest, anyOf: [...alternatives, { type: "null" }] };
  if (type === undefined) return not === undefined ? view : { ...rest, type: "null" };
  return {
    ...annotations(view),
    type: [...(Array.isArray(type) ? type : [type]), "null"],
    ...rest,
    ...(view.enum === undefined ? {} : { enum: [...view.enum, null] }),
  };
}

function matching(pattern: string | undefined, numeric: boolean, eased = false): JsonSchema {
  const numbers = numeric ? numbersLike(pattern) : undefined;
  return {
    type: numbers === undefined ? "string" : ["string", numbers.type],
    ...(pattern === undefined ? {} : { pattern: eased ? orVariable(pattern) : pattern }),
    ...numbers?.bounds,
  };
}

function orVariable(pattern: string): string {
  return new RegExp(pattern, "u").test("${A} ${B}") ? pattern : `${pattern}|${variable}`;
}

/** The numbers an editor makes of texts that match. */
function numbersLike(pattern = "") {
  const rule = new RegExp(pattern, "u");
  const type = rule.test("1.5") ? ("number" as const) : ("integer" as const);
  if (rule.test("-1")) return { type, bounds: {} };
  if (rule.test("0")) return { type, bounds: { minimum: 0 } };
  return { type, bounds: type === "integer" ? { minimum: 1 } : { exclusiveMinimum: 0 } };
}

/** What YAML takes for a number. */
const numberLike = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function oneOf(words: readonly string[], numeric: boolean): JsonSchema {
  const numbers = numeric ? words.filter((word) => numberLike.test(word)).map(Number) : [];
  return {
    type: numbers.length === 0 ? "string" : ["string", "number"],
    enum: [...words, ...new Set(numbers)],
  };
}

/** Validators compare every item of an enum with every other one; blocks keep that bearable. */
const blockSize = 1000;

function oneOfMany(words: readonly string[]): JsonSchema {
  if (words.length <= blockSize) return oneOf(words, true);
  const blocks = Array.from({ length: Math.ceil(words.length / blockSize) }, (_, block) =>
    words.slice(block * blockSize, (block + 1) * blockSize),
  );
  return { anyOf: blocks.map((block) => oneOf(block, true)) };
}

function keyRule(written: JsonSchema): JsonSchema | undefined {
  const { pattern } = written;
  if (pattern === undefined) return undefined;
  const rule = new RegExp(pattern, "u");
  return {
    ...annotations(written),
    // Some editors see a number in a key of digits, and a pattern is about texts.
    ...(rule.test("0") ? {} : { type: "string" }),
    pattern: rule.test("<<") ? pattern : `${pattern}|${mergeKey}`,
  };
}

function schemaOf(written: JsonSchema | boolean): JsonSchema {
  if (typeof written === "object") return written;
  throw new Error("No editor's view of a schema that is true or false.");
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isCompletion(value: unknown): value is Completion {
  return typeof value === "string" && Object.hasOwn(known, value);
}
