import type { Difference } from "../../deploy/plan/digest.ts";
import { namedDestination } from "../../deploy/plan/names.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { rows, wireOf } from "../../schema/fields.ts";
import { menuIdIn, referencedMenu } from "../../schema/wire.ts";
import {
  type Trigger,
  keyPlace,
  recordingName,
  triggerOf,
  describeTrigger,
  describeWireDestination,
} from "../../call/describe-call.ts";

export type Named = Pick<MenuContent, "naming">;

/** A difference in the words of the menu file: `key 2`, Ravi Kumar, Asha Rao. */
interface DescribedDifference extends Difference {
  readonly what: string;
}

/** Differences of two menus, in words. */
export function describeDifferences(
  found: readonly Difference[],
  old: Named,
  now: Named,
): DescribedDifference[] {
  return found.map(({ field, before, after }) => {
    const what = whatOf(field, now.naming.purposes, old.naming.purposes);
    const was = before === null ? null : valueOf(field, before, old, now);
    const is = after === null ? null : valueOf(field, after, now, old);
    // Two agents with the same name, or two forms of one recording, differ only in the payload.
    const [oldMark, newMark] =
      was === is ? [before, after].map((value) => ` (${distinction(value)})`) : [];
    return { field, what, before: was && was + (oldMark ?? ""), after: is && is + (newMark ?? "") };
  });
}

/** A value before and after a change: `Ravi Kumar → Asha Rao`. */
export function arrow(before: string | null, after: string | null, isOnConsole = false): string {
  if (before === null) return `${after ?? ""} (new)`;
  const [now, removed] = isOnConsole
    ? [`${before} (set on the console)`, ", removed"]
    : [before, " (removed)"];
  return after === null ? `${now}${removed}` : `${now} → ${after}`;
}

/** What callers hear first in a menu. */
export function menuGreeting(content: MenuContent): string {
  const { id, alias } = recordingIn(content.payload.recording, content);
  return alias === undefined ? `recording ${id}` : recordingName({ id, alias });
}

/** One path of a call through a menu, and who answers at its end. */
export interface CallPath {
  /** `key 2 (Billing)`, and who answers there. */
  readonly place: string;
  readonly reaches: string;
  /** `key 2`, `invalid` or `timeout`. */
  readonly at: string;
  /** What the caller does, for a picture. */
  readonly trigger: Trigger;
  /** The destination on the wire. */
  readonly destination: string;
}

/** All paths through a menu: the keys in the order of the payload, then a wrong key and silence. */
export function menuPaths({ payload, naming }: MenuContent): CallPath[] {
  const paths: [string, string, Trigger][] = payload.option.map((key, at) => [
    `destination.${key}`,
    payload.destination[at] ?? "",
    triggerOf({ via: "option", key: String(key), for: naming.purposes[key] }),
  ]);
  paths.push(
    [
      "invalid_destination",
      payload.invalid_destination,
      triggerOf({ via: "invalid", retries: payload.incorrect_count }),
    ],
    [
      "timeout_destination",
      payload.timeout_destination,
      triggerOf({ via: "timeout", wait: payload.timeout, retries: payload.timeout_tries }),
    ],
  );
  return paths.map(([field, destination, trigger]) => ({
    at: callPart(field),
    place: whatOf(field, naming.purposes, {}),
    reaches: valueOf(field, destination, { naming }, { naming }),
    trigger,
    destination,
  }));
}

/** The part of a call that a field is about: `key 2`, `invalid`, `timeout`, or the `menu` itself. */
export function callPart(field: string): string {
  const key = /^(?:destination|sms_template)\.(.*)$/s.exec(field)?.[1];
  if (key !== undefined) return keyPlace(key);
  if (field.startsWith("timeout")) return "timeout";
  return /invalid|incorrect/.test(field) ? "invalid" : "menu";
}

/** Whether a field says whom callers reach. */
export function isDestination(field: string): boolean {
  return field.startsWith("destination.") || destinations.has(field);
}

/** The service's fields in the words of callers. Callers do not notice `extra`. */
const words: ReadonlyMap<string, string> = new Map(
  rows.map(([, { wire, words: name = wire }]) => [wire, name]),
);

type Purposes = Readonly<Record<string, string>>;

function whatOf(field: string, purposes: Purposes, former: Purposes): string {
  const option = /^(destination|sms_template)\.(.*)$/s.exec(field);
  if (option === null) return words.get(field) ?? field;
  const [, kind, key = ""] = option;
  const purpose = purposes[key] ?? former[key];
  const place = describeTrigger(triggerOf({ via: "option", key, for: purpose }));
  return kind === "destination" ? place : `${place}, SMS template`;
}

/** The name of an agent, and the team, extension or other field that the menu file names. */
function nameOf({ name, reference }: Named["naming"]["agents"][number]): string {
  const { team, department, intercom, eid, id } = reference;
  const mark =
    team ??
    department ??
    (intercom === undefined ? undefined : `intercom ${intercom}`) ??
    (eid === undefined ? undefined : `extension ${eid}`) ??
    (id === undefined ? undefined : `id ${id}`);
  return mark === undefined || name.includes(mark) ? name : `${name} (${mark})`;
}

const destinations: ReadonlySet<string> = new Set(wireOf("destination"));
const recordings: ReadonlySet<string> = new Set(wireOf("recording"));
const texts: ReadonlySet<string> = new Set(wireOf("text"));

function valueOf(field: string, text: string, here: Named, other: Named): string {
  if (isDestination(field)) {
    const eid = /^extension\|\|(.+)$/s.exec(text)?.[1];
    const candidates = [...here.naming.agents, ...other.naming.agents].filter(
      (agent) => agent.eid === eid,
    );
    const place = field.replace(/^destination\.|_destination$/, (part) =>
      part.startsWith("_") ? "" : keyPlace(""),
    );
    const named = candidates.find((agent) => agent.place === place) ?? candidates[0];
    return named === undefined ? menuOrWire(text, here, other) : nameOf(named);
  }
  if (recordings.has(field)) return recordingName(recordingIn(text, here));
  if (field === "timeout_tries" || field === "incorrect_count") return timesWords(text);
  return texts.has(field) ? `“${text}”` : text;
}

/** How often a menu asks again: `2 times`. */
function timesWords(count: string): string {
  return count === "0" ? "never" : `${count} ${count === "1" ? "time" : "times"}`;
}

/** A menu by its key, if the key is known, or what is on the wire. */
function menuOrWire(text: string, here: Named, other: Named): string {
  const byKey = namedDestination(text, here.naming);
  return describeWireDestination(byKey === text ? namedDestination(text, other.naming) : byKey);
}

/** What distinguishes two values that have the same name: the id of a menu, or the text on the wire. */
function distinction(text: string | null): string {
  if (text === null) return "";
  if (referencedMenu(text) !== undefined) return "its id is not known yet";
  const id = menuIdIn(text);
  return id === undefined ? text.replace(/^extension\|\|/, "extension ") : `id ${id}`;
}

function recordingIn(text: string, { naming }: Named): { id: string; alias: string | undefined } {
  const id = text.replace(/^recording\|\|/, "");
  return { id, alias: naming.recordings[id] };
}
