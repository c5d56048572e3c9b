import * as z from "zod/mini";
import {
  type FieldMeta,
  count,
  described,
  either,
  listOf,
  mapping,
  matching,
  maybe,
  number,
  oneOf,
  words,
} from "./common.ts";
import { destination, menuKey, option, reached, recordingReference } from "./destination.ts";
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

const Test = mapping(
  {
    name: maybe(
      words({ description: "The name of the test in reports.", examples: ["Billing is key 2"] }),
    ),
    press: either([keyPress, z.array(keyPress)], {
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
  },
  {
    description: "A test: one call, and what must happen in it.",
    examples: [{ press: 2, reaches: "Ravi Kumar" }],
  },
);

const tests = listOf(Test, {
  description:
    "Tests of this menu, run by `ivrctl test`: what callers press and which agent they reach.",
  examples: [[{ press: 2, reaches: "Ravi Kumar" }]],
});

/** A document of a `*.test.yaml` file: tests in a file next to their menu. */
export const TestFile = mapping(
  {
    menu: menuKey(
      "The key of the menu to test. By default, the path of this file under ivrs/ without `.test.yaml`.",
      "front-desk",
      { exact: true },
    ),
    tests,
  },
  "Tests of a phone menu, run by `ivrctl test`.",
);

const invalidFields = {
  retries: count(
    "How often a caller may press a wrong key and try again. Sent as `incorrect_count`.",
  ),
  recording: recordingReference("Plays after every wrong key, also after the last.", "not-valid"),
  destination: destination("The agent or menu that the caller reaches when no retry is left."),
};

const timeoutFields = {
  wait: count(
    "How long the menu waits for a key, in the unit of the service. Sent as `timeout`.",
    5,
  ),
  retries: count("How often a silent caller is asked again. Sent as `timeout_tries`."),
  retry_recording: recordingReference("Plays when a silent caller is asked again.", "still-there"),
  recording: recordingReference("Plays after the last silence.", "goodbye"),
  destination: destination("The agent or menu that the caller reaches after the last silence."),
};

const extraFields = {
  timeout_retries: maybe(
    number(/^0*[0-9]{1,15}$/, "must be a whole number, 0 or more, of at most 15 digits", {
      description:
        "A count, sent as a number. The service accepts this field and does not document it.",
      examples: [2],
    }),
  ),
  recording_invalid: maybe(
    recordingReference(
      "A recording. The service accepts this field and does not document it.",
      "not-valid",
    ),
  ),
};

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
    mapping(extraFields, {
      description: "Two fields that the service accepts and does not document.",
      examples: [{ timeout_retries: 2 }],
      mayMean: { text: "recording_invalid", digits: "timeout_retries" },
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

const name = words({
  description:
    "The name of the menu. It must be unique, because the service identifies menus by name only.",
  examples: ["Front desk"],
});
const description = words({
  description: "What the menu is for.",
  examples: ["First menu for callers to the Pune office"],
});
const recording = recordingReference("The prompt of the menu. It plays first.");
const optionKey = described(z.string(), {
  description: "A phone key.",
  pattern: String.raw`[\s\S]`,
  mismatch: "The key of an option must not be empty.",
});

const options = described(z.record(optionKey, z.nullable(option)), {
  description:
    "The keys that callers can press, in the order announced, and the agent that each reaches. For example `1: Asha Rao`.",
  must: "must map keys to agents",
  examples: [{ 1: "Asha Rao", 2: "Front Desk" }],
  mayMean: { text: "1" },
  offers: { keys: "0123456789*#".split(""), shape: "key" },
});
const aboutInvalid: FieldMeta = {
  description: "What happens when a caller presses a wrong key.",
  defaultable: true,
  examples: [{ retries: 2, recording: "not-valid", destination: "Front Desk" }],
  mayMean: { text: "destination", digits: "retries" },
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
  mayMean: { text: "destination", digits: "wait" },
};

/** A menu after defaults are applied. */
export const Menu = mapping(
  {
    ...identity,
    name,
    vars: maybe(vars),
    tests: maybe(tests),
    description,
    recording,
    options,
    invalid: mapping(invalidFields, aboutInvalid),
    timeout: mapping(timeoutFields, aboutTimeout),
    ...shared,
  },
  { description: "A phone menu for ivrctl.", defaultable: true, extensions: true },
);

const defaultFields = {
  description: maybe(description),
  recording: maybe(recording),
  options: maybe(options),
  invalid: maybe(described(z.partial(z.strictObject(invalidFields)), aboutInvalid)),
  timeout: maybe(described(z.partial(z.strictObject(timeoutFields)), aboutTimeout)),
  ...shared,
};

/** The fields of `defaults:`: those of a menu, except its name, key and tests. */
export const Defaults = z.strictObject(defaultFields);

/** Optional fields. `null` removes the default of a folder further up, or of the project. */
function removable(fields: Readonly<Record<string, z.core.SomeType>>) {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, maybe(field)]));
}

/** The file _defaults.yaml: the fields of a menu, except its key. */
export const FolderDefaults = mapping(
  {
    name: maybe(name),
    vars: maybe(vars),
    tests: maybe(tests),
    ...defaultFields,
    invalid: maybe(mapping(removable(invalidFields), aboutInvalid)),
    timeout: maybe(mapping(removable(timeoutFields), aboutTimeout)),
  },
  { description: "Fields for all menus in this folder and below.", extensions: true },
);

/** Fields that only one menu can have, so _defaults.yaml must not have them. */
export const neverInFolder: ReadonlySet<string> = new Set(Object.keys(identity));

/** Fields of a menu that `defaults:` must not have. */
export const neverDefault: ReadonlySet<string> = new Set(["name", "tests", ...neverInFolder]);
