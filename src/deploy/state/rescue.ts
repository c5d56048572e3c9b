import type { Rescue } from "../../schema/rescue.ts";
import type { Entry, StateEvent } from "../../schema/state.ts";
import { isRequest } from "./records.ts";
import type { StateView } from "./state.ts";

/** Identifies a run. The id of its lock alone is not enough, because it can be used again. */
export interface Run {
  readonly id: string;
  readonly by: string;
  readonly since: string;
}

/** The result of comparing a rescue file with the state. */
export type RescueComparison =
  /** It belongs to a different state. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "fits";
      /** The events that are missing in the history. */
      readonly events: readonly StateEvent[];
      /** Keys whose outcomes the history already has. */
      readonly recorded: readonly string[];
      /** Keys of menus that were created, but cannot be recorded until a later create is resolved. */
      readonly waiting: readonly string[];
      /** Keys of menus that were created, but whose intent is not in the history. */
      readonly missing: readonly string[];
    };

/** Determines which outcomes of a rescue file are missing in the state. */
export function compareRescue(
  rescue: Rescue,
  { origin, keys }: StateView,
  history: readonly Entry[],
): RescueComparison {
  const { state: id, environment, outcomes } = rescue;
  if (origin?.id !== id || origin.environment !== environment) return { kind: "foreign" };
  const events: StateEvent[] = [];
  const recorded: string[] = [];
  const waiting: string[] = [];
  const missing: string[] = [];
  for (const outcome of outcomes) {
    const { digest, ...event } = outcome;
    const { key, follow_up: followUp } = event;
    const status = createStatus({ key, followUp, digest }, rescue, history);
    if (status.kind === "pending" && !(status.seen && event.kind === "unknown")) {
      events.push({ ...event, key: status.key });
    } else if (
      outcome.kind !== "created" ||
      status.kind === "created" ||
      status.kind === "pending"
    ) {
      recorded.push(event.key);
    } else if (status.kind === "missing") missing.push(event.key);
    else if (keys.get(status.key)?.pending) waiting.push(event.key);
    else events.push(createdAfterAll(status, outcome, keys));
  }
  return { kind: "fits", events, recorded, waiting, missing };
}

/** What the history says about a request that a run sent. */
type CreateStatus =
  /** Its intent is not in the history. */
  | { readonly kind: "missing" }
  | {
      readonly kind: "pending";
      /** The current key: the record may have moved. */
      readonly key: string;
      /** Whether the history has the outcome `unknown`. */
      readonly seen: boolean;
    }
  /** It is done: the menu was created, updated or deleted. */
  | { readonly kind: "created" }
  | Absent;

/** The history says that the menu was not created. */
interface Absent {
  readonly kind: "absent";
  readonly key: string;
  readonly intent: Intent;
  /** The entry that gave the key another record since, or the intent to do so. */
  readonly another: Entry | undefined;
}

type Intent = Entry & { readonly event: Extract<StateEvent, { kind: "intent" }> };

/** Finds the last intent of the run for the key, and follows it to the end of the history. */
export function createStatus(
  own: {
    readonly key: string;
    /** The follow-up whose menu was to be deleted. */
    readonly followUp: string | undefined;
    readonly digest: string;
  },
  { run, since, until }: Pick<Rescue, "run" | "since" | "until">,
  history: readonly Entry[],
): CreateStatus {
  const isOwn = (entry: Entry): entry is Absent["intent"] =>
    entry.event.kind === "intent" &&
    entry.event.key === own.key &&
    entry.event.follow_up === own.followUp &&
    entry.event.digest === own.digest &&
    entry.run === run &&
    entry.at >= since &&
    entry.at <= until;
  const intent = history.findLast(isOwn);
  if (intent === undefined) return { kind: "missing" };
  let { key } = intent.event;
  let seen = false;
  let isAbsent = false;
  let another: Entry | undefined;
  for (const entry of history.slice(intent.seq)) {
    const { event } = entry;
    if (event.kind === "created-after-all" && event.intent === intent.seq) {
      return { kind: "created" };
    }
    if (event.kind === "moved" && event.from === key) key = event.key;
    // A person can close a follow-up whose outcome is unknown.
    if (event.kind === "done" && event.follow_up === own.followUp) return { kind: "created" };
    if (!("key" in event) || event.key !== key || followUpIn(event) !== own.followUp) continue;
    if (isAbsent) {
      if (hasRecord(event) || (event.kind === "intent" && another === undefined)) another = entry;
    } else if (hasRecord(event) || isDeleted(event)) return { kind: "created" };
    else if (event.kind === "unknown") seen = true;
    else if (isEnd(event)) isAbsent = true;
  }
  return isAbsent ? { kind: "absent", key, intent, another } : { kind: "pending", key, seen };
}

/** Whether the event gives a key a record. */
function hasRecord(event: StateEvent): boolean {
  const { kind } = event;
  return (
    kind === "created" ||
    kind === "updated" ||
    kind === "created-after-all" ||
    kind === "adopted" ||
    kind === "changed-on-console" ||
    kind === "restored" ||
    (kind === "resolved" && (event.as === "created" || event.as === "updated"))
  );
}

/** The follow-up whose menu a request deletes. Undefined if the event is about the record of a key. */
function followUpIn(event: StateEvent): string | undefined {
  return isRequest(event) ? event.follow_up : undefined;
}

function isDeleted(event: StateEvent): boolean {
  return event.kind === "deleted" || (event.kind === "resolved" && event.as === "deleted");
}

function isEnd({ kind }: StateEvent): boolean {
  return kind === "failed" || kind === "not-processed" || kind === "resolved";
}

/** Records a menu that exists although the history says that it was not created. It becomes the record of the key, unless the key has another one. */
function createdAfterAll(
  { key, intent, another }: Absent,
  { status, message }: { readonly status: number; readonly message: string },
  keys: StateView["keys"],
): StateEvent {
  const { payload, digest, naming } = intent.event;
  const isSecond = another !== undefined && hasRecord(another.event) && keys.has(key);
  return {
    kind: "created-after-all",
    key,
    intent: intent.seq,
    as: isSecond ? "second" : "current",
    payload,
    digest,
    naming,
    sent_at: intent.at,
    status,
    message,
  };
}
