import type { Rescue } from "../../schema/rescue.ts";
import type { Entry, StateEvent } from "../../schema/state.ts";
import type { Absent, Applied, Result, Unrecorded } from "./apply-plan.ts";
import type { StateView } from "../state/state.ts";

/** Identifies a run. The id of its lock alone is not enough, because it can be used again. */
export interface Run {
  readonly id: string;
  readonly by: string;
  readonly since: string;
}

/** What to keep of an apply; undefined if the state never began, because then nothing was sent. */
export function rescueOf(
  unrecorded: readonly Unrecorded[],
  { origin }: StateView,
  { id, by, since }: Run,
  until: string,
): Rescue | undefined {
  if (origin === null || unrecorded.length === 0) return undefined;
  const outcomes = unrecorded.map(({ key, digest, outcome }): Rescue["outcomes"][number] => {
    const about = { key, digest, message: outcome.message };
    return outcome.kind === "created"
      ? { kind: outcome.kind, status: outcome.status, ...about }
      : { kind: outcome.kind, status: outcome.status, ...about };
  });
  const { lineage, environment } = origin;
  return { rescue: 1, environment, lineage, run: id, by, since, until, outcomes };
}

/**
 * Corrects the results of an apply by the history. A record that was not acknowledged may
 * be stored or not, and someone may have resolved the key meanwhile.
 */
export function reconciled(applied: Applied, rescue: Rescue, history: readonly Entry[]): Applied {
  const known = new Map<string, Partial<Result>>();
  const unrecorded = applied.unrecorded.flatMap((one): Unrecorded[] => {
    const { key, digest, outcome, attempts } = one;
    const { kind, status, message } = outcome;
    const fate = fateOf({ key, digest }, rescue, history);
    if (kind === "created") {
      if (fate.kind === "pending" || fate.kind === "missing") return [one];
      known.set(key, { outcome: "created", status, message });
      return fate.kind === "absent" ? [{ ...one, denied: fate }] : [];
    }
    if (fate.kind === "pending") return [one];
    known.set(
      key,
      kind === "not-processed" && attempts === 0
        ? { outcome: "not_attempted", status: null, message: null }
        : { outcome: fate.kind === "created" ? "created" : "failed", status, message },
    );
    return [];
  });
  return {
    ...applied,
    results: applied.results.map((result) => ({ ...result, ...known.get(result.key) })),
    unrecorded,
  };
}

export type TakenIn =
  /** It belongs to another state. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "fits";
      readonly events: readonly StateEvent[];
      /** Keys about which the history has everything already. */
      readonly settled: readonly string[];
      /** Keys of menus that were created, but wait until a later create is resolved. */
      readonly waiting: readonly string[];
      /** Keys of menus that were created, but whose intent is not in the history. */
      readonly missing: readonly string[];
    };

/** Determines which outcomes of a rescue file the state still lacks. */
export function takeIn(
  rescue: Rescue,
  { origin, keys }: StateView,
  history: readonly Entry[],
): TakenIn {
  const { lineage, environment, outcomes } = rescue;
  if (origin?.lineage !== lineage || origin.environment !== environment) return { kind: "foreign" };
  const events: StateEvent[] = [];
  const settled: string[] = [];
  const waiting: string[] = [];
  const missing: string[] = [];
  for (const outcome of outcomes) {
    const { digest, ...event } = outcome;
    const fate = fateOf({ key: event.key, digest }, rescue, history);
    if (fate.kind === "pending" && !(fate.seen && event.kind === "unknown")) {
      events.push({ ...event, key: fate.key });
    } else if (outcome.kind !== "created" || fate.kind === "created" || fate.kind === "pending") {
      settled.push(event.key);
    } else if (fate.kind === "missing") missing.push(event.key);
    else if (keys.get(fate.key)?.pending) waiting.push(event.key);
    else events.push(createdAfterAll(fate, outcome, keys));
  }
  return { kind: "fits", events, settled, waiting, missing };
}

/** What the history knows about a create that a run sent. */
type Fate =
  /** Its intent is not in the history. */
  | { readonly kind: "missing" }
  | {
      readonly kind: "pending";
      /** The current key: the record may have moved. */
      readonly key: string;
      /** Whether the history says that the outcome is unknown. */
      readonly seen: boolean;
    }
  | { readonly kind: "created" }
  | Absent;

/** Follows the last intent of the run for the key to the end of the history. */
function fateOf(
  own: { readonly key: string; readonly digest: string },
  { run, since, until }: Pick<Rescue, "run" | "since" | "until">,
  history: readonly Entry[],
): Fate {
  const isOwn = (entry: Entry): entry is Absent["intent"] =>
    entry.event.kind === "intent" &&
    entry.event.key === own.key &&
    entry.event.digest === own.digest &&
    entry.run === run &&
    entry.at >= since &&
    entry.at <= until;
  const intent = history.findLast(isOwn);
  if (intent === undefined) return { kind: "missing" };
  let { key } = intent.event;
  let seen = false;
  let by: Entry | undefined;
  let another: Entry | undefined;
  for (const entry of history.slice(intent.seq)) {
    const { event } = entry;
    if (event.kind === "created-after-all" && event.intent === intent.seq) {
      return { kind: "created" };
    }
    if (event.kind === "moved" && event.from === key) key = event.key;
    if (!("key" in event) || event.key !== key) continue;
    if (by !== undefined) {
      if (hasRecord(event) || (event.kind === "intent" && another === undefined)) another = entry;
    } else if (hasRecord(event)) return { kind: "created" };
    else if (event.kind === "unknown") seen = true;
    else if (isEnd(event)) by = entry;
  }
  return by === undefined
    ? { kind: "pending", key, seen }
    : { kind: "absent", key, intent, by, another };
}

/** Whether the event gives a key a record. */
function hasRecord(event: StateEvent): boolean {
  const { kind } = event;
  return (
    kind === "created" ||
    kind === "created-after-all" ||
    kind === "adopted" ||
    kind === "restored" ||
    (kind === "resolved" && event.as === "created")
  );
}

function isEnd({ kind }: StateEvent): boolean {
  return kind === "failed" || kind === "not-processed" || kind === "resolved";
}

/** The menu exists. It becomes the record of the key, unless the key has another one by now. */
function createdAfterAll(
  { key, intent, another }: Absent,
  { status, message }: Extract<Rescue["outcomes"][number], { kind: "created" }>,
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
