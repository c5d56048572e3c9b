import { destinationWords, fieldName, recordingName } from "../../model/field-words.ts";
import { type Menu, type ExitName, identityOf, keyPlace } from "../../model/menu.ts";
import { type Field, type FieldPath, fields } from "../../schema/fields.ts";
import { pathName, pathsOf } from "../../model/call-menu.ts";
import { type Trigger, describeTrigger, triggerOf } from "../../model/trigger.ts";

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

/** One path of a call through a menu in words, and who answers at its end. */
export interface DescribedPath {
  /** `key 2 (Billing)`, and who answers there. */
  readonly place: string;
  readonly reaches: string;
  /** `key 2`, `invalid` or `timeout`. */
  readonly at: ExitName;
  /** What the caller does, for a picture. */
  readonly trigger: Trigger;
  /** Equal for the same destinations. */
  readonly destination: string;
  /** The menu in which the call continues. */
  readonly menu: string | undefined;
}

/** All paths through a menu: the keys in the order announced, then a wrong key and silence. */
export function describePaths(menu: Menu): DescribedPath[] {
  return pathsOf(menu).map((path) => {
    const [at, trigger] = [pathName(path), triggerOf(path)];
    const place =
      path.via === "option"
        ? describeTrigger(trigger)
        : fieldName({ row: `${path.via}.destination` });
    const reaches = destinationWords(path.destination);
    const menu = path.destination.kind === "menu" ? reaches : undefined;
    return { at, place, trigger, reaches, destination: identityOf(path.destination), menu };
  });
}

/** The part of a call that a field is about: `key 2`, `invalid`, `timeout`, or the `menu` itself. */
export function callPart(row: FieldPath, path: string): ExitName {
  const [section = "", key = ""] = path.split(".");
  if (section === "options") return keyPlace(key);
  const { part }: Field = fields[row];
  return part ?? (section === "invalid" || section === "timeout" ? section : "menu");
}
