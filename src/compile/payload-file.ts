import type * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { Payload } from "../schema/wire.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { locator, parseJson } from "../yaml/json.ts";

/** A payload as the service takes it, alone or in the map that `ivrctl compile` prints. */
export function readPayload(
  source: Source,
  key: string,
  diagnostics: Diagnostics,
): Payload | undefined {
  const json = parseJson(source);
  if (!json.success) {
    diagnostics.add("IVR632", json.span, "This is not JSON.");
    return undefined;
  }
  const { payload, path, others } = within(json.value, key);
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
  for (const fault of faultsOf(read.error.issues, payload)) {
    diagnostics.add("IVR632", locate([...path, ...fault.path]), fault.message, fault.hint);
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
  const itself = { payload: value, path: [] };
  if (!isMapping(value)) return itself;
  // No field of a payload is a mapping: a mapping under the key can only be its payload.
  if (Object.hasOwn(value, key) && isMapping(value[key])) {
    return { payload: value[key], path: [key] };
  }
  const all = Object.values(value);
  return all.length > 0 && all.every(isMapping)
    ? { ...itself, others: Object.keys(value) }
    : itself;
}

/** What is wrong with a payload that comes from outside. */
interface PayloadFault {
  readonly path: readonly PropertyKey[];
  /** It is about the field's name, not about its value. */
  readonly unknown?: true;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The findings of `PayloadSchema` in words. */
export function faultsOf(issues: readonly z.core.$ZodIssue[], payload: unknown): PayloadFault[] {
  if (!isMapping(payload)) return [{ path: [], message: "A payload is a JSON object." }];
  const missing: string[] = [];
  const faults: PayloadFault[] = [];
  for (const issue of issues) {
    const [field] = issue.path;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, maxUnknown)) faults.push(unknownField(key));
    } else if (field === undefined) continue;
    else if (!Object.hasOwn(payload, field)) missing.push(`\`${String(field)}\``);
    else {
      const item = issue.path.length > 1 ? `item ${Number(issue.path[1]) + 1} of ` : "";
      const name = String(field);
      const [rule, items] = Object.hasOwn(rules, name) ? (rules[name] ?? text) : text;
      const message = `${item}\`${name}\` must be ${item === "" ? rule : items}.`;
      faults.push({ path: issue.path, message: message[0]?.toUpperCase() + message.slice(1) });
    }
  }
  const lists = [payload["option"], payload["destination"]];
  // The schema reports this only if nothing else is wrong.
  if (lists.every(Array.isArray) && listOf(lists[0]).length !== listOf(lists[1]).length) {
    faults.push(unpaired(payload));
  }
  if (missing.length > 0) {
    faults.push({ path: [], message: `The payload lacks ${missing.join(", ")}.` });
  }
  return faults;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownField(key: string): PayloadFault {
  // A key that is not a word may be a secret in the wrong place, so it is not shown.
  const shown = /^[A-Za-z][\w-]{0,30}$/.test(key) ? `\`${key}\`` : "This";
  return {
    path: [key],
    unknown: true,
    message: `${shown} is no field of a payload.`,
    hint: didYouMean(nearest(key, payloadFields)),
  };
}

/** Reports lists of different lengths and the items that are left over. */
function unpaired(payload: Record<string, unknown>): PayloadFault {
  const [options, destinations] = [listOf(payload["option"]), listOf(payload["destination"])];
  const paired = Math.min(options.length, destinations.length);
  const more = options.length > destinations.length;
  const left = (more ? options : destinations).slice(paired);
  const shown = left.slice(0, maxListed).map((item) => `\`${shorten(String(item))}\``);
  const rest = left.length > maxListed ? ` and ${left.length - maxListed} more` : "";
  const numbers = `${counted(options.length, "option")} and ${counted(destinations.length, "destination")}`;
  return {
    path: [more ? "option" : "destination", paired],
    message: `${numbers}: paired by position, ${shown.join(", ")}${rest} ${left.length === 1 ? "is" : "are"} left over.`,
    hint: "Each option needs its destination, at the same position; which one is missing only you can know.",
  };
}

const maxListed = 6;
/** A file with more unknown fields is probably not a payload, so the others are not listed. */
const maxUnknown = 20;

export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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

export const payloadFields: readonly string[] = Object.keys(rules);
