import { createHash } from "node:crypto";
import type { Difference } from "../../schema/plan.ts";
import type { Payload } from "../../schema/wire.ts";

export type { Difference } from "../../schema/plan.ts";

/**
 * The content of a payload as pairs of a field and a value. Fields of an option have its
 * key: `destination.2` is where key 2 leads. Two payloads with the same facts are the same
 * menu: the order of options and the form of numbers do not matter.
 */
export function factsOf(payload: Payload): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  const { name, description, recording, option, destination, ...rest } = payload;
  const { sms_template: templates, ...last } = rest;
  for (const [field, value] of Object.entries({ name, description, recording })) {
    facts.set(field, value);
  }
  option.forEach((key, at) => {
    facts.set(`destination.${key}`, destination[at] ?? "");
    const template = templates?.[at];
    if (template !== undefined) facts.set(`sms_template.${key}`, template);
  });
  for (const [field, value] of Object.entries(last)) facts.set(field, String(value));
  return facts;
}

/** The digest of a payload. Two payloads with the same facts have the same digest. */
export function digestOf(payload: Payload): string {
  const facts = [...factsOf(payload)].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(facts));
}

/** The facts that differ; none if one of the payloads is missing. */
export function differences(before: Payload | null, after: Payload | null): Difference[] {
  if (before === null || after === null) return [];
  const [old, now] = [factsOf(before), factsOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((field) => {
    const [was, is] = [old.get(field) ?? null, now.get(field) ?? null];
    return was === is ? [] : { field, before: was, after: is };
  });
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
