import type { Since } from "./formats.ts";

/**
 * The fields of a menu that are sent, each described once, in the order of the payload. Schemas, the
 * payload, the lists of the service and the words of a plan are derived from this table. `*` is the
 * key of an option.
 */
export const fields = {
  name: {
    is: "text",
    wire: "name",
    listed: "name",
    words: "name",
    about:
      "The name of the menu. It must be unique, because the service identifies menus by name only.",
    example: "Front desk",
  },
  description: {
    is: "text",
    wire: "description",
    listed: "description",
    words: "description",
    about: "What the menu is for.",
    example: "First menu for callers to the Pune office",
  },
  recording: {
    is: "recording",
    wire: "recording",
    listed: "recording",
    words: "plays",
    about: "The prompt of the menu. It plays first.",
    example: "welcome",
  },
  "timeout.wait": {
    is: "count",
    wire: "timeout",
    listed: "timeout",
    words: "time to press a key",
    isSeconds: true,
    about:
      "How long the menu waits for a key. ivrctl assumes seconds, because the service's documentation gives no unit. Sent as `timeout`.",
    example: 5,
  },
  options: {
    is: "keys",
    wire: "option",
    about:
      "The keys that callers can press, in the order announced, and the agent that each reaches. For example `1: Asha Rao`.",
    example: { 1: "Asha Rao", 2: "Front Desk" },
  },
  "options.*": {
    is: "destination",
    wire: "destination",
    about:
      "The agent that this key reaches: a name, or a mapping such as `{ for: Billing, agent: Ravi Kumar, team: Billing }`. Or a menu: `{ for: Sales, menu: sales/india }`. `null` removes a default.",
    example: "Asha Rao",
  },
  "invalid.retries": {
    is: "count",
    wire: "incorrect_count",
    listed: "invalid_retries",
    isTimes: true,
    words: "asks again after a wrong key",
    about: "How often a caller may press a wrong key and try again. Sent as `incorrect_count`.",
    example: 2,
  },
  "invalid.recording": {
    is: "recording",
    wire: "invalid_recording",
    listed: "invalid_retry_recording",
    words: "plays after a wrong key",
    about: "Plays after every wrong key, also after the last one if there is no `final_recording`.",
    example: "not-valid",
  },
  "invalid.final_recording": {
    is: "recording",
    optional: true,
    since: 9,
    formerly: "extra.recording_invalid",
    wire: "recording_invalid",
    listed: "invalid_recording",
    unset: "invalid.recording",
    words: "plays after the last wrong key",
    about:
      "Plays after the last wrong key, in place of `recording`. Sent as `recording_invalid`, which some services require.",
    example: "goodbye",
  },
  "invalid.destination": {
    is: "destination",
    wire: "invalid_destination",
    listed: "invalid_destination",
    listedKind: "invalid_destination_type",
    words: "wrong key",
    about: "The agent or menu that the caller reaches when no retry is left.",
    example: "Front Desk",
  },
  "timeout.retry_recording": {
    is: "recording",
    wire: "timeout_retry_recording",
    listed: "timeout_retry_recording",
    words: "plays after silence",
    about: "Plays when a silent caller is asked again.",
    example: "still-there",
  },
  "timeout.recording": {
    is: "recording",
    wire: "timeout_recording",
    listed: "timeout_recording",
    words: "plays after the last silence",
    about: "Plays after the last silence.",
    example: "goodbye",
  },
  "timeout.destination": {
    is: "destination",
    wire: "timeout_destination",
    listed: "timeout_destination",
    listedKind: "timeout_dest_type",
    words: "silence",
    about: "The agent or menu that the caller reaches after the last silence.",
    example: "Front Desk",
  },
  "timeout.retries": {
    is: "count",
    wire: "timeout_tries",
    listed: "timeout_retries",
    isTimes: true,
    words: "asks again after silence",
    about: "How often a silent caller is asked again. Sent as `timeout_tries`.",
    example: 2,
  },
  "options.*.sms": {
    is: "sms",
    optional: true,
    wire: "sms_template",
    about:
      "The SMS template of this option: an alias from `sms_templates:`, an id in digits, or `{ id: … }`.",
    example: "payment-link",
  },
  "extra.timeout_retries": {
    is: "number",
    optional: true,
    part: "timeout",
    wire: "timeout_retries",
    words: "extra.timeout_retries",
    about: "A count, sent as a number. The service accepts this field and does not document it.",
    example: 2,
  },
} as const satisfies Record<string, Field>;

