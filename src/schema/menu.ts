import * as z from "zod/mini";
import {
  type FieldMeta,
  count,
  described,
  eitherSchema,
  listOf,
  mapping,
  matching,
  maybe,
  maybeEmpty,
  number,
  oneOf,
  words,
} from "./common.ts";
import {
  destination,
  menuKey,
  option,
  reached,
  recordingReference,
  smsReference,
} from "./destination.ts";
import { type Field, type FieldPath, type Fields, rows } from "./fields.ts";
import { vars } from "./vars.ts";

export const keyPress = matching(
  /^[^\s,]+$/,
  "IVR203",
  "must be one phone key, or `_` for silence",
  {
    description:
      'A phone key: `0` to `9`, `"*"` or `star`, `"#"` or `hash`. `_` is silence: the caller presses nothing.',
    numeric: true,
    examples: [1, "*", "_"],
    help: "Write one key, or a list such as `[9, 9, 2]` for several.",
  },
);

export const via = oneOf(
  ["option", "invalid", "timeout"],
  "The path of the call: `option` (a key of the menu), `invalid` (wrong keys) or `timeout` (silence).",
);

const testFields = {
  name: maybe(
    words({ description: "The name of the test in reports.", examples: ["Billing is key 2"] }),
  ),
  press: eitherSchema([keyPress, z.array(keyPress)], {
    description: "What the caller presses: a key, or a list such as `[9, 9, 2]`. `_` is silence.",
    must: "must be a key or a list of keys",
    examples: [2, [9, 9, 2]],
  }),
  reaches: maybe(
    reached(
      "The agent that the call must reach: a name, or a mapping such as `{ team: Billing }`.",
    ),
  ),
  via: maybe(via),
  hears: maybe(
    listOf(recordingReference("A recording that the caller hears."), {
      description: "All recordings that the caller must hear, in order.",
      examples: [["welcome", "not-valid"]],
    }),
  ),
  in: menuKey(
    "The menu that the call must be in after the last key. If that key ends the call, the menu where it was pressed.",
    "sales/india",
  ),
  steps: maybe(count("The number of keys and silences until the call reaches someone.")),
};

const Test = mapping(testFields, {
  description: "A test: one call, and what must happen in it.",
  examples: [{ press: 2, reaches: "Ravi Kumar" }],
});

/** The valid parts of a test. */
export type TestDraft = z.infer<typeof DraftTest>;
const DraftTest = z.partial(z.strictObject(testFields));
const draftTests = z.optional(z.array(DraftTest));

const tests = listOf(Test, {
  description:
    "Tests of this menu, run by `ivrctl test`: what callers press and which agent they reach.",
  examples: [[{ press: 2, reaches: "Ravi Kumar" }]],
});

const testedMenu = menuKey(
  "The key of the menu to test. By default, the path of this file under ivrs/ without `.test.yaml`.",
  "front-desk",
  { exact: true },
);

/** A document of a `*.test.yaml` file: tests in a file next to their menu. */
export const TestFile = {
  complete: mapping({ menu: testedMenu, tests }, "Tests of a phone menu, run by `ivrctl test`."),
  draft: z.strictObject({ menu: testedMenu, tests: draftTests }),
};

/** The schemas of the fields that are sent, by their kind. */
const kinds = {
  text: ({ about, example }: Field) => words({ description: about, examples: [example] }),
  count: ({ about, example }: Field) => count(about, Number(example)),
  number: ({ about, example }: Field) =>
    number(/^0*[0-9]{1,15}$/, "must be a whole number, 0 or more, of at most 15 digits", {
      description: about,
      examples: [example],
    }),
  recording: ({ about, example }: Field) => recordingReference(about, String(example)),
  destination: ({ about }: Field) => destination(about),
  keys: ({ about, example }: Field) =>
    described(z.record(optionKey, maybeEmpty(option)), {
      description: about,
      must: "must map keys to agents",
      examples: [example],
      offers: { keys: "0123456789*#".split(""), shape: "key" },
    }),
  sms: () => smsReference,
};

const optionKey = described(z.string(), {
  description: "A phone key.",
  pattern: String.raw`[\s\S]`,
  mismatch: "The key of an option must not be empty.",
});

type Under<S extends string> = {
  [
    P in FieldPath as P extends `${S}${infer K}`
      ? K extends `${string}.${string}`
        ? never
        : K
      : never
  ]: Fields[P] extends { readonly optional: true }
    ? z.ZodMiniOptional<ReturnType<(typeof kinds)[Fields[P]["is"]]>>
    : ReturnType<(typeof kinds)[Fields[P]["is"]]>;
};

