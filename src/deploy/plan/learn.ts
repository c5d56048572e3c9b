import type { Agents } from "../../compile/agents.ts";
import type { Confirmed, Pending, StateEvent } from "../../schema/state.ts";
import { clockTime } from "../../util/time.ts";
import { many } from "../../util/many.ts";
import { needsId } from "../state/records.ts";
import { State, type StateView, liveRecords } from "../state/state.ts";
import type { LiveMenus } from "./live.ts";
import type { LiveNumbers } from "./live-numbers.ts";
import { Reachable } from "./reachable.ts";

/** What a list proves about the state. */
export interface Lesson {
  /** The ids and outcomes that the list proves. */
  readonly events: readonly StateEvent[];
}

/** The phone numbers of the service, and the agents that they may lead to. */
interface ListedNumbers {
  readonly numbers: LiveNumbers;
  readonly agents?: Agents | undefined;
}

/**
 * Returns what the lists prove: the ids of menus on record, and unknown outcomes. What is not
 * proved stays as it is. A menu that is not listed proves nothing, because a list can lag behind.
 */
export function learn(state: StateView, live: LiveMenus, listed?: ListedNumbers): Lesson {
  const records = liveRecords(state);
  const claimed = new Set(records.flatMap(({ record }) => record.identified?.id ?? []));
  const free = (name: string, listed: readonly string[] = []) =>
    live.named(name).filter((id) => !claimed.has(id) && !listed.includes(id));
  const found: Found[] = [];
  for (const [key, { current, pending }] of state.keys) {
    if (pending === null) continue;
    if (needsId(pending)) {
      const id = current?.identified?.id;
      const outcomeOf = pending.action === "delete" ? deleteOutcome : updateOutcome;
      const event = id === undefined ? undefined : outcomeOf(key, id, pending, live, state);
      if (event !== undefined) found.push({ event });
      continue;
    }
    const { listed } = pending;
    const id = idOf(pending, free(pending.payload.name, listed), live);
    if (listed === undefined || id === undefined) continue;
    found.push({
      id,
      event: {
        kind: "resolved",
        key,
        as: "created",
        evidence: `menu ${id} is the only one with this name and content that was not there before (${among(live)})`,
      },
      identified: identified(key, null, id, live),
    });
  }
  for (const { id, key, record, pending } of state.followUps.values()) {
    const own = record.identified?.id;
    if (pending === undefined || own === undefined) continue;
    const event = deleteOutcome(key, own, pending, live, state);
    if (event !== undefined) found.push({ event: { ...event, follow_up: id } });
  }
  for (const { key, followUp, record } of records) {
    if (record.identified !== undefined) continue;
    const id = idOf(record, free(record.payload.name, record.listed), live);
    if (id !== undefined) found.push({ id, event: identified(key, followUp, id, live) });
  }
  const claims = new Map<string, number>();
  for (const { id } of found) if (id !== undefined) claims.set(id, (claims.get(id) ?? 0) + 1);
  return {
    // An id that fits two records proves nothing about either of them.
    events: [
      ...found
        .filter(({ id }) => id === undefined || claims.get(id) === 1)
        .flatMap(({ event, identified: more }) => (more === undefined ? event : [event, more])),
      ...(listed === undefined
        ? []
        : bindOutcomes(state, listed.numbers, new Reachable(state, live, listed.agents))),
    ],
  };
}

/** A bind is repeatable, so another destination only means that the next plan shows the number again. */
export function bindOutcomes(
  { binds }: StateView,
  numbers: LiveNumbers,
  reachable: Reachable,
): StateEvent[] {
  return [...binds.values()].flatMap(({ key, number, id, after }): StateEvent[] => {
    const found = numbers.withId(id);
    if (found === undefined) return [];
    const { destination } = found;
    const listed = `${many(numbers.count, "phone number")} listed at ${clockTime(numbers.at)}`;
    return [
      {
        kind: "bind-resolved",
        key,
        number,
        as: destination === after ? "bound" : "not-bound",
        how: "list",
        evidence: `it leads to ${reachable.words(destination)}; ${listed}`,
      },
    ];
  });
}

