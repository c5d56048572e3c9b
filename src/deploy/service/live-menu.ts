import type { Destination } from "../../model/menu.ts";
import type { Wire } from "../../project/environment.ts";
import { destinationParts, documentedKinds } from "../../schema/destination-kinds.ts";
import { destinationText } from "./encode-payload.ts";
import { type FieldPath, type Fields, rows, type WireOf, wireOf } from "../../schema/fields.ts";

/** A menu as the list of the service shows it. A field that the list does not have is undefined. */
export interface LiveMenu {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<TextField, string>>>;
  readonly destinations: Readonly<Partial<Record<DestinationField, ReadDestination>>>;
  readonly options: readonly ReadOption[];
}

/** The listed fields with a text, a count without leading zeros or the id of a recording, named as in a payload. */
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

export interface ReadDestination {
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

export function liveSettings(wire: Wire): ReadSettings {
  return {
    kinds: new Map(Object.entries(wire.read_kinds)),
    retries: wire.read_retries,
    noSmsTemplate: wire.no_sms_template,
  };
}

/** A listed destination, with the kind that a payload has. */
export interface ContentDestination {
  /** The kind as in a payload. If it is uncertain, the name in the list. */
  readonly kind: string;
  readonly id: string;
  /** Whether the list and the payload may name this kind differently, so that only the id counts. */
  readonly isKindUncertain: boolean;
}

/** The keys of the options with a webhook. Only the console can set one, and an update may remove it. */
export function webhookKeys({ options }: LiveMenu): string[] {
  return options.filter(({ webhook }) => !isNone(webhook)).map(({ key }) => key);
}

/** Whether a listed destination is the one that a payload has, as far as the list names its kind. */
export function isSameDestination(
  listed: ContentDestination,
  written: Destination,
  settings: ReadSettings,
): boolean {
  const sent = writtenDestination(written, settings);
  return (
    listed.id === sent.id &&
    (listed.kind === sent.kind || (listed.isKindUncertain && sent.isKindUncertain))
  );
}

/** A destination that a list has in one text. */
export function destinationIn(written: Destination, settings: ReadSettings): ContentDestination {
  const { kind, id } = destinationParts(destinationText(written));
  return liveDestination({ type: kind, id }, settings);
}

export function liveDestination(
  { type, id }: ReadDestination,
  settings: ReadSettings,
): ContentDestination {
  for (const [kind, name] of settings.kinds) {
    if (name === type) return { kind, id, isKindUncertain: false };
  }
  // The list is documented to have its own name for `department` only.
  return { kind: type, id, isKindUncertain: !documentedKinds.has(type) };
}

/** A kind is certain if the settings name it, or if the documented sample of the list has it. */
function writtenDestination(written: Destination, settings: ReadSettings): ContentDestination {
  const { kind, id } = destinationParts(destinationText(written));
  return { kind, id, isKindUncertain: kind !== "extension" && !settings.kinds.has(kind) };
}

/** Whether an id in a list or a payload means that there is none. */
export function isNone(id: string): boolean {
  return id === "" || id === "0";
}

const counts: ReadonlySet<string> = new Set(wireOf("count"));

/** A value as a list shows it: counts have no leading zeros. */
export function asListed(field: string, text: string): string {
  return counts.has(field) && /^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, "") : text;
}
