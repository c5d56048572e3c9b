import * as z from "zod/mini";
import {
  type FieldMeta,
  described,
  eitherSchema,
  id,
  instruction,
  keyPattern,
  keyRule,
  mapping,
  matching,
  maybe,
  text,
  words,
} from "./common.ts";
import { fields } from "./fields.ts";

export const recordingReference = (description: string, example = "welcome") =>
  eitherSchema(
    [
      words({
        completes: "recording",
        description: "An alias from `recordings:` in ivrctl.yaml, or an id in digits.",
        examples: [example],
      }),
      z.strictObject({ id: id("The id of the recording.") }),
    ],
    {
      description,
      shape: "recording_reference",
      must: "must name a recording",
      examples: [example, { id: "19549" }],
    },
  );

/** Matches the name of an agent. A number could be an intercom number or an extension id. */
const agentName: FieldMeta = {
  completes: "agent",
  pattern: String.raw`^(?![0-9]+$)[\s\S]*\S`,
  mismatch:
    'This must be the name of an agent. Write a number as `{ intercom: "1004" }` or `{ eid: "500101" }`.',
};

const agentFields = {
  agent: maybe(
    text({
      ...agentName,
      description: "The name of the agent.",
      examples: ["Asha Rao"],
    }),
  ),
  team: maybe(
    words({
      completes: "team",
      description: "The team of the agent.",
      examples: ["Billing"],
    }),
  ),
  department: maybe(
    words({
      completes: "department",
      description: "A department of the agent.",
      examples: ["Accounts"],
    }),
  ),
  intercom: maybe(id("The intercom number of the agent.", "1004")),
  eid: maybe(id("The extension id of the agent.", "500101")),
  id: maybe(id("The id of the agent. With `kind`, the id of the destination.", "12")),
  kind: maybe(
    matching(/^[^\s|]+$/, "IVR203", "must be a word without spaces or `|`", {
      description: "A kind of destination other than an agent, if the service has it.",
      numeric: true,
      examples: ["department"],
    }),
  ),
};

export const menuKey = (description: string, example: string, exact: { exact?: true } = {}) =>
  maybe(
    matching(keyPattern, "IVR212", "must be a menu key", {
      description,
      numeric: true,
      ...exact,
      examples: [example],
      help: instruction(keyRule),
    }),
  );

const hangup = maybe(described(z.literal(true), "With `true`, the call ends."));

/** The fields of everything that a key can lead to. */
const destinationFields = {
  ...agentFields,
  menu: menuKey("The key of another menu, where the call continues.", "sales/india"),
  hangup,
};

const agentText = text({
  ...agentName,
  description: "The name of an agent.",
  examples: ["Asha Rao"],
});

/** Which of these fields a destination must have, and which it cannot have together. */
function combined(fields: Readonly<Record<string, unknown>>): FieldMeta {
  const someOf = Object.keys(fields);
  const others = someOf.filter((name) => !["agent", "kind", "hangup"].includes(name));
  const except = (...names: readonly string[]) => someOf.filter((name) => !names.includes(name));
  const alone = ["menu", "hangup"].filter((name) => someOf.includes(name));
  return {
    noun: "destination",
    someOf,
    lacking: {
      code: "IVR202",
      message: "This has no destination.",
      hint: `Add a field such as \`agent: Asha Rao\`. You can also use ${others.join(", ")}.`,
    },
    when: [
      ...alone.map((field) => ({ field, never: except(field) })),
      {
        field: "kind",
        needs: ["id"],
        never: except("kind", "id"),
        example: '{ kind: department, id: "12" }',
      },
    ],
  };
}

const mustNameAgent = {
  must: "must name an agent",
  examples: ["Asha Rao", { agent: "Ravi Kumar", team: "Billing" }],
};

/** A destination: the name of an agent, or a mapping that matches one agent or names a menu. */
export const destination = (description: string) =>
  eitherSchema([agentText, mapping(destinationFields, combined(destinationFields))], {
    description,
    shape: "destination",
    ...mustNameAgent,
    examples: ["Front Desk", { agent: "Ravi Kumar", team: "Billing" }],
  });

export const smsReference = eitherSchema(
  [
    words({
      completes: "sms_template",
      description: "An alias from `sms_templates:` in ivrctl.yaml, or an id in digits.",
      examples: ["payment-link"],
    }),
    z.strictObject({ id: id("The id of the SMS template.", "77") }),
  ],
  {
    description: fields["options.*.sms"].about,
    must: "must name an SMS template",
    examples: ["payment-link", { id: "77" }],
  },
);

const optionFields = {
  for: maybe(
    words({
      description: "What callers hear that this key is for. Pictures and plans show it.",
      examples: ["Billing"],
    }),
  ),
  sms: maybe(smsReference),
  ...destinationFields,
};

export const option = eitherSchema(
  [agentText, mapping(optionFields, combined(destinationFields))],
  {
    description: fields["options.*"].about,
    shape: "option",
    ...mustNameAgent,
  },
);

const reachedFields = { ...agentFields, hangup };

export const reached = (description: string) =>
  eitherSchema([agentText, mapping(reachedFields, combined(reachedFields))], {
    description,
    shape: "reached",
    ...mustNameAgent,
  });

export const anyRecording = recordingReference("A recording.");

/** A reference to a recording as written: an alias, an id in digits, or `{ id }`. */
export type RecordingReference = z.infer<typeof anyRecording>;
export type SmsReference = z.infer<typeof smsReference>;
/** A destination as written: the name of an agent, or fields. */
export type DestinationReference = z.infer<ReturnType<typeof destination>>;
