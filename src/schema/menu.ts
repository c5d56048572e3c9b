import * as z from "zod/mini";
import {
  type FieldMeta,
  count,
  described,
  either,
  id,
  keyPattern,
  keyRule,
  listOf,
  mapping,
  matching,
  maybe,
  oneOf,
  text,
  words,
} from "./common.ts";

const recordingReference = (description: string) =>
  either(
    [
      words({
        completes: "recording",
        besides: String.raw`^(?:[0-9]+|recording\|\|(?:(?!\|\|)\S)+)$`,
        description: "An alias from `recordings:`, an id in digits, or recording||ID.",
      }),
      z.strictObject({ id: id("The recording's id.") }),
    ],
    { description, shape: "recording_reference" },
  );

const agentFields = {
  agent: maybe(
    words({
      completes: "agent",
      besides: String.raw`^extension\|\|(?:(?!\|\|)\S)+$`,
      description: "The agent's name, or extension||EID.",
    }),
  ),
  team: maybe(words({ completes: "team", description: "The name of the agent's team." })),
  department: maybe(
    words({ completes: "department", description: "A department the agent belongs to." }),
  ),
  intercom: maybe(id("The agent's intercom number.")),
  eid: maybe(id("The agent's extension id.")),
  id: maybe(id("The agent's id; with `kind`, the id of that destination.")),
  kind: maybe(
    matching(/^[^\s|]+$/, "IVR206", "must be a word without spaces and `|`", {
      description:
        "A destination kind other than extension, where `wire.destination_kinds` allows it.",
      numeric: true,
    }),
  ),
};

const aboutAgent: FieldMeta = {
  completes: "agent",
  besides: String.raw`^[^\s|]+\|\|(?:(?!\|\|)\S)+$`,
  description: "The agent's name, or extension||EID.",
};

// Not a number: that would not say whom it means.
const agentText = text(aboutAgent);

// Nor digits in quotes; the reader explains them when it looks for the agent.
const agentName = text({ ...aboutAgent, pattern: String.raw`^(?![0-9]+$)[\s\S]*\S` });

/** If none of these fields is given, the reader reports it at the key. */
const saysWho: FieldMeta = { someOf: Object.keys(agentFields) };

/** Who is meant: a name, or a mapping of which all must hold. */
const destination = (description: string) =>
  either([agentName, mapping(agentFields, saysWho)], { description, shape: "destination" });

const smsReference = either(
  [
    words({
      completes: "sms_template",
      besides: "^[0-9]+$",
      description: "An alias from `sms_templates:`, or an id in digits.",
    }),
    z.strictObject({ id: id("The SMS template's id.") }),
  ],
  "The SMS template tied to this option: an alias from `sms_templates:`, digits, or { id: … }.",
);

const optionFields = {
  for: maybe(words("What the caller is told this key is for.")),
  sms: maybe(smsReference),
  ...agentFields,
};

const option = either([agentName, mapping(optionFields, saysWho)], {
  description:
    "Where this key leads: an agent's name, or a mapping that says who is meant. `null` removes a default.",
  shape: "option",
});

export const keyPress = matching(/^[^\s,]+$/, "IVR207", "must be a key or `_` for silence", {
  description: 'A key: digits, "*" or star, "#" or hash; `_` is silence.',
  numeric: true,
});

export const via = oneOf(
  ["option", "invalid", "timeout"],
  "By which way the call lands: an option, wrong keys, or silence.",
);

export const reached = (description: string) =>
  either([agentText, z.strictObject(agentFields)], { description, shape: "reached" });

const Test = mapping(
  {
    name: maybe(words("What the test shows.")),
    press: either(
      [keyPress, z.array(keyPress)],
      "What the caller does: one key or a list; `_` is silence.",
    ),
    reaches: maybe(reached("Who must answer: an agent by name, or by any of its marks.")),
    via: maybe(via),
    hears: maybe(
      listOf(
        recordingReference("A recording, in the order heard."),
        "The recordings the caller hears, in order.",
      ),
    ),
    steps: maybe(count("How many steps the call takes.")),
  },
  "One call: what the caller does, and what must come of it.",
);

const tests = listOf(Test, "What callers do, and who they must reach.");

const menuKey = (description: string) =>
  maybe(matching(keyPattern, "IVR212", keyRule, { description, numeric: true }));

/** A document of a `*.test.yaml` file: tests in a file beside their menu. */
export const TestFile = mapping(
  {
    menu: menuKey(
      "The key of the menu that is tested; without it, this file's path without `.test`.",
    ),
    tests,
  },
  "Tests of a phone menu, run by `ivrctl test`.",
);

const invalidFields = {
  retries: count("How many further tries a wrong key leaves (incorrect_count)."),
  recording: recordingReference("Played at every wrong key, the last one included."),
  destination: destination("Where the call goes when no try is left."),
};

const timeoutFields = {
  wait: count("How long to wait for a key (timeout), in the service's unit."),
  retries: count("How often silence is asked again (timeout_tries)."),
  retry_recording: recordingReference("Played at each silence that is asked again."),
  recording: recordingReference("Played at the last silence."),
  destination: destination("Where the call goes after the last silence."),
};

const extraFields = {
  timeout_retries: maybe(
    matching(/^0*[0-9]{1,15}$/, "IVR205", "must be a whole number from 0, at most 15 digits", {
      description: "Tolerated by the service and never explained: a count, sent as a number.",
      numeric: true,
    }),
  ),
  recording_invalid: maybe(
    recordingReference("Tolerated by the service and never explained: a recording."),
  ),
};

const identity = {
  id: menuKey("The menu's address for life; without it, the file's path under ivrs/."),
  moved_from: menuKey("The key this menu had before; its record is carried over."),
  tests: maybe(tests),
};

export const OnChange = oneOf(
  ["replace", "refuse"],
  "What a changed menu does: create a new record in the old one's place, or refuse.",
);

/** What a menu may have, and `defaults:` as well. */
const shared = {
  extra: maybe(mapping(extraFields, "The two fields the service tolerates and does not explain.")),
  on_change: maybe(OnChange),
  owner: maybe(words("Who answers for this menu.")),
};

const description = words("What the menu is for.");
const recording = recordingReference("Played first, as the menu's prompt.");
const options = described(
  z.record(z.string(), z.nullable(option)),
  "The keys a caller can press, in the order announced, and where each leads.",
);
const aboutInvalid: FieldMeta = { description: "What happens on a wrong key.", defaultable: true };
const aboutTimeout: FieldMeta = {
  description: "What happens when no key is pressed.",
  defaultable: true,
};

/** A menu with its defaults filled in. */
export const Menu = mapping(
  {
    ...identity,
    name: words("The menu's name, unique: all the service knows it by."),
    description,
    recording,
    options,
    invalid: mapping(invalidFields, aboutInvalid),
    timeout: mapping(timeoutFields, aboutTimeout),
    ...shared,
  },
  { description: "A phone menu, applied with ivrctl.", defaultable: true },
);

/** What `defaults:` may hold: any part of a menu but its identity. */
export const Defaults = z.strictObject({
  description: maybe(description),
  recording: maybe(recording),
  options: maybe(options),
  invalid: maybe(described(z.partial(z.strictObject(invalidFields)), aboutInvalid)),
  timeout: maybe(described(z.partial(z.strictObject(timeoutFields)), aboutTimeout)),
  ...shared,
});

/** Fields of a menu that `defaults:` must not have. */
export const neverDefault: ReadonlySet<string> = new Set(["name", ...Object.keys(identity)]);