/** The schemas of the fields directly under a section. */
function under<S extends string>(section: S): Under<S> {
  const inside = rows.filter(
    ([path]) => path.startsWith(section) && !path.slice(section.length).includes("."),
  );
  const shape = inside.map(([path, field]) => {
    const schema = kinds[field.is](field);
    return [path.slice(section.length), field.optional ? maybe(schema) : schema];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Under` is the type of this
  return Object.fromEntries(shape) as Under<S>;
}

const { name, options, ...plain } = under("");
const invalidFields = under("invalid.");
const timeoutFields = under("timeout.");

/** A phone number in a menu: `+912241234567`. */
export const phonePattern = /^\+[1-9][0-9]{6,14}$/;

const phoneNumber = matching(
  phonePattern,
  "IVR203",
  "must be a phone number with its country code",
  {
    description: "A phone number: `+`, the country code and the number, without spaces.",
    exact: true,
    examples: ["+912241234567"],
    help: "Write `+`, the country code and the number, without spaces, in quotes.",
  },
);

const identity = {
  id: menuKey(
    "The menu key, which must never change. By default, the path of the file under ivrs/ without `.yaml`.",
    "front-desk",
    { exact: true },
  ),
  moved_from: menuKey(
    "The former key of this menu, if its file was renamed or moved. ivrctl then carries the record over.",
    "front-desk",
    { exact: true },
  ),
  entry: maybe(
    described(
      z.boolean(),
      "Whether calls begin in this menu. By default, they begin in every menu that no other menu leads to or that has phone numbers.",
    ),
  ),
  environments: maybe(
    listOf(words({ description: "The name of an environment.", examples: ["production"] }), {
      description:
        "The environments that have this menu. By default, all. In the others it is planned like a menu whose file was deleted.",
      examples: [["production"]],
    }),
  ),
  numbers: maybe(
    listOf(phoneNumber, {
      description:
        "The phone numbers that lead to this menu. Plans and follow-ups name them, and with `operations: [list, numbers]` apply binds them.",
      examples: [["+912241234567"]],
    }),
  ),
};

export const OnChange = oneOf(
  ["replace", "refuse"],
  "What to do if a menu has changed: `replace` creates a new menu on the service, `refuse` reports an error. Default: replace.",
);

/** The fields that a menu and `defaults:` may both have, besides those of the service. */
const shared = {
  extra: maybe(
    described(z.strictObject(under("extra.")), {
      description: "Two fields that the service accepts and does not document.",
      examples: [{ timeout_retries: 2 }],
    }),
  ),
  on_change: maybe(OnChange),
  owner: maybe(
    words({
      description: "The person or team responsible for this menu.",
      examples: ["customer-care@example.com"],
    }),
  ),
};

const aboutInvalid: FieldMeta = {
  description: "What happens when a caller presses a wrong key.",
  defaultable: true,
  examples: [{ retries: 2, recording: "not-valid", destination: "Front Desk" }],
};
const aboutTimeout: FieldMeta = {
  description: "What happens when a caller presses no key.",
  defaultable: true,
  examples: [
    {
      wait: 5,
      retries: 2,
      retry_recording: "still-there",
      recording: "goodbye",
      destination: "Front Desk",
    },
  ],
};

/** The fields of a menu besides its sections. */
const own = { ...identity, name, vars: maybe(vars), tests: maybe(tests), ...plain };
const aboutMenu = {
  description: "A phone menu for ivrctl.",
  defaultable: true,
  extensions: true,
} as const;

/** A menu after defaults are applied. */
const MenuSchema = mapping(
  {
    ...own,
    options,
    invalid: mapping(invalidFields, aboutInvalid),
    timeout: mapping(timeoutFields, aboutTimeout),
    ...shared,
  },
  aboutMenu,
);

const partly = {
  invalid: maybe(described(z.partial(z.strictObject(invalidFields)), aboutInvalid)),
  timeout: maybe(described(z.partial(z.strictObject(timeoutFields)), aboutTimeout)),
};

/** A menu of which parts are missing: the valid parts of a menu with problems. */
const DraftSchema = z.partial(
  z.strictObject({ ...own, tests: draftTests, options, ...partly, ...shared }),
);

export const Menu = { complete: MenuSchema, draft: DraftSchema };
export type MenuDraft = z.infer<typeof DraftSchema>;

const defaultFields = {
  ...z.partial(z.strictObject(plain)).shape,
  options: maybe(options),
  ...partly,
  ...shared,
};

/** The fields of `defaults:`: those of a menu, except its name, key and tests. */
export const Defaults = z.strictObject(defaultFields);

/** The file _defaults.yaml: the fields of a menu, except its key. */
export const FolderDefaults = described(
  z.strictObject({
    name: maybe(name),
    vars: maybe(vars),
    tests: maybe(tests),
    ...defaultFields,
  }),
  { description: "Fields for all menus in this folder and below.", extensions: true },
);

/** Fields that only one menu can have, so _defaults.yaml must not have them. */
export const neverInFolder: ReadonlySet<string> = new Set(Object.keys(identity));

/** Fields of a menu that `defaults:` must not have. */
export const neverDefault: ReadonlySet<string> = new Set(["name", "tests", ...neverInFolder]);
