import * as z from "zod/mini";
import {
  type FieldMeta,
  count,
  described,
  unionOf,
  flag,
  listOf,
  mapping,
  matching,
  number,
  oneOf,
  optional,
  vars,
  words,
} from "./field-types.ts";
import {
  destination,
  menuKey,
  option,
  reached,
  recordingReference,
  smsReference,
} from "./destination.ts";
import { type Field, type FieldPath, type Fields, rows } from "./fields.ts";

export const keyPress = matching(
  /^[^\s,]+$/,
  "IVR203",
  "must be one phone key, or `_` for silence",
  'A phone key: `0` to `9`, `"*"` or `star`, `"#"` or `hash`. `_` is silence: the caller presses nothing.',
  undefined,
  {
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
  ...optional({ name: words("The name of the test in reports.", "Billing is key 2") }),
  press: unionOf([keyPress, z.array(keyPress)], {
    description: "What the caller presses: a key, or a list such as `[9, 9, 2]`. `_` is silence.",
    must: "must be a key or a list of keys",
    examples: [2, [9, 9, 2]],
  }),
  ...optional({
    reaches: reached(
      "The agent that the call must reach: a name, or a mapping such as `{ team: Billing }`.",
    ),
    via,
    hears: listOf(
      recordingReference("A recording that the caller hears."),
      "All recordings that the caller must hear, in order.",
      ["welcome", "not-valid"],
    ),
    in: menuKey(
      "The menu that the call must be in after the last key. If that key ends the call, the menu where it was pressed.",
      "sales/india",
    ),
    steps: count("The number of keys and silences until the call reaches someone."),
  }),
};

const Test = mapping(testFields, {
  description: "A test: one call, and what must happen in it.",
  examples: [{ press: 2, reaches: "Ravi Kumar" }],
});

/** A test as written. */
export type Test = z.infer<typeof Test>;

const tests = listOf(
  Test,
  "Tests of this menu, run by `ivrctl test`: what callers press and which agent they reach.",
  [{ press: 2, reaches: "Ravi Kumar" }],
);

const testedMenu = z.optional(
  menuKey(
    "The key of the menu to test. By default, the path of this file under ivrs/ without `.test.yaml`.",
    "front-desk",
    { exact: true },
  ),
);

/** A document of a `*.test.yaml` file: tests in a file next to their menu. */
export const TestFile = mapping(
  { menu: testedMenu, tests },
  { description: "Tests of a phone menu, run by `ivrctl test`." },
);

/** The schemas of the fields that are sent, by their kind. */
const kinds = {
  text: ({ about, example }: Field) => words(about, example),
  count: ({ about, example }: Field) => count(about, Number(example)),
  number: ({ about, example }: Field) =>
    number(
      /^0*[0-9]{1,15}$/,
      "must be a whole number, 0 or more, of at most 15 digits",
      about,
      example,
    ),
  recording: ({ about, example }: Field) => recordingReference(about, String(example)),
  destination: ({ about }: Field) => destination(about),
  keys: ({ about, example }: Field) =>
    described(z.record(optionKey, z.optional(option)), about, example, {
      must: "must map keys to agents",
    }),
  sms: () => smsReference,
};

const optionKey = described(z.string(), "A phone key.", undefined, {
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
    return [path.slice(section.length), field.optional ? z.optional(schema) : schema];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Under` is the type of this
  return Object.fromEntries(shape) as Under<S>;
}

const { name, options, ...plain } = under("");
const invalidFields = under("invalid.");
const timeoutFields = under("timeout.");

/** A phone number in a menu: `+912241234567`, or with spaces as ivrctl prints it. */
export const phonePattern = /^\+[1-9](?: ?[0-9]){6,14}$/;

const phoneNumber = matching(
  phonePattern,
  "IVR203",
  "must be a phone number with its country code",
  "A phone number: `+`, the country code and the number, with or without spaces.",
  "+912241234567",
  {
    exact: true,
    help: 'Write `+`, the country code and the number, with digits and spaces only: `"+91 22 4123 4567"`.',
  },
);

const identity = optional({
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
  entry: flag(
    "Whether calls begin in this menu. By default, they begin in every menu that no other menu links to or that has phone numbers.",
  ),
  environments: listOf(
    words("The name of an environment.", "production"),
    "The environments that have this menu. By default, all. In the others it is planned like a menu whose file was deleted.",
    ["production"],
  ),
});

const bound = optional({
  numbers: listOf(
    phoneNumber,
    "The phone numbers that point to this menu. Plans and follow-ups name them, and with `operations: [list, numbers]` apply binds them.",
    ["+912241234567"],
  ),
});

export const OnChange = oneOf(
  ["replace", "refuse"],
  "What to do if a menu has changed: `replace` creates a new menu on the service, `refuse` reports an error. By default, ivrctl updates the menu if the service can, and replaces it otherwise.",
);

/** The new paths of the fields that were under `extra:`. */
const renamed = Object.fromEntries(
  rows.flatMap(([path, { formerly }]) =>
    formerly === undefined ? [] : [[formerly.replace("extra.", ""), path]],
  ),
);

/** The fields that a menu and `defaults:` may both have, besides those of the service. */
const shared = optional({
  extra: described(
    z.strictObject(under("extra.")),
    "A field that the service accepts and does not document.",
    { timeout_retries: 2 },
    { renamed },
  ),
  on_change: OnChange,
  owner: words("The person or team responsible for this menu.", "customer-care@example.com"),
});

const aboutInvalid: FieldMeta = {
  description: "What happens when a caller presses a wrong key.",
  examples: [{ retries: 2, recording: "not-valid", destination: "Front Desk" }],
};
const aboutTimeout: FieldMeta = {
  description: "What happens when a caller presses no key.",
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

const { description, ...heard } = plain;
const { owner, ...settings } = shared;

/** The fields of a menu, in the order in which they are shown. */
const menuFields = {
  ...identity,
  name,
  ...optional({ vars }),
  description,
  owner,
  ...bound,
  ...heard,
  options,
  invalid: mapping(invalidFields, aboutInvalid),
  timeout: mapping(timeoutFields, aboutTimeout),
  ...settings,
  ...optional({ tests }),
};

export const menuFieldNames: readonly string[] = Object.keys(menuFields);

/** A menu after defaults are applied. */
const MenuSchema = mapping(menuFields, { extensions: true });

/** The fields of `defaults:`: those of a menu, except its name, key and tests. */
const defaultFields = {
  ...optional({
    ...plain,
    options,
    invalid: mapping(optional(invalidFields), aboutInvalid),
    timeout: mapping(optional(timeoutFields), aboutTimeout),
  }),
  ...shared,
};

export const Defaults = z.strictObject(defaultFields);

/** Fields that only one menu can have, so _defaults.yaml must not have them. */
export const neverInFolder: readonly string[] = Object.keys({ ...identity, ...bound });

/** Fields of a menu that `defaults:` must not have. */
export const neverDefault: readonly string[] = ["name", "tests", ...neverInFolder];

/** The fields of _defaults.yaml: those of a menu, except its key. */
const folderFields = {
  ...optional({ name }),
  vars: menuFields.vars,
  tests: menuFields.tests,
  ...defaultFields,
};

export const FolderDefaultsSchema = mapping(folderFields, {
  description: "Fields for all menus in this folder and below.",
  extensions: true,
  neverDefault: neverInFolder,
});

/** A menu of which parts are missing: without its defaults, or without its invalid parts. */
const DraftSchema = mapping(
  { ...identity, ...bound, ...folderFields },
  { description: "A phone menu for ivrctl.", extensions: true },
);

export const menuSchemas = { complete: MenuSchema, draft: DraftSchema };
export type MenuDraft = z.infer<typeof DraftSchema>;
