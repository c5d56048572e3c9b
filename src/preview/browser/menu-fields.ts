import type { CallDestination, CallMenu, CallRecording } from "../../model/call-menu.ts";
import { type Field, type FieldPath, fields, isOfOption, rows } from "../../schema/fields.ts";

/** The fields of a part of a menu, by the table of fields: `timeout.wait`, `extra.timeout_retries`. */
export function fieldsOfPart(part: "invalid" | "timeout" | "prompt" | "words"): FieldPath[] {
  return rows.flatMap(([path, field]) => (partOf(path, field) === part ? path : []));
}

function partOf(path: FieldPath, { part, is }: Field): string {
  if (isOfOption(path) || is === "keys") return "options";
  const [first = "", ...rest] = path.split(".");
  return part ?? (rest.length > 0 ? first : is === "text" ? "words" : "prompt");
}

/** `Time to press a key, in seconds`. The words are those of plans. */
export function labelOf(path: FieldPath): string {
  const { words = path, isSeconds, isTimes }: Field = fields[path];
  const unit = isSeconds ? ", in seconds" : isTimes ? ", times" : "";
  return words.charAt(0).toUpperCase() + words.slice(1) + unit;
}

/** A value as a person writes it: the alias of a recording, the digits of a count. */
export function textOf(call: CallMenu, path: FieldPath): string {
  const value = valueOf(call, path);
  if (typeof value === "string") return value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only recordings and destinations are objects
  const { alias, id } = (value ?? {}) as Partial<CallRecording>;
  return alias ?? id ?? "";
}

export function destinationOf(call: CallMenu, path: FieldPath): CallDestination | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller has checked the kind of the row
  return valueOf(call, path) as CallDestination | undefined;
}

function valueOf(call: CallMenu, path: FieldPath): unknown {
  return Object.entries(call).find(([name]) => name === path)?.[1];
}

export function recordingOf(call: CallMenu, path: FieldPath): CallRecording | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of a row is that of its value
  return fields[path].is === "recording" ? (valueOf(call, path) as CallRecording) : undefined;
}