/**
 * The state after events that are not recorded yet, which a list of this time shows. It has the
 * serial and head of the recorded one.
 */
export function stateAfter(
  state: StateView,
  events: readonly StateEvent[],
  at: string | undefined,
): StateView {
  if (events.length === 0 || at === undefined) return state;
  const copy = State.copyOf(state);
  for (const event of events) {
    copy.take({ seq: copy.serial + 1, at, run: "", by: "", event }, "");
  }
  const { origin, serial, head } = state;
  const { keys, followUps, binds, bound } = copy;
  return { origin, serial, head, keys, followUps, binds, bound };
}

interface Found {
  /** The id that the event gives to a record. */
  readonly id?: string;
  readonly event: StateEvent;
  readonly identified?: StateEvent;
}

/**
 * The only one of these menus with the content of the record. The name alone proves nothing: a list
 * that lags behind may have another menu with this name, and lack the one of the record.
 */
function idOf(
  { payload }: Pick<Confirmed, "payload">,
  named: readonly string[],
  live: LiveMenus,
): string | undefined {
  const [id, ...others] = named.filter((one) => live.isSame(one, payload));
  return others.length > 0 || live.isUncertain ? undefined : id;
}

/** An update is repeatable, so other content than the new one only means that the next plan offers it again. */
function updateOutcome(
  key: string,
  id: string,
  { payload }: Pending,
  live: LiveMenus,
): StateEvent | undefined {
  const seen = live.see(id, payload);
  if (seen.kind !== "listed") return undefined;
  const isDone = seen.drift.length === 0;
  return {
    kind: "resolved",
    key,
    as: isDone ? "updated" : "not-updated",
    evidence: `menu ${id} has ${isDone ? "the new content" : "other content"} (${among(live)})`,
  };
}

/**
 * A menu that is not listed any more was deleted, unless the list lacks other menus on record too: a
 * list that is cut off looks like that. If it is listed with other content, a person has to look.
 */
function deleteOutcome(
  key: string,
  id: string,
  { payload }: Pending,
  live: LiveMenus,
  state: StateView,
): Resolved | undefined {
  const seen = live.see(id, payload);
  const resolved = (as: "deleted" | "not-deleted", evidence: string): Resolved => ({
    kind: "resolved",
    key,
    as,
    evidence,
  });
  if (seen.kind === "missing" && !lacksOthers(state, live)) {
    return resolved("deleted", `menu ${id} is not among ${among(live)}`);
  }
  return seen.kind === "listed" && seen.drift.length === 0
    ? resolved("not-deleted", `menu ${id} is still there (${among(live)})`)
    : undefined;
}

type Resolved = Extract<StateEvent, { kind: "resolved" }>;

/** Whether the service does not list menus on record that it was not asked to delete. */
function lacksOthers({ keys, followUps }: StateView, live: LiveMenus): boolean {
  const records = [
    ...[...keys.values()].flatMap(({ current, pending }) =>
      current === null || pending?.action === "delete" ? [] : current,
    ),
    ...[...followUps.values()].flatMap(({ record, pending }) => (pending ? [] : record)),
  ];
  return records.some(
    ({ identified, payload }) =>
      identified !== undefined && live.see(identified.id, payload).kind === "missing",
  );
}

/** The event that a list shows the id of a menu on record. */
export function identified(
  key: string,
  followUp: string | null,
  id: string,
  live: LiveMenus,
): StateEvent {
  return {
    kind: "identified",
    key,
    follow_up: followUp,
    id,
    how: "list",
    evidence: among(live),
  };
}

/** The list as evidence: `212 menus listed at 18:05:00 UTC`. */
export function among({ count, at }: Pick<LiveMenus, "count" | "at">): string {
  return `${many(count, "menu")} listed at ${clockTime(at)}`;
}
