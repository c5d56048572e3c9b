import { bindOutcomes } from "./live-numbers.ts";
import {
  idsOfRecords,
  idsOnRecord,
  idOnRecord,
  type LiveRecord,
  liveRecords,
  menuRecord,
} from "../state/view.ts";
import { referencesIn, type Menu, withIds } from "../../model/menu.ts";
import type { Agents } from "../../project/agent-list.ts";
import { orderMenus } from "../../compile/flow.ts";
import type { RecordedOutcome, Pending, StateEvent } from "../../schema/state.ts";
import { followUpIn, menuRef } from "../../schema/ref.ts";
import { clockTime } from "../../util/time.ts";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import { lostRecord, needsId, outcomeEvent } from "../state/records.ts";
import { State, type StateView } from "../state/state.ts";
import { recordingEvents } from "./live-recordings.ts";
import type { LiveMenus } from "./live-menus.ts";
import type { Lists } from "./read-account.ts";
import { reachedOn } from "./names.ts";
import type { Desired } from "../../schema/saved-plan.ts";

/** What lists prove about a state. */
interface Reconciled {
  /** The ids and outcomes that the lists prove. */
  readonly events: readonly StateEvent[];
  /** The state after these events, which are not recorded yet. It has the serial and head of the recorded one. */
  readonly state: StateView;
}

/**
 * Returns what the lists prove: the ids of recorded menus, unknown outcomes and, in a recovered state, the
 * menus of the files. What is not proved stays as it is. A menu that is not listed proves nothing, because a
 * list can lag behind.
 */
export function reconcile(
  state: StateView,
  { menus, numbers, recordings }: Lists,
  agents?: Agents,
  files: readonly Desired[] = [],
): Reconciled {
  if (menus === undefined) return { events: [], state };
  const reached = numbers && reachedOn(state, menus, agents);
  const events = [
    ...menuEvents(state, menus),
    ...(reached ? bindOutcomes(state, numbers, reached) : []),
    ...(recordings ? recordingEvents(state, recordings, files) : []),
  ];
  const withOutcomes = stateAfter(state, events, menus.at);
  const matched = foundMenus(files, withOutcomes, menus);
  return { events: [...events, ...matched], state: stateAfter(withOutcomes, matched, menus.at) };
}

/** In a recovered state, the menus of the files that the list has once, with their names and content. */
function foundMenus(
  files: readonly Desired[],
  state: StateView,
  live: LiveMenus,
): readonly StateEvent[] {
  const open = unresolved(files, state);
  if (open.length === 0 || live.isUncertain) return [];
  const ids = new Map(idsOnRecord(state));
  const taken = idsOfRecords(liveRecords(state));
  const byKey = new Map(open.map((menu) => [menu.key, menu]));
  const links = new Map(
    open.map(({ key, content }) => [key, content ? referencesIn(content) : []]),
  );
  const events: StateEvent[] = [];
  // A menu comes after those that it links to, whose ids have to be known.
  for (const key of orderMenus(byKey.keys(), links).order) {
    const content = byKey.get(key)?.content;
    const menu = content && withIds(content, (to) => ids.get(to));
    if (menu === undefined || referencesIn(menu).length > 0) continue;
    const same = live.named(menu.name).filter((id) => !taken.has(id) && live.isSame(id, menu));
    const [id, ...others] = same;
    if (id === undefined || others.length > 0) continue;
    const evidence = `menu ${id} is the only one with this name and content (${describeList(live)})`;
    events.push({ kind: "adopted", key, menu, evidence }, identified(key, null, id, live));
    ids.set(key, id);
    taken.add(id);
  }
  const isComplete = open.every(({ key }) => ids.has(key));
  return isComplete ? [...events, { kind: "completed" }] : events;
}

