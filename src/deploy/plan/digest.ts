import { createHash } from "node:crypto";
import type { Payload } from "../../schema/wire.ts";

/** One wire field, or one option's part of it: `destination.2` is where key 2 leads. */
export type Facts = ReadonlyMap<string, string>;

/**
 * What a payload means: neither the order of options nor the form of numbers is
 * part of it. Two payloads are the same menu when their facts are the same. They
 * come in the order in which callers meet them.
 */
export function factsOf(payload: Payload): Facts {
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

export function digestOf(payload: Payload): string {
  const facts = [...factsOf(payload)].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(facts));
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
