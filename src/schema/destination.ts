import * as z from "zod/mini";
import {
  type FieldMeta,
  described,
  unionOf,
  id,
  instruction,
  keyPattern,
  keyRule,
  mapping,
  matching,
  optional,
  text,
  words,
} from "./field-types.ts";
import { type OwnKind, type OwnKindName, ownKindNames, ownKinds } from "./destination-kinds.ts";
import { fields } from "./fields.ts";
import { kindWord } from "./operations.ts";

const recordingForms = [
  words(
    "An alias from `recordings:` in ivrctl.yaml, what the service calls the recording, or an id in digits.",
    "welcome",
    { completes: "recording" },
  ),
  z.strictObject({ id: id("The id of the recording.") }),
  z.strictObject({
    name: words("What the service calls the recording, even if there is such an alias.", "Welcome"),
  }),
] as const;

export const recordingReference = (description: string, example = "welcome") =>
  unionOf(recordingForms, {
    description,
    shape: "recording_reference",
    must: "must refer to a recording",
    examples: [example, { id: "19549" }],
  });

/** The name of an agent. A number could be an intercom number or an extension id. */
const agentName = (description: string) =>
  text(description, "Asha Rao", {
    completes: "agent",
    pattern: String.raw`^(?![0-9]+$)[\s\S]*\S`,
    mismatch:
      'This must be the name of an agent. Write a number as `{ intercom: "1004" }` or `{ eid: "500101" }`.',
  });

export const menuKey = (
  description: string,
  example: string,
  more: { readonly exact?: true; readonly help?: string } = {},
) =>
  matching(keyPattern, "IVR212", "must be a menu key", description, example, {
    numeric: true,
    help: instruction(keyRule),
    ...more,
  });

type OwnFields = {
  [K in OwnKindName]: (typeof ownKinds)[K] extends { readonly onlyId: string }
    ? z.ZodMiniLiteral<true>
    : ReturnType<typeof id>;
};

/** The fields of the kinds that have one of their own. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `OwnFields` is the type of this
const ownFields = Object.fromEntries(
  Object.entries<OwnKind>(ownKinds).map(([name, { about, onlyId }]) => [
    name,
    onlyId === undefined ? id(about, "12") : described(z.literal(true), about),
  ]),
) as OwnFields;

/** The fields of everything that a key can go to. */
const destinationFields = optional({
  agent: agentName("The name of the agent."),
  team: words("The team of the agent.", "Billing", { completes: "team" }),
  department: words("A department of the agent.", "Accounts", { completes: "department" }),
  intercom: id("The intercom number of the agent.", "1004"),
  eid: id("The extension id of the agent.", "500101"),
  id: id("The id of the agent. With `kind`, the id of the destination.", "12"),
  kind: kindWord("A kind of destination other than an agent, if the service has it.", "department"),
  menu: menuKey("The key of a menu, where the call continues.", "sales/india", {
    help: "Write the menu's key, not its name: the path of its file under ivrs/ without .yaml.",
  }),
  to: words(
    "An alias from `destinations:` in ivrctl.yaml, or the name of a department that the service lists.",
    "night shift",
    { completes: "destination" },
  ),
  ...ownFields,
});

/** The names of the fields that say where something goes. */
export const destinationFieldNames: ReadonlySet<string> = new Set(Object.keys(destinationFields));

const agentText = agentName("The name of an agent.");

/** Which of these fields a destination must have, and which it cannot have together. */
function combined(fields: Readonly<Record<string, unknown>>): FieldMeta {
  const someOf = Object.keys(fields);
  const others = someOf.filter((name) => !["agent", "kind", ...ownKindNames].includes(name));
  const except = (...names: readonly string[]) => someOf.filter((name) => !names.includes(name));
  const alone = ["menu", "to", ...ownKindNames].filter((name) => someOf.includes(name));
  return {
    someOf,
    lacking: {
      code: "IVR202",
      message: "{name} has no destination.",
      hint: `Add a field such as \`agent: Asha Rao\`. You can also use ${others.join(", ")}.`,
    },
    when: [
      ...alone.map((field) => ({ field, never: except(field) })),
      { field: "kind", needs: ["id"], never: except("kind", "id") },
    ],
  };
}

const mustNameAgent = {
  must: "must refer to an agent",
  examples: ["Asha Rao", { agent: "Ravi Kumar", team: "Billing" }],
};

const destinationForms = [
  agentText,
  mapping(destinationFields, combined(destinationFields)),
] as const;

/** A destination: the name of an agent, or a mapping that matches one agent or names a menu. */
export const destination = (description: string) =>
  unionOf(destinationForms, {
    description,
    shape: "destination",
    ...mustNameAgent,
    examples: ["Front Desk", { agent: "Ravi Kumar", team: "Billing" }],
  });

export const smsReference = unionOf(
  [
    words("An alias from `sms_templates:` in ivrctl.yaml, or an id in digits.", "payment-link", {
      completes: "sms_template",
    }),
    z.strictObject({ id: id("The id of the SMS template.", "77") }),
  ],
  {
    description: fields["options.*.sms"].about,
    must: "must refer to an SMS template",
    examples: ["payment-link", { id: "77" }],
  },
);

const optionFields = {
  ...optional({
    for: words("What callers hear that this key is for. Pictures and plans show it.", "Billing"),
    sms: smsReference,
  }),
  ...destinationFields,
};

export const option = unionOf([agentText, mapping(optionFields, combined(destinationFields))], {
  description: fields["options.*"].about,
  shape: "option",
  ...mustNameAgent,
});

const { menu, ...reachedFields } = destinationFields;
const reachedForms = [agentText, mapping(reachedFields, combined(reachedFields))] as const;

export const reached = (description: string) =>
  unionOf(reachedForms, {
    description,
    shape: "reached",
    ...mustNameAgent,
  });

export const anyRecording = recordingReference("A recording.");

/** A reference to a recording as written: an alias, a name, an id in digits, `{ id }` or `{ name }`. */
export type RecordingReference = z.infer<typeof anyRecording>;
export type SmsReference = z.infer<typeof smsReference>;
/** A destination as written: the name of an agent, or fields. */
export type DestinationReference = z.infer<ReturnType<typeof destination>>;