function menuEvents(state: StateView, live: LiveMenus): StateEvent[] {
  const records = liveRecords(state);
  const claimed = idsOfRecords(records);
  // The name alone proves nothing: a list that lags behind may have another menu with this name.
  const idOf = (menu: Menu, listed: readonly string[] = []) => {
    const [id, ...others] = live
      .named(menu.name)
      .filter((one) => !claimed.has(one) && !listed.includes(one) && live.isSame(one, menu));
    return others.length > 0 || live.isUncertain ? undefined : id;
  };
  const proved: { readonly id?: string; readonly events: readonly StateEvent[] }[] = [];
  for (const [ref, { pending }] of state.records) {
    if (!pending || !("menu" in pending)) continue;
    if (needsId(pending)) {
      const event = listedOutcome(idOnRecord(state, ref), pending, live, records);
      if (event) proved.push({ events: [event] });
      continue;
    }
    const id = pending.listed && idOf(pending.menu, pending.listed);
    if (id === undefined) continue;
    const evidence = `menu ${id} is the only one with this name and content that was not there before (${describeList(live)})`;
    const created = outcomeEvent(pending, { how: "list", as: "done", evidence });
    proved.push({ id, events: [created, identified(pending.key, null, id, live)] });
  }
  for (const { ref, key, current } of records) {
    const id = current.identified ? undefined : idOf(current.menu, current.listed);
    if (id !== undefined) proved.push({ id, events: [identified(key, followUpIn(ref), id, live)] });
  }
  // An id that fits two records proves nothing about either of them.
  const claims = groupBy(proved, ({ id }) => id);
  return proved
    .filter(({ id }) => id === undefined || claims.get(id)?.length === 1)
    .flatMap(({ events }) => events);
}

/**
 * The outcome of an update or a delete. An update is repeatable, so other content than the new one only
 * means that the next plan offers it again. A menu that is not listed any more was deleted, unless the list
 * lacks other recorded menus too: a list that is cut off looks like that. If it is listed with other
 * content, a person has to look.
 */
function listedOutcome(
  id: string | undefined,
  pending: Pending,
  live: LiveMenus,
  records: readonly LiveRecord[],
): RecordedOutcome | undefined {
  const { action, menu } = pending;
  const seen = id === undefined ? undefined : live.see(id, menu);
  const isSame = id !== undefined && live.isSame(id, menu);
  const prove = (as: "done" | "not-done", what: string) =>
    outcomeEvent(pending, { how: "list", as, evidence: `menu ${id} ${what}` });
  const list = describeList(live);
  if (action === "update" && seen?.kind === "seen") {
    return isSame
      ? prove("done", `has the new content (${list})`)
      : prove("not-done", `did not have the new content at ${clockTime(live.at)}`);
  }
  if (action !== "delete") return undefined;
  if (seen?.kind === "absent" && !lacksOthers(records, live)) {
    return prove("done", `is not among ${list}`);
  }
  return isSame ? prove("not-done", `was still listed at ${clockTime(live.at)}`) : undefined;
}

/** Whether the service does not list recorded menus that it was not asked to delete. */
function lacksOthers(records: readonly LiveRecord[], live: LiveMenus): boolean {
  return records.some(
    ({ current: { identified }, pending }) =>
      pending?.action !== "delete" && identified !== undefined && live.isAbsent(identified.id),
  );
}

/** The state after events that are not recorded yet, which a list of this time shows. */
export function stateAfter(
  state: StateView,
  events: readonly StateEvent[],
  at: string | undefined,
): StateView {
  if (events.length === 0 || at === undefined) return state;
  const copy = new State(state);
  for (const event of events) {
    copy.take({ seq: copy.serial + 1, at, run: "", by: "", event }, "");
  }
  const { origin, serial, head } = state;
  const after: StateView = copy;
  return { ...after, origin, serial, head };
}

/** The event that a list shows the id of a recorded menu. */
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
    evidence: describeList(live),
  };
}

/** The list as evidence: `212 menus listed at 18:05:00 UTC`. */
export function describeList({ count, at }: Pick<LiveMenus, "count" | "at">): string {
  return `${many(count, "menu")} listed at ${clockTime(at)}`;
}

type Named = Pick<Desired, "key" | "movedFrom">;

/** In a recovered state, the menus that have no record and of which nobody has said that they are absent. */
export function unresolved<M extends Named>(menus: readonly M[], state: StateView): M[] {
  if (state.origin?.recovered === undefined) return [];
  return menus.filter(
    ({ key, movedFrom = key }) =>
      !state.absent.has(key) && !menuRecord(state, key) && !menuRecord(state, movedFrom),
  );
}

/** Returns a recovered state in which the outcome of every menu without a record is unknown. */
export function withUnknown(
  state: StateView,
  menus: readonly Pick<Desired, "key" | "movedFrom" | "content">[],
): StateView {
  const { recovered: at = "" } = state.origin ?? {};
  const records = new Map(state.records);
  for (const { key, content } of unresolved(menus, state)) {
    if (content === undefined) continue;
    const seen = { status: null, message: lostRecord };
    // There is no intent, so no outcome can be recorded: a person resolves it.
    const request = { intent: 0, key, action: "create", sent_at: at, until: at, seen } as const;
    const pending = { menu: content, ...request };
    records.set(menuRef(key), { kind: "menu", key, current: null, pending });
  }
  return { ...state, records };
}
