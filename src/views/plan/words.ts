import type { Difference } from "../../deploy/plan/digest.ts";
import type { MenuContent } from "../../deploy/plan/plan.ts";
import {
  type Trigger,
  onKey,
  onSilence,
  onWrongKey,
  placeOf,
  recordingName,
  retryWords,
  triggerWords,
} from "../../call/words.ts";

type Named = Pick<MenuContent, "naming">;

/** A difference as people think of it: `key 2`, Ravi Kumar, Asha Rao. */
export interface DescribedDifference {
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

export function describeDifference(
  { field, before, after }: Difference,
  old: Named,
  now: Named,
): DescribedDifference {
  const described = {
    what: whatOf(field, now.naming.purposes, old.naming.purposes),
    before: before === null ? null : valueOf(field, before, old, now),
    after: after === null ? null : valueOf(field, after, now, old),
  };
  // Two people of one name, or one recording in two encodings, differ only on the wire.
  return described.before === described.after
    ? {
        ...described,
        before: `${described.before} as ${before}`,
        after: `${described.after} as ${after}`,
      }
    : described;
}

/** A menu as callers meet it: what they hear, and whom they reach. */
export function menuLines(content: MenuContent): { place: string; leads: string }[] {
  const { payload } = content;
  const heard = (field: RecordingField) => valueOf(field, payload[field], content, content);
  const reached = (field: "invalid_destination" | "timeout_destination") =>
    valueOf(field, payload[field], content, content);
  return [
    { place: "plays", leads: heard("recording") },
    ...waysOf(content).filter(({ place }) => place.startsWith("key ")),
    {
      place: "invalid",
      leads: `${reached("invalid_destination")}, after ${heard("invalid_recording")} and ${retryWords(payload.incorrect_count)}`,
    },
    {
      place: "timeout",
      leads: `${reached("timeout_destination")}, after waiting ${payload.timeout}, ${heard("timeout_retry_recording")}, ${retryWords(payload.timeout_tries)} and ${heard("timeout_recording")}`,
    },
  ];
}

type RecordingField =
  | "recording"
  | "invalid_recording"
  | "timeout_retry_recording"
  | "timeout_recording";

/** Where callers can end up, and whom they reach there. */
export interface Way {
  /** `key 2`, `invalid` or `timeout`. */
  readonly at: string;
  /** The same with what it is for: `key 2 (Billing)`. */
  readonly place: string;
  readonly leads: string;
  /** What leads there, for a picture. */
  readonly trigger: Trigger;
  /** The destination on the wire. */
  readonly destination: string;
}

/** Everyone a menu leads to, in the order of its keys. */
export function waysOf({ payload, naming }: MenuContent): Way[] {
  const ways: [string, string, Trigger][] = payload.option.map((key, at) => [
    `destination.${key}`,
    payload.destination[at] ?? "",
    onKey(String(key), naming.purposes[key]),
  ]);
  ways.push(
    ["invalid_destination", payload.invalid_destination, onWrongKey(payload.incorrect_count)],
    [
      "timeout_destination",
      payload.timeout_destination,
      onSilence(payload.timeout, payload.timeout_tries),
    ],
  );
  return ways.map(([field, destination, trigger]) => ({
    at: partOf(field),
    place: whatOf(field, naming.purposes, {}).replace(/\.destination$/, ""),
    leads: valueOf(field, destination, { naming }, { naming }),
    trigger,
    destination,
  }));
}

/** The part of a call that a field is about: `key 2`, `invalid`, `timeout`, or the `menu` itself. */
export function partOf(field: string): string {
  const key = /^(?:destination|sms_template)\.(.*)$/s.exec(field)?.[1];
  if (key !== undefined) return placeOf(key);
  if (field.startsWith("timeout")) return "timeout";
  return /invalid|incorrect/.test(field) ? "invalid" : "menu";
}

/** Whether a field says whom callers reach. */
export function isDestination(field: string): boolean {
  return destinations.test(field);
}

/** The menu's own words for the service's fields. */
const words: Readonly<Record<string, string>> = {
  timeout: "timeout.wait",
  timeout_tries: "timeout.retries",
  timeout_retry_recording: "timeout.retry_recording",
  timeout_recording: "timeout.recording",
  timeout_destination: "timeout.destination",
  incorrect_count: "invalid.retries",
  invalid_recording: "invalid.recording",
  invalid_destination: "invalid.destination",
  timeout_retries: "extra.timeout_retries",
  recording_invalid: "extra.recording_invalid",
};

type Purposes = Readonly<Record<string, string>>;

function whatOf(field: string, purposes: Purposes, former: Purposes): string {
  const option = /^(destination|sms_template)\.(.*)$/s.exec(field);
  if (option === null) return words[field] ?? field;
  const [, kind, key = ""] = option;
  const purpose = purposes[key] ?? former[key];
  const place = triggerWords(onKey(key, purpose));
  return kind === "destination" ? place : `${place} sms`;
}

/** The name, with the mark by which the menu refers to the agent if the name is not enough. */
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

const destinations = /^(?:destination\.|invalid_destination$|timeout_destination$)/;
const recordings = /recording/;

function valueOf(field: string, text: string, own: Named, other: Named): string {
  if (isDestination(field)) {
    const eid = /^extension\|\|(.+)$/s.exec(text)?.[1];
    const candidates = [...own.naming.agents, ...other.naming.agents].filter(
      (agent) => agent.eid === eid,
    );
    const place = field.replace(/^destination\.|_destination$/, (part) =>
      part.startsWith("_") ? "" : placeOf(""),
    );
    const named = candidates.find((agent) => agent.place === place) ?? candidates[0];
    return named === undefined ? text : nameOf(named);
  }
  if (recordings.test(field)) {
    const id = text.replace(/^recording\|\|/, "");
    return recordingName({ id, alias: own.naming.recordings[id] });
  }
  return field === "name" || field === "description" ? `“${text}”` : text;
}
