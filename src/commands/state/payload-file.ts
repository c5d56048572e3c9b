import type * as z from "zod/mini";
import { didYouMean, nearest } from "../../compile/nearest.ts";
import { jsonFault, locator } from "../../compile/read/json-place.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Source } from "../../diagnostics/source.ts";
import { PayloadSchema } from "../../schema/payload.ts";
import type { Payload } from "../../schema/wire.ts";

/** A payload as the service takes it, alone or in the map that `ivrctl compile` prints. */
export function readPayload(
  source: Source,
  key: string,
  diagnostics: Diagnostics,
): Payload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(source.text);
  } catch (error) {
    diagnostics.add("IVR632", jsonFault(source, error), "This is not JSON.");
    return undefined;
  }
  const { payload, path, others } = within(value, key);
  if (others !== undefined) {
    diagnostics.add(
      "IVR632",
      source.top(),
      `This file holds payloads, but none of ${key}.`,
      didYouMean(nearest(key, others)),
    );
    return undefined;
  }
  const read = PayloadSchema.safeParse(payload);
  if (read.success) return read.data;
  const locate = locator(source);
  for (const [at, { message, hint }] of faultsOf(read.error.issues, payload)) {
    diagnostics.add("IVR632", locate([...path, ...at]), message, hint);
  }
  return undefined;
}

interface Within {
  readonly payload: unknown;
  readonly path: readonly string[];
  /** The keys of a map that does not have this one. */
  readonly others?: readonly string[];
}

function within(value: unknown, key: string): Within {
  const whole = { payload: value, path: [] };
  if (!isMapping(value)) return whole;
  // No field of a payload is a mapping: a mapping under the key can only be its payload.
  if (Object.hasOwn(value, key) && isMapping(value[key])) {
    return { payload: value[key], path: [key] };
  }
  const all = Object.values(value);
  return all.length > 0 && all.every(isMapping) ? { ...whole, others: Object.keys(value) } : whole;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
}

type Path = readonly PropertyKey[];

function faultsOf(issues: readonly z.core.$ZodIssue[], payload: unknown): [Path, Fault][] {
  if (!isMapping(payload)) return [[[], { message: "A payload is a JSON object." }]];
  const missing: string[] = [];
  const faults: [Path, Fault][] = [];
  for (const issue of issues) {
    const [field] = issue.path;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        const hint = didYouMean(nearest(key, Object.keys(rules)));
        faults.push([[key], { message: `\`${key}\` is no field of a payload.`, hint }]);
      }
    } else if (field === undefined) {
      const counts = `${count(payload["option"])} options and ${count(payload["destination"])} destinations`;
      faults.push([
        ["option"],
        { message: `There are ${counts}, and each option needs its destination.` },
      ]);
    } else if (!Object.hasOwn(payload, field)) missing.push(`\`${String(field)}\``);
    else {
      const item = issue.path.length > 1 ? `item ${Number(issue.path[1]) + 1} of ` : "";
      const name = String(field);
      const [rule, items] = Object.hasOwn(rules, name) ? (rules[name] ?? text) : text;
      const message = `${item}\`${name}\` must be ${item === "" ? rule : items}.`;
      faults.push([issue.path, { message: message[0]?.toUpperCase() + message.slice(1) }]);
    }
  }
  if (missing.length > 0) {
    faults.push([[], { message: `The payload lacks ${missing.join(", ")}.` }]);
  }
  return faults;
}

function count(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

const text = ["text", "text"] as const;
const textOrNumber = ["text or a number", ""] as const;

/** What a field must be, and each of its items. */
const rules: Readonly<Record<string, readonly [rule: string, items: string]>> = {
  name: text,
  description: text,
  recording: text,
  timeout: textOrNumber,
  option: ["a list of texts or numbers", "text or a number"],
  destination: ["a list of texts", "text"],
  incorrect_count: textOrNumber,
  invalid_recording: text,
  invalid_destination: text,
  timeout_retry_recording: text,
  timeout_recording: text,
  timeout_destination: text,
  timeout_tries: textOrNumber,
  sms_template: ["a list of texts", "text"],
  timeout_retries: ["a number", ""],
  recording_invalid: text,
};
