import type { Wire } from "../../project/environment.ts";
import type { Payload } from "../../schema/wire.ts";

/** A menu as the list of the service shows it. A field that the list does not have is undefined. */
export interface LiveMenu {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<TextField, string>>>;
  readonly destinations: Readonly<Partial<Record<DestinationField, ReadDestination>>>;
  readonly options: readonly ReadOption[];
}

/** The fields with a text, a count or the id of a recording, named as in a payload. */
export const textFields = [
  "name",
  "description",
  "recording",
  "timeout",
  "incorrect_count",
  "invalid_recording",
  "recording_invalid",
  "timeout_retry_recording",
  "timeout_recording",
  "timeout_tries",
] as const;
export type TextField = (typeof textFields)[number];

export const destinationFields = ["invalid_destination", "timeout_destination"] as const;
export type DestinationField = (typeof destinationFields)[number];

interface ReadDestination {
  /** The name of the kind in the list. */
  readonly type: string;
  readonly id: string;
}

interface ReadOption {
  readonly key: string;
  readonly destination: ReadDestination;
  /** "0" or empty for none. */
  readonly smsTemplate: string;
  readonly webhook: string;
}

/** The wire settings that decide how a list and a payload are compared. */
export interface ReadSettings {
  /** The names of kinds in the list, by the kinds of a payload. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly retries: "timeout_tries" | "timeout_retries";
  readonly noSmsTemplate: string;
}

/** The settings of an environment. Reading them may report variables that are not set. */
export function readSettingsOf(wire: Wire): ReadSettings {
  return {
    kinds: wire.readKinds(),
    retries: wire.readRetries(),
    noSmsTemplate: wire.noSmsTemplate(),
  };
}

/**
 * The content of a menu in a form that a listed menu and a payload share. Recordings are ids
 * without their kind, and counts have no leading zeros.
 */
export interface MenuContent {
  readonly fields: Readonly<Partial<Record<TextField, string>>>;
  readonly destinations: Readonly<Partial<Record<DestinationField, ContentDestination>>>;
  readonly options: ReadonlyMap<string, ContentOption>;
}

export interface ContentDestination {
  /** The kind as in a payload. If it is uncertain, the name in the list. */
  readonly kind: string;
  readonly id: string;
  /** Whether the list and the payload may name this kind differently, so that only the id counts. */
  readonly isKindUncertain: boolean;
}

export interface ContentOption {
  readonly destination: ContentDestination;
  /** Null for none. */
  readonly smsTemplate: string | null;
}

/** A field with different values in a listed menu and in the payload that was applied. */
export type Difference =
  | {
      readonly kind: "field";
      readonly field: TextField;
      readonly live: string;
      readonly applied: string;
    }
  | {
      readonly kind: "destination";
      readonly field: DestinationField;
      readonly live: ContentDestination;
      readonly applied: ContentDestination;
    }
  /** Null on the side that does not have this option. */
  | {
      readonly kind: "option";
      readonly key: string;
      readonly live: ContentOption | null;
      readonly applied: ContentOption | null;
    };

/** The content of a listed menu. */
export function contentOfLive(menu: LiveMenu, settings: ReadSettings): MenuContent {
  const destination = (read: ReadDestination) => liveDestination(read, settings);
  return {
    fields: normalized(menu.fields),
    destinations: mapped(menu.destinations, destination),
    options: new Map(
      menu.options.map((option) => [
        option.key,
        {
          destination: destination(option.destination),
          smsTemplate: isNone(option.smsTemplate) ? null : option.smsTemplate,
        },
      ]),
    ),
  };
}

/** The content of a payload, as the list would show it. */
export function contentOfPayload(payload: Payload, settings: ReadSettings): MenuContent {
  const { sms_template: templates, recording_invalid: spare, timeout_retries: other } = payload;
  const retries = settings.retries === "timeout_retries" ? other : undefined;
  const destination = (text: string) => writtenDestination(text, settings);
  return {
    fields: normalized({
      name: payload.name,
      description: payload.description,
      recording: idOf(payload.recording),
      timeout: String(payload.timeout),
      incorrect_count: String(payload.incorrect_count),
      invalid_recording: idOf(payload.invalid_recording),
      ...(spare === undefined ? {} : { recording_invalid: idOf(spare) }),
      timeout_retry_recording: idOf(payload.timeout_retry_recording),
      timeout_recording: idOf(payload.timeout_recording),
      timeout_tries: String(retries ?? payload.timeout_tries),
    }),
    destinations: {
      invalid_destination: destination(payload.invalid_destination),
      timeout_destination: destination(payload.timeout_destination),
    },
    options: new Map(
      payload.option.map((key, index) => {
        const template = templates?.[index] ?? "";
        const none = isNone(template) || template === settings.noSmsTemplate;
        const to = destination(payload.destination[index] ?? "");
        return [String(key), { destination: to, smsTemplate: none ? null : template }];
      }),
    ),
  };
}

/**
 * The differences between a listed menu and a payload that was applied, in the order of the
 * payload. A field that one of them does not have is not compared: a list may leave it out, and the
 * service may fill in one that the payload leaves out.
 */
export function differences(live: MenuContent, applied: MenuContent): Difference[] {
  const found: Difference[] = [];
  for (const field of textFields) {
    const [own, other] = [live.fields[field], applied.fields[field]];
    if (own !== undefined && other !== undefined && own !== other) {
      found.push({ kind: "field", field, live: own, applied: other });
    }
  }
  for (const key of new Set([...applied.options.keys(), ...live.options.keys()])) {
    const own = live.options.get(key) ?? null;
    const other = applied.options.get(key) ?? null;
    if (!isSameOption(own, other)) found.push({ kind: "option", key, live: own, applied: other });
  }
  for (const field of destinationFields) {
    const [own, other] = [live.destinations[field], applied.destinations[field]];
    if (own !== undefined && other !== undefined && !isSameDestination(own, other)) {
      found.push({ kind: "destination", field, live: own, applied: other });
    }
  }
  return found;
}

/** The keys of the options with a webhook. Only the console can set one, and an update may remove it. */
export function webhookKeys({ options }: LiveMenu): string[] {
  return options.filter(({ webhook }) => !isNone(webhook)).map(({ key }) => key);
}

/** The documented kinds of a payload. The list is documented to have its own name for `department` only. */
const documentedKinds: ReadonlySet<string> = new Set([
  "extension",
  "voicemail",
  "department",
  "timegroup",
  "ivr",
  "time_condition",
  "hangup",
]);

function isSameOption(own: ContentOption | null, other: ContentOption | null): boolean {
  return (
    own !== null &&
    other !== null &&
    own.smsTemplate === other.smsTemplate &&
    isSameDestination(own.destination, other.destination)
  );
}

export function isSameDestination(own: ContentDestination, other: ContentDestination): boolean {
  return (
    own.id === other.id &&
    (own.kind === other.kind || (own.isKindUncertain && other.isKindUncertain))
  );
}

/** A destination that a list has in one text, as `KIND||ID`. */
export function destinationIn(text: string, settings: ReadSettings): ContentDestination {
  const at = text.indexOf("||");
  return liveDestination({ type: text.slice(0, Math.max(at, 0)), id: idOf(text) }, settings);
}

function liveDestination(
  { type, id }: ReadDestination,
  settings: ReadSettings,
): ContentDestination {
  for (const [kind, name] of settings.kinds) {
    if (name === type) return { kind, id, isKindUncertain: false };
  }
  return { kind: type, id, isKindUncertain: !documentedKinds.has(type) };
}

/** A kind is certain if the settings name it, or if the documented sample of the list has it. */
function writtenDestination(text: string, settings: ReadSettings): ContentDestination {
  const at = text.indexOf("||");
  const kind = text.slice(0, Math.max(at, 0));
  return {
    kind,
    id: idOf(text),
    isKindUncertain: kind !== "extension" && !settings.kinds.has(kind),
  };
}

/** The id of `KIND||ID`, or of an id without a kind. */
function idOf(text: string): string {
  const at = text.indexOf("||");
  return at === -1 ? text : text.slice(at + 2);
}

function isNone(id: string): boolean {
  return id === "" || id === "0";
}

const counts: readonly TextField[] = ["timeout", "incorrect_count", "timeout_tries"];

function normalized(fields: LiveMenu["fields"]): MenuContent["fields"] {
  const result = { ...fields };
  for (const field of counts) {
    const text = result[field];
    if (text !== undefined && /^[0-9]+$/.test(text)) result[field] = text.replace(/^0+(?=.)/, "");
  }
  return result;
}

function mapped<K extends string, T, U>(
  values: Readonly<Partial<Record<K, T>>>,
  convert: (value: T) => U,
): Partial<Record<K, U>> {
  const result: Partial<Record<K, U>> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) result[key] = convert(value);
  }
  return result;
}
