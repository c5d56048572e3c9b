import { type Field, type FieldPath, type Payload, rows } from "../schema/fields.ts";
import type { Wire } from "../project/environment.ts";
import { type ResolvedMenu, destinationText } from "./menu.ts";
import { allItemsDefined } from "../util/defined.ts";

/**
 * The payload of a menu: the fields of the service, in the order of its field table.
 * Undefined if the menu is incomplete.
 */
export function encode(menu: ResolvedMenu, wire: Wire): Payload | undefined {
  const payload: Record<string, unknown> = {};
  for (const [path, field] of rows) {
    const value = sent(menu, path, field, wire);
    if (value !== undefined) payload[field.wire] = value;
    else if (field.optional !== true) return undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the fields of a payload
  return payload as unknown as Payload;
}

/** A field as it is sent; undefined if the menu does not have it. */
function sent(
  { facts, options }: ResolvedMenu,
  path: FieldPath,
  { is, wire: name }: Field,
  wire: Wire,
): unknown {
  switch (path) {
    case "options":
      return options?.map(({ key }) => count(key, wire));
    case "options.*":
      return (
        options && allItemsDefined(options.map((option) => destinationText(option.destination)))
      );
    case "options.*.sms":
      return options?.some(({ sms }) => sms !== undefined)
        ? options.map(({ sms }) => sms?.id ?? wire.no_sms_template)
        : undefined;
  }
  const value = facts[path]?.value;
  if (value === undefined) return undefined;
  if (typeof value !== "string") {
    if ("kind" in value) return destinationText({ value });
    return wire.plain_recordings.some((plain) => plain === name)
      ? value.id
      : `recording||${value.id}`;
  }
  if (is === "number") return Number(value);
  return is === "count" ? count(value, wire) : value;
}

/** Digits as text or as a number, unless a number would change them. */
function count(digits: string, { numbers }: Wire): string | number {
  const number = Number(digits);
  const isExact = Number.isSafeInteger(number) && String(number) === digits;
  return numbers === "number" && isExact ? number : digits;
}
