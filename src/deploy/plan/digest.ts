import { createHash } from "node:crypto";
import { destinationParts } from "../../schema/destination-kinds.ts";
import type { Difference } from "../../schema/output/shared-fields.ts";
import type { Payload } from "../../schema/wire.ts";
import {
  type LiveMenu,
  type ReadDestination,
  type ReadSettings,
  type TextField,
  asListed,
  destinationFields,
  isNone,
  isSameDestination,
  liveDestination,
  textFields,
} from "../service/live-menu.ts";

/** The content of a menu: fields and their values. */
export type Facts = Readonly<Record<string, string>>;

export type { Difference } from "../../schema/output/shared-fields.ts";

/**
 * The content of a payload as pairs of a field and a value. Fields of an option have its
 * key: `destination.2` is where key 2 goes. Two payloads with the same facts are the same
 * menu: the order of options and the form of numbers do not matter.
 */
export function payloadFacts(payload: Payload): Facts {
  const known = factsByPayload.get(payload);
  if (known !== undefined) return known;
  const facts: Record<string, string> = {};
  const { name, description, recording, option, destination, ...rest } = payload;
  const { sms_template: templates, ...last } = rest;
  for (const [field, value] of Object.entries({ name, description, recording })) {
    facts[field] = value;
  }
  option.forEach((key, at) => {
    facts[`destination.${key}`] = destination[at] ?? "";
    const template = templates?.[at];
    if (template !== undefined) facts[`sms_template.${key}`] = template;
  });
  for (const [field, value] of Object.entries(last)) facts[field] = String(value);
  factsByPayload.set(payload, facts);
  return facts;
}

/** Payloads never change, and a plan compares each of them several times. */
const factsByPayload = new WeakMap<Payload, Facts>();

export function isSame(a: Facts, b: Facts): boolean {
  return changedFacts(a, b).length === 0;
}

/** The digest of a payload. Two payloads with the same facts have the same digest. */
export function payloadDigest(payload: Payload): string {
  const facts = Object.entries(payloadFacts(payload)).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(facts));
}

/** The facts that differ; none if one of the payloads is missing. */
export function differences(before: Payload | null, after: Payload | null): Difference[] {
  return before === null || after === null
    ? []
    : changedFacts(payloadFacts(before), payloadFacts(after));
}

/** The facts that differ. */
export function changedFacts(before: Facts, after: Facts): Difference[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((field) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    return was === is ? [] : { field, before: was, after: is };
  });
}

/**
 * The content of a listed menu as facts of the payload that was applied to it. What a list does not
 * show is as in that payload: fields that it leaves out, kinds of recordings, and kinds that it may
 * name differently.
 */
export function factsOfListed(menu: LiveMenu, applied: Payload, settings: ReadSettings): Facts {
  const facts: Record<string, string> = { ...payloadFacts(applied) };
  for (const field of textFields) {
    const name = fieldIn(applied, field, settings);
    const [listed, known] = [menu.fields[field], facts[name]];
    if (listed === undefined || known === undefined) continue;
    const id = isRecording(field) ? destinationParts(known).id : asListed(field, known);
    const kind = isRecording(field) ? known.slice(0, known.length - id.length) : "";
    if (listed !== id) facts[name] = kind + listed;
  }
  const lead = (field: string, read: ReadDestination | undefined) => {
    const listed = read && liveDestination(read, settings);
    const before = facts[field];
    if (listed === undefined) return;
    if (before !== undefined && isSameDestination(listed, before, settings)) return;
    facts[field] = `${listed.kind}||${listed.id}`;
  };
  for (const field of destinationFields) lead(field, menu.destinations[field]);
  const keys = new Set(menu.options.map(({ key }) => key));
  for (const key of applied.option.map(String)) {
    if (keys.has(key)) continue;
    delete facts[`destination.${key}`];
    delete facts[`sms_template.${key}`];
  }
  for (const { key, destination, smsTemplate } of menu.options) {
    lead(`destination.${key}`, destination);
    const field = `sms_template.${key}`;
    const template = facts[field] ?? null;
    const isEmpty = template === null || isNone(template) || template === settings.noSmsTemplate;
    if (!isNone(smsTemplate)) facts[field] = smsTemplate;
    else if (applied.sms_template && (template === null || !isEmpty)) {
      facts[field] = settings.noSmsTemplate;
    }
  }
  return facts;
}

/** The field of a payload that a list shows under this name. */
function fieldIn(payload: Payload, field: TextField, { retries }: ReadSettings): string {
  return field === "timeout_tries" && payload.timeout_retries !== undefined ? retries : field;
}

function isRecording(field: TextField): boolean {
  return field.includes("recording");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
