import type { Destination, Menu } from "../../model/menu.ts";
import type { Agents } from "../../project/agent-list.ts";
import {
  type Facts,
  endsRecorded,
  endsToday,
  instanceOf,
  menuTarget,
  unknownEnd,
} from "../../reach/instance.ts";
import type { Instance, InstanceId, Target, Worlds } from "../../reach/world.ts";
import { type Ref, menuRef, nameIn } from "../../schema/ref.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { asInFiles } from "../listed/live-numbers.ts";
import { namesFor } from "../listed/names.ts";
import type { Lists } from "../listed/read-account.ts";
import { movesWithRecord } from "../state/records.ts";
import {
  type LiveRecord,
  type StateView,
  liveRecords,
  numberRecord,
  numbersOnRecord,
  idsOfRecords,
} from "../state/view.ts";
import type { Step } from "./steps/step.ts";

export interface WorldSources {
  readonly state: StateView;
  /** Without a list, what is recorded counts. */
  readonly lists: Lists;
  readonly agents: Agents | undefined;
  readonly desired: readonly Desired[];
  readonly steps: readonly Step[];
  /** What this run has changed after the lists were read. */
  readonly fresh?: ReadonlySet<Ref>;
}

type TargetFinder = (
  to: Destination,
  end: (to: Exclude<Destination, { kind: "menu" }>) => Target,
  byKey: (key: string) => Target,
) => Target;

export interface RecordedWorlds extends Pick<Worlds, "applied" | "now"> {
  /** With the keys that menus have when they have moved. */
  readonly records: readonly LiveRecord[];
  readonly target: TargetFinder;
  readonly today: ReturnType<typeof endsToday>;
}

/** What is recorded, and what the service lists now. */
export function recordedIn(sources: WorldSources): RecordedWorlds {
  const { state, lists, agents } = sources;
  const records = movedRecords(sources);
  const all = records.map(({ ref }) => ref);
  const [today, then] = [endsToday(agents), endsRecorded(agents)];
  const strangers = strangersIn(sources, records);
  const toId = menuFinder(sources, records, strangers);
  const target: TargetFinder = (to, end, byKey) => {
    if (to.kind !== "menu") return end(to);
    return to.id === undefined ? byKey(to.key ?? "") : toId(to.id);
  };
  const recordedAt = (key: string) => menuTarget(menuRef(key));
  const nowAt = (to: Destination) => target(to, today, recordedAt);
  const thenAt = (to: Destination) => target(to, then, recordedAt);

  const menusApplied = new Map<InstanceId, Instance>();
  const menusNow = new Map<InstanceId, Instance>();
  for (const [id, menu] of strangers) {
    const instance = instanceOf(nameIn(id), menu, nowAt, { id: nameIn(id) });
    menusApplied.set(id, instance);
    menusNow.set(id, instance);
  }
  const contentNow = contentsNow(sources);
  for (const record of records) {
    const { ref, key, current } = record;
    const { identified, created_at: createdAt } = current;
    const facts: Facts = { createdAt, ...(identified && { id: identified.id }) };
    menusApplied.set(ref, instanceOf(key, current.menu, thenAt, facts));
    const listed = contentNow(record);
    if (listed) menusNow.set(ref, instanceOf(key, listed, nowAt, facts));
  }

  const pointed = pointedTo(records, sources);
  const entriesNow = new Map<string, Target>();
  const entriesApplied = new Map<string, Target>();
  for (const number of numbersIn(sources)) {
    const to = numberRecord(state, number)?.current?.to ?? [];
    const recorded = to.map(thenAt);
    const listed = sources.fresh?.has(`number:${number}`) ? undefined : lists.numbers?.find(number);
    const [phone, ...others] = listed ?? [];
    const isListed = phone !== undefined && others.length === 0;
    // A list that lacks a number, or has it twice, may lack other things, too.
    const unclear = { ...unknownEnd("nothing that is known"), maybe: all };
    const seen = isListed
      ? phone.destination === null
        ? nothing
        : nowAt(phone.destination)
      : listed !== undefined
        ? unclear
        : to.length > 1
          ? unclear
          : (to.map(nowAt)[0] ?? pointed(number));
    entriesNow.set(number, seen);
    // A request with an unknown outcome may have bound it to any of these.
    const isOneOfThem = to.length > 1 && recorded.some((was) => isSame(was, seen));
    entriesApplied.set(number, isOneOfThem ? seen : (recorded.at(-1) ?? seen));
  }
  const ids = idsOfRecords(records);
  const isAny = ({ id }: { id: string | null }) => id === null || ids.has(id);
  if (lists.numbers?.unreadable.length || lists.menus?.unreadable.some(isAny)) {
    entriesNow.set("unreadable", { ...unknownEnd("nothing that is known"), maybe: all });
  }
  return {
    records,
    target,
    today,
    applied: { entries: entriesApplied, menus: menusApplied },
    now: { entries: entriesNow, menus: menusNow },
  };
}

/** The records with the keys that they have after apply, so that a menu that moves stays the same menu. */
function movedRecords({ state, steps }: WorldSources): LiveRecord[] {
  const moves = new Map(
    steps.flatMap(({ op, ref, from }) =>
      op === "move" && from ? [[nameIn(from), nameIn(ref)] as const] : [],
    ),
  );
  return liveRecords(state).map((record) => {
    const key = moves.get(record.key);
    const followUp = state.records.get(record.ref);
    const stays = followUp?.kind === "old" && !movesWithRecord(followUp);
    return key === undefined || stays ? record : Object.assign({}, record, { key });
  });
}