export interface Field {
  readonly is: Kind;
  readonly optional?: true;
  /** The format of the state that it came with, if the oldest one does not have it. Such a field is optional. */
  readonly since?: Since;
  /** Its path in files and in the state, before it had this one. */
  readonly formerly?: `extra.${string}`;
  /** Its name in a payload. */
  readonly wire: string;
  /** Its name in the list of menus, if it is neither missing there nor in the list of options. */
  readonly listed?: string;
  /** The field whose recording the list shows for this one, if it is not set. */
  readonly unset?: "invalid.recording";
  /** The name of the kind of a destination in the list of menus. */
  readonly listedKind?: string;
  /** The part of a call that it is about, if its path does not begin with it. */
  readonly part?: "invalid" | "timeout";
  /** How often something happens: `2 times`. */
  readonly isTimes?: true;
  /** Whether it is a time. The documentation of the service gives no unit, so that is an assumption. */
  readonly isSeconds?: true;
  /** What it is in the words of callers. */
  readonly words?: string;
  readonly about: string;
  readonly example: unknown;
}

/** What a value of each kind is in a payload. */
interface SentValues {
  readonly text: string;
  readonly count: string | number;
  /** A count that is always sent as a number. */
  readonly number: number;
  readonly recording: string;
  readonly destination: string;
  readonly sms: string;
  /** The keys of the options. */
  readonly keys: readonly (string | number)[];
}
type Kind = keyof SentValues;

export type Fields = typeof fields;
export type FieldPath = keyof Fields;
/** The fields of this kind, except those of an option. */
export type FieldsOf<K extends Kind> = {
  [P in FieldPath]: P extends `${string}*${string}` ? never : Fields[P]["is"] extends K ? P : never;
}[FieldPath];
/** The fields of a menu except its options. */
export type OwnField = FieldsOf<"text" | "count" | "number" | "recording" | "destination">;
export type OptionalField = {
  [P in FieldPath]: Fields[P] extends { readonly optional: true } ? P : never;
}[FieldPath];
type SentAs<P extends FieldPath> = P extends `${string}*${string}`
  ? readonly SentValues[Fields[P]["is"]][]
  : SentValues[Fields[P]["is"]];

/** The body of POST /v1/ivr, in the order of the service's field table. */
export type Payload = {
  readonly [P in Exclude<FieldPath, OptionalField> as Fields[P]["wire"]]: SentAs<P>;
} & {
  readonly [P in OptionalField as Fields[P]["wire"]]?: SentAs<P>;
};

/** All rows of the table. */
export const rows: readonly (readonly [FieldPath, Field])[] = Object.entries<Field>(fields).flatMap(
  ([path, field]) => (isField(path) ? [[path, field] as const] : []),
);

function isField(path: string): path is FieldPath {
  return Object.hasOwn(fields, path);
}

/** The fields of a menu in the order of the table. `options` has those of the options. */
export const menuFields = rows.map(([path]) => path).filter(isMenuField);

function isMenuField(path: FieldPath): path is OwnField | "options" {
  return !path.startsWith("options.");
}

/** The fields of this kind, except those of an option. */
export function fieldsOfKind<K extends Kind>(kind: K): (FieldPath & FieldsOf<K>)[] {
  return rows.map(([path]) => path).filter((path) => isOfKind(path, kind));
}

function isOfKind<K extends Kind>(path: FieldPath, kind: K): path is FieldPath & FieldsOf<K> {
  return fields[path].is === kind && !isOfOption(path);
}

/** The names in a payload of the fields of this kind, except those of an option. */
export type WireOf<K extends Kind> = Fields[FieldsOf<K>]["wire"];

export function wireOf<K extends Kind>(kind: K): WireOf<K>[] {
  const paths = fieldsOfKind(kind);
  const isOwn = (name: string): name is WireOf<K> =>
    paths.some((path) => fields[path].wire === name);
  return rows.map(([, { wire }]) => wire).filter(isOwn);
}

/** Whether a menu may lack a field. */
export function isOptional(path: FieldPath): boolean {
  const { optional }: Field = fields[path];
  return optional === true;
}

/** Whether a field belongs to an option. */
export function isOfOption(path: FieldPath): boolean {
  return path.includes("*");
}
