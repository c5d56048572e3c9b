import { createHash } from "node:crypto";
import type { Payload } from "../schema/wire.ts";

/** One wire field, or one option's part of it: `destination.2` is where key 2 leads. */
export type Facts = ReadonlyMap<string, string>;

/**
 * What a payload means: neither the order of options nor the form of numbers is
 * part of it. Two payloads are the same menu when their facts are the same.
 */
export function factsOf(payload: Payload): Facts {
  const facts = new Map<string, string>();
  const { option, destination, sms_template: templates, ...plain } = payload;
  for (const [field, value] of Object.entries(plain)) {
    if (value !== undefined) facts.set(field, String(value));
  }
  option.forEach((key, at) => {
    facts.set(`destination.${key}`, destination[at] ?? "");
    const template = templates?.[at];
    if (template !== undefined) facts.set(`sms_template.${key}`, template);
  });
  return facts;
}

export function digestOf(payload: Payload): string {
  const facts = [...factsOf(payload)].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(facts));
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