/** Finds the menu with an id. Without a list, an unknown id may be that of any menu whose id is not recorded. */
function menuFinder(
  { lists: { menus } }: WorldSources,
  records: readonly LiveRecord[],
  strangers: ReadonlyMap<InstanceId, Menu>,
): (id: string) => Target {
  const byId = new Map(
    records.flatMap(({ ref, current: { identified } }) =>
      identified ? [[identified.id, ref] as const] : [],
    ),
  );
  const all = records.map(({ ref }) => ref);
  const unidentified = records.flatMap(({ ref, current }) => (current.identified ? [] : ref));
  return (id) => {
    const ref = byId.get(id) ?? `id:${id}`;
    if (byId.has(id) || strangers.has(ref) || menus?.isAbsent(id)) return menuTarget(ref);
    // A menu that the list has, and that ivrctl cannot read, may link to any other.
    return { ...unknownEnd(`menu ${id}`), maybe: menus ? all : unidentified };
  };
}

/** The listed menus that are not recorded. What a list does not show of them is as in a different menu. */
function strangersIn(
  { state, lists: { menus }, agents, desired }: WorldSources,
  records: readonly LiveRecord[],
): ReadonlyMap<InstanceId, Menu> {
  const template = records[0]?.current.menu ?? desired.find(({ content }) => content)?.content;
  if (menus === undefined || template === undefined) return new Map();
  const recorded = idsOfRecords(records);
  const names = namesFor(state, agents);
  const read = menus.menus.flatMap(({ id }): [InstanceId, Menu][] => {
    const seen = recorded.has(id) ? undefined : menus.see(id, template, names);
    return seen?.kind === "seen" && "menu" in seen.content ? [[`id:${id}`, seen.content.menu]] : [];
  });
  return new Map(read);
}

/** What a recorded menu is now. Undefined if the service does not list it any more. */
function contentsNow({ lists: { menus }, state, agents, fresh }: WorldSources) {
  const names = namesFor(state, agents);
  return ({ ref, current }: LiveRecord): Menu | undefined => {
    const id = fresh?.has(ref) ? undefined : current.identified?.id;
    const seen = id === undefined ? undefined : menus?.see(id, current.menu, names);
    if (seen?.kind === "absent") return undefined;
    return seen?.kind === "seen" && "menu" in seen.content ? seen.content.menu : current.menu;
  };
}

function numbersIn({ desired, state, lists }: WorldSources): ReadonlySet<string> {
  return new Set([
    ...desired.flatMap(({ content }) => content?.numbers ?? []),
    ...numbersOnRecord(state),
    // A file can list other numbers since a person pointed these.
    ...liveRecords(state).flatMap(({ current }) => current.pointed ?? []),
    ...(lists.numbers?.numbers ?? []).map(asInFiles),
  ]);
}

/**
 * The menu that a number points to, if the service cannot list numbers: the one that a person pointed it to,
 * else the oldest that had it before a person had to. Otherwise, it may be any menu that has it, or any old
 * menu of the key whose file has it now.
 */
function pointedTo(
  records: readonly LiveRecord[],
  { desired }: WorldSources,
): (number: string) => Target {
  const [pointed, having] = [new Map<string, Ref>(), new Map<string, Ref>()];
  const named = new Map<string, Ref[]>();
  for (const { ref, current } of records.toSorted(byAge)) {
    const { numbers = [] } = current.menu;
    for (const number of current.pointed ?? []) pointed.set(number, ref);
    for (const number of numbers) {
      if (current.pointed === undefined && !having.has(number)) having.set(number, ref);
      named.set(number, [...(named.get(number) ?? []), ref]);
    }
  }
  const keyOf = new Map(
    desired.flatMap(({ key, content }) =>
      (content?.numbers ?? []).map((number) => [number, key] as const),
    ),
  );
  const oldOf = oldByKey(records);
  return (number) => {
    const ref = pointed.get(number) ?? having.get(number);
    if (ref) return menuTarget(ref);
    const old = oldOf.get(keyOf.get(number) ?? "") ?? [];
    const maybe = [...(named.get(number) ?? []), ...old];
    return { ...unknownEnd("nothing that is recorded"), maybe };
  };
}

function oldByKey(records: readonly LiveRecord[]): ReadonlyMap<string, readonly Ref[]> {
  const byKey = new Map<string, Ref[]>();
  for (const { ref, key } of records) {
    if (ref === menuRef(key)) continue;
    const refs = byKey.get(key);
    if (refs) refs.push(ref);
    else byKey.set(key, [ref]);
  }
  return byKey;
}

export function byAge(a: LiveRecord, b: LiveRecord): number {
  return a.current.created_at < b.current.created_at ? -1 : 1;
}

const nothing: Target = { kind: "end", is: "nothing", words: "nothing", answers: "no" };

function isSame(a: Target, b: Target): boolean {
  return a.kind === "menu" ? b.kind === "menu" && a.id === b.id : b.kind === "end" && a.is === b.is;
}
