import * as z from "zod/mini";

type Schema = z.core.$ZodType;
type Test = (value: unknown) => boolean;

/**
 * Whether a value is sound, told several times as fast as zod tells what is wrong with one: most
 * are. Made of the schema itself, part by part, each when it is first met. Never true where zod
 * would find a fault; false where it would, and also where this does not know enough of zod.
 */
export function fits<S extends Schema>(schema: S, value: unknown): value is z.output<S> {
  return testOf(schema)(value);
}

const tests = new WeakMap<Schema, Test>();

function testOf(schema: Schema): Test {
  let test = tests.get(schema);
  if (test === undefined) {
    test = make(schema);
    tests.set(schema, test);
  }
  return test;
}

function make(schema: Schema): Test {
  const kind = kindOf(schema);
  const checks = (schema._zod.def.checks ?? []).map(checkOf);
  const [first] = checks;
  if (first === undefined) return kind;
  return checks.length === 1
    ? (value) => kind(value) && first(value)
    : (value) => kind(value) && checks.every((check) => check(value));
}

/** Kinds that ask for more than others of their type are among what this does not know. */
function kindOf(schema: Schema): Test {
  switch (schema._zod.def.type) {
    case "optional":
      return schema instanceof z.core.$ZodOptional && !(schema instanceof z.core.$ZodExactOptional)
        ? orElse(undefined, schema._zod.def.innerType)
        : unsure;
    case "nullable":
      return schema instanceof z.core.$ZodNullable
        ? orElse(null, schema._zod.def.innerType)
        : unsure;
    case "string":
      return schema instanceof z.core.$ZodStringFormat ? unsure : isText;
    case "number":
      if (!(schema instanceof z.core.$ZodNumberFormat)) return Number.isFinite;
      return schema._zod.def.format === "safeint" ? Number.isSafeInteger : unsure;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "unknown":
      return anything;
    case "enum":
    case "literal": {
      const values = new Set<unknown>(schema._zod.values);
      return (value) => values.has(value);
    }
    case "union":
      return schema instanceof z.core.$ZodUnion && !(schema instanceof z.core.$ZodXor)
        ? someOf(schema._zod.def.options)
        : unsure;
    case "array":
      return schema instanceof z.core.$ZodArray ? itemsOf(schema._zod.def.element) : unsure;
    case "object":
      return schema instanceof z.core.$ZodObject ? fieldsOf(schema) : unsure;
    case "record":
      return schema instanceof z.core.$ZodRecord &&
        schema._zod.def.keyType instanceof z.core.$ZodString
        ? entriesOf(schema)
        : unsure;
    default:
      return unsure;
  }
}

const anything: Test = () => true;
const unsure: Test = () => false;
const isText: Test = (value) => typeof value === "string";

function orElse(nothing: null | undefined, inner: Schema): Test {
  let test: Test | undefined;
  return (value) => value === nothing || (test ??= testOf(inner))(value);
}

function checkOf(check: z.core.$ZodCheck): Test {
  if (check instanceof z.core.$ZodCustom) {
    const { fn } = check._zod.def;
    return (value) => fn(value) === true;
  }
  if (check instanceof z.core.$ZodCheckMinLength) {
    const { minimum } = check._zod.def;
    return (value) => Array.isArray(value) && value.length >= minimum;
  }
  return unsure;
}

function someOf(options: readonly Schema[]): Test {
  let tests: readonly Test[] | undefined;
  return (value) => {
    tests ??= options.map(testOf);
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

function itemsOf(element: Schema): Test {
  let test: Test | undefined;
  return (value) => Array.isArray(value) && value.every((test ??= testOf(element)));
}

interface Field {
  readonly name: string;
  readonly test: Test;
  readonly optional: boolean;
}

function fieldsOf(schema: z.core.$ZodObject): Test {
  const { catchall } = schema._zod.def;
  const others = catchall === undefined ? anything : testOf(catchall);
  let test: Test | undefined;
  return (value) => {
    test ??= others === anything ? openTo(fieldsIn(schema)) : closedTo(fieldsIn(schema), others);
    return test(value);
  };
}

function fieldsIn(schema: z.core.$ZodObject): readonly Field[] {
  return Object.entries(schema._zod.def.shape).map(([name, field]) => ({
    name,
    test: testOf(field),
    optional: field instanceof z.core.$ZodOptional,
  }));
}

/** Whatever else is there is not looked at. */
function openTo(fields: readonly Field[]): Test {
  return (value) => {
    if (!isMapping(value)) return false;
    for (const { name, test, optional } of fields) {
      const own = value[name];
      if (own === undefined && !optional && !Object.hasOwn(value, name)) return false;
      if (!test(own)) return false;
    }
    return true;
  };
}

/** Most of the fields are seldom there: what is there is looked at. */
function closedTo(fields: readonly Field[], others: Test): Test {
  const tests = new Map(fields.map(({ name, test }) => [name, test]));
  const needed = fields.filter(({ optional }) => !optional);
  return (value) => {
    if (!isMapping(value)) return false;
    for (const name in value) {
      if (!(tests.get(name) ?? others)(value[name])) return false;
    }
    return needed.every(({ name }) => Object.hasOwn(value, name));
  };
}

function entriesOf(schema: z.core.$ZodRecord): Test {
  const { keyType, valueType } = schema._zod.def;
  let tests: { readonly key: Test; readonly value: Test } | undefined;
  return (value) => {
    if (!isMapping(value)) return false;
    tests ??= { key: testOf(keyType), value: testOf(valueType) };
    for (const name in value) {
      if (!tests.key(name) || !tests.value(value[name])) return false;
    }
    return true;
  };
}

/** An object as JSON has them. */
function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
