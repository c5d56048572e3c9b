import { isDeepStrictEqual } from "node:util";
import type { Confirmed, KeyRecord, StateEvent } from "../../schema/state.ts";
import { digestOf } from "./digest.ts";
import { idsOnRecord } from "./links.ts";
import { Contradiction } from "../state/open-follow-ups.ts";
import { State, type StateView } from "../state/state.ts";
import {
  type Change,
  type Plan,
  type Sending,
  begun,
  bindIntent,
  bindsOf,
  deleteIntent,
  eventsWithoutRequest,
  intentsOf,
  isCreating,
  isDeleting,
  isSending,
} from "./plan.ts";

/**
 * Returns why `ivrctl plan` cannot have made this plan from this state; undefined if it
 * can. Tries every event that apply would record on a copy of the state. No two changes
 * share a key (`repeatedIn`), so their order does not matter.
 */
export function flawOf(plan: Plan, state: StateView): string | undefined {
  const repeated = repeatedIn(plan);
  if (repeated !== undefined) return `it contains ${repeated} twice`;
  const other = plan.changes.find((change) => !startsFrom(change, state));
  if (other !== undefined) return `${other.key} differs from the state`;
  return contradictionIn(plan, state);
}

/** A key that two changes are about, or a phone number that two changes bind. */
function repeatedIn({ changes, named }: Plan): string | undefined {
  const renamed = new Set(
    changes.flatMap(({ key, action }) => (keepsRecord.has(action) ? key : [])),
  );
  const numbers = twice(changes.flatMap(bindsOf).map(({ id, number }) => `${number} (${id})`));
  if (numbers !== undefined) return numbers;
  return twice([
    ...changes.flatMap((change) => [
      change.key,
      ...("movedFrom" in change && change.movedFrom !== null ? [change.movedFrom] : []),
    ]),
    // A record that stays as it is may have new names as well.
    ...named.flatMap(({ key }) => (renamed.delete(key) ? [] : key)),
  ]);
}

/** The changes that leave the record of a menu as it is, or take another one as it is. */
const keepsRecord: ReadonlySet<Change["action"]> = new Set(["move", "restore", "bind", "drift"]);

function twice(keys: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return keys.find((key) => seen.size === seen.add(key).size);
}

/** Whether a change starts from what the state has. */
export function startsFrom(change: Change, { keys, followUps }: StateView): boolean {
  const before = keys.get("movedFrom" in change ? (change.movedFrom ?? change.key) : change.key);
  if ("after" in change) {
    const { payload, digest } = change.after;
    if (digest !== digestOf(payload) || change.name !== payload.name) return false;
  }
  switch (change.action) {
    case "create":
      return change.recreates === undefined
        ? before === undefined
        : isSame(change.recreates.before, keys.get(change.recreates.key));
    case "restore": {
      const expected = change.before && { current: change.before, pending: null };
      return (
        isDeepStrictEqual(expected, before) &&
        digestOf(change.followUp.record.payload) === change.after.digest &&
        isDeepStrictEqual(change.followUp, followUps.get(change.followUp.id))
      );
    }
    case "waiting":
      return change.before === null
        ? before === undefined
        : isDeepStrictEqual({ current: change.before, pending: null }, before);
    case "unknown":
      return (
        isDeepStrictEqual(change.pending, before?.pending) &&
        isDeepStrictEqual(witnessless(change.before), witnessless(before?.current ?? null))
      );
    case "replace":
    case "update":
    case "bind":
    case "delete":
    case "missing":
    case "drift":
    case "move":
    case "forget":
      return isSame(change.before, before);
  }
}

/** Whether the record is confirmed and is the one of the plan. */
function isSame(planned: Confirmed, now: KeyRecord | undefined): boolean {
  return now?.pending === null && isDeepStrictEqual(witnessless(planned), witnessless(now.current));
}

/**
 * A record without who confirmed it and when. If a list proves an id, an outcome or a change on the
 * console, the plan that showed it and the apply that records it read two lists, at two times.
 */
function witnessless(confirmed: Confirmed | null): object | null {
  if (confirmed === null) return null;
  const { settled: _, updated_at: __, identified, ...record } = confirmed;
  return { ...record, id: identified?.id };
}

function contradictionIn(plan: Plan, state: StateView): string | undefined {
  const copy = State.copyOf(state);
  // Nothing of the copy is kept, so that any time will do.
  const at = new Date(0).toISOString();
  const sending = plan.changes.filter(isSending);
  const take = (events: readonly StateEvent[]) => {
    for (const event of events) {
      copy.take({ seq: copy.serial + 1, at, run: "", by: "", event }, "");
    }
  };
  try {
    if (state.origin === null) take([begun(plan.environment, plan.address)]);
    take(eventsWithoutRequest(plan));
    const ids = new Set(idsOnRecord(copy).values());
    const wrong = sending.flatMap((change) => wrongIds(change, ids))[0];
    if (wrong !== undefined) return wrong;
    const attempt = { isFirst: true, until: at };
    take(sending.flatMap((change) => intentsOf(change, { ...attempt, content: change.after })));
    const known = plan.changes.filter((change) => !isCreating(change));
    take(known.flatMap((change) => bindsOf(change).map((one) => bindIntent(change.key, one, at))));
    take(plan.changes.filter(isDeleting).map((change) => deleteIntent(change, at)));
    return undefined;
  } catch (error) {
    if (error instanceof Contradiction) return error.message;
    throw error;
  }
}

/**
 * The menus that a change leads to and that have another id now, in words. Their records may be
 * under former keys, if the plan does not move them.
 */
function wrongIds({ key, after }: Sending, ids: ReadonlySet<string>): string[] {
  return Object.entries(after.naming.menus ?? {}).flatMap(([id, target]) =>
    ids.has(id) ? [] : `${key} leads to ${target}, whose id is not ${id} any more`,
  );
}
