import { type Trigger, recordingName, triggerOf } from "../../call/describe-call.ts";
import { destinationWords, fieldName } from "../../model/field-words.ts";
import { type Destination, type Menu, type Place, identityOf, keyPlace } from "../../model/menu.ts";
import { type Field, type FieldPath, fields } from "../../schema/fields.ts";

/** A value before and after a change: `Ravi Kumar → Asha Rao`. */
export function arrow(before: string | null, after: string | null, isOnConsole = false): string {
  if (before === null) return `${after ?? ""} (new)`;
  const [now, removed] = isOnConsole
    ? [`${before} (set on the console)`, ", removed"]
    : [before, " (removed)"];
  if (after === null) return `${now}${removed}`;
  // `5 → 6 s`
  const [, count, unit] = /^(\d+) (\w+)$/.exec(now) ?? [];
  return `${unit !== undefined && after.endsWith(` ${unit}`) ? count : now} → ${after}`;
}

/** What callers hear first in a menu. */
export function menuGreeting({ recording }: Menu): string {
  return recording.alias === undefined ? `recording ${recording.id}` : recordingName(recording);
}

/** One path of a call through a menu, and who answers at its end. */
export interface CallPath {
  /** `key 2 (Billing)`, and who answers there. */
  readonly place: string;
  readonly reaches: string;
  /** `key 2`, `invalid` or `timeout`. */
  readonly at: Place;
  /** What the caller does, for a picture. */
  readonly trigger: Trigger;
  /** Equal for the same destinations. */
  readonly destination: string;
}

/** All paths through a menu: the keys in the order announced, then a wrong key and silence. */
export function menuPaths(menu: Menu): CallPath[] {
  const path = (at: Place, place: string, trigger: Trigger, to: Destination): CallPath => ({
    at,
    place,
    trigger,
    reaches: destinationWords(to),
    destination: identityOf(to),
  });
  return [
    ...menu.options.map((option) => {
      const { key, for: purpose, destination } = option;
      const trigger = triggerOf({ via: "option", key, for: purpose });
      return path(keyPlace(key), fieldName({ row: "options.*", option }), trigger, destination);
    }),
    path(
      "invalid",
      fieldName({ row: "invalid.destination" }),
      triggerOf({ via: "invalid", retries: menu["invalid.retries"] }),
      menu["invalid.destination"],
    ),
    path(
      "timeout",
      fieldName({ row: "timeout.destination" }),
      triggerOf({ via: "timeout", wait: menu["timeout.wait"], retries: menu["timeout.retries"] }),
      menu["timeout.destination"],
    ),
  ];
}

/** The part of a call that a field is about: `key 2`, `invalid`, `timeout`, or the `menu` itself. */
export function callPart(row: FieldPath, path: string): Place {
  const [section = "", key = ""] = path.split(".");
  if (section === "options") return keyPlace(key);
  const { part }: Field = fields[row];
  return part ?? (section === "invalid" || section === "timeout" ? section : "menu");
}
