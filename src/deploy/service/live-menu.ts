import type { Wire } from "../../project/environment.ts";
import { type FieldPath, type Fields, rows, type WireOf, wireOf } from "../../schema/fields.ts";

/** A menu as the list of the service shows it. A field that the list does not have is undefined. */
export interface LiveMenu {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<TextField, string>>>;
  readonly destinations: Readonly<Partial<Record<DestinationField, ReadDestination>>>;
  readonly options: readonly ReadOption[];
}

/** The listed fields with a text, a count or the id of a recording, named as in a payload. */
export type TextField = {
  [P in FieldPath]: Fields[P] extends { readonly listed: string }
    ? Exclude<Fields[P]["wire"], DestinationField>
    : never;
}[FieldPath];
export type DestinationField = WireOf<"destination">;

export const destinationFields = wireOf("destination");
export const textFields = rows.map(([, { wire }]) => wire).filter(isTextField);

function isTextField(name: string): name is TextField {
  return rows.some(
    ([, { is, wire, listed }]) => wire === name && listed !== undefined && is !== "destination",
  );
}

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

/** The settings of an environment. */
export function readSettingsOf(wire: Wire): ReadSettings {
  return {
    kinds: wire.readKinds,
    retries: wire.readRetries,
    noSmsTemplate: wire.noSmsTemplate,
  };
}

/** The content of a listed menu, with the kinds that a payload has. Counts have no leading zeros. */
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

interface ContentOption {
  readonly destination: ContentDestination;
  /** Null for none. */
  readonly smsTemplate: string | null;
}

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

/** Whether a listed destination is the one that a payload has, as far as the list names its kind. */
export function isSameDestination(
  listed: ContentDestination,
  written: string,
  settings: ReadSettings,
): boolean {
  const own = writtenDestination(written, settings);
  return (
    listed.id === own.id &&
    (listed.kind === own.kind || (listed.isKindUncertain && own.isKindUncertain))
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
export function idOf(text: string): string {
  const at = text.indexOf("||");
  return at === -1 ? text : text.slice(at + 2);
}

/** Whether an id in a list or a payload means that there is none. */
export function isNone(id: string): boolean {
  return id === "" || id === "0";
}

const counts: ReadonlySet<TextField> = new Set(wireOf("count"));

/** A value as a list shows it: counts have no leading zeros. */
export function asListed(field: TextField, text: string): string {
  return counts.has(field) && /^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, "") : text;
}

function normalized(fields: LiveMenu["fields"]): MenuContent["fields"] {
  const result = { ...fields };
  for (const field of counts) {
    const text = result[field];
    if (text !== undefined) result[field] = asListed(field, text);
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
