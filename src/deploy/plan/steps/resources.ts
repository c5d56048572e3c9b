import type { Desired } from "../../../schema/plan.ts";
import { type Ref, isNumber, menuRef } from "../../../schema/ref.ts";
import type { Bound, Confirmed, FollowUp, Recorded } from "../../../schema/state.ts";
import { menuIdIn, menuReference } from "../../../schema/wire.ts";
import type { UnreadableRecord } from "../../service/service.ts";
import { type OpenRequest, movesWithRecord, recordRef } from "../../state/records.ts";
import {
  type StateView,
  liveRecords,
  menuRecord,
  numberRecord,
  recordsOf,
  numbersOnRecord,
  openFollowUps,
} from "../../state/view.ts";
import { type Facts, payloadFacts, isSame } from "../digest.ts";
import { type Lists, type LiveNumbers, type Observed, asInFiles } from "../observed.ts";
import { type Content, type Op, type Why, idsIn, linksIn } from "./step.ts";

/** Something on the service, with all that is known about it. */
export interface Resource {
  readonly ref: Ref;
  /** The former key, if its record moves. */
  readonly from?: Ref | undefined;
  /** What the files want. Absent if no file names it. */
  readonly desired?: Content | undefined;
  /** What the state has. Absent if there is no record. */
  readonly prior?: Prior | undefined;
  readonly observed: Observed;
  /** The old menus of the key that are still as recorded, the newest first. */
  readonly spares: readonly Spare[];
  readonly onChange?: "replace" | "refuse" | undefined;
  /** Why nothing is sent for it, whatever that would be. */
  readonly doubts: readonly Why[];
  /** Whether its file is invalid, so that nothing is known about what it shall be. */
  readonly isInvalid?: boolean;
}

interface Prior {
  /** What was confirmed last. Absent if only a first create was sent, or if a bind was never confirmed. */
  readonly facts?: Facts | undefined;
  readonly id?: string | undefined;
  /** The request whose outcome is not known. */
  readonly pending?: { readonly op: Op; readonly facts: Facts } | undefined;
}

interface Spare {
  readonly ref: Ref;
  readonly facts: Facts;
  readonly id: string | undefined;
}

/** Everything that the files, the state or the lists are about, sorted. `state` has what the lists prove. */
export function allResources(
  wanted: readonly Desired[],
  state: StateView,
  lists: Lists,
): Resource[] {
  const old = openFollowUps(state).toReversed();
  const intact = old.filter((one) => isIntact(recorded(one, lists)));
  const menus = wanted.map((menu) => wantedMenu(menu, state, lists, intact));
  const numbers = lists.numbers ? numbersOf(wanted, state, lists) : [];
  const known = new Set([...menus, ...numbers].flatMap(({ ref, from }) => [ref, from ?? ref]));
  const twice = new Set<Ref>(
    wanted.flatMap(({ movedFrom, key }) =>
      movedFrom !== undefined && menuRecord(state, key) ? menuRef(movedFrom) : [],
    ),
  );
  const others = [...state.records].flatMap(([ref, record]): Resource[] => {
    if (known.has(ref) || isNumber(ref)) return [];
    const doubts = twice.has(ref) ? (["twice"] as const) : [];
    return [{ ref, ...recorded(record, lists), spares: [], doubts }];
  });
  return [...menus, ...others, ...numbers].sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

function wantedMenu(
  menu: Desired,
  state: StateView,
  lists: Lists,
  old: readonly FollowUp[],
): Resource {
  const { key, content, movedFrom, onChange } = menu;
  const [own, former] = [menuRecord(state, key), menuRecord(state, movedFrom ?? key)];
  const isTwice = movedFrom !== undefined && own !== undefined && former !== undefined;
  const isMoved = own === undefined && former !== undefined;
  const spares = old.filter(
    (one) => one.key === key || (isMoved && one.key === former.key && movesWithRecord(one)),
  );
  return {
    ref: menuRef(key),
    from: isMoved ? menuRef(former.key) : undefined,
    desired: content && { facts: payloadFacts(content.payload), menu: content },
    ...recorded(own ?? former, lists),
    spares: spares.map((one) => ({
      ref: recordRef(one),
      facts: factsOf(one.current),
      id: one.current.identified?.id,
    })),
    onChange,
    doubts: [isTwice ? ("twice" as const) : [], menu.isBlocked ? ("blocked" as const) : []].flat(),
    isInvalid: content === undefined,
  };
}

/** What the state and the lists say about something on record. */
function recorded(
  record: Recorded | undefined,
  lists: Lists,
): Pick<Resource, "prior" | "observed"> {
  if (record === undefined) return { prior: undefined, observed: { kind: "unread" } };
  const { current, pending } = record;
  return {
    prior: {
      facts: current === null ? undefined : factsOf(current),
      id: current && "identified" in current ? current.identified?.id : undefined,
      pending: pending ? { op: opOf(pending), facts: factsOf(pending) } : undefined,
    },
    observed:
      record.kind === "number"
        ? observeNumber(record.number, lists)
        : record.current === null
          ? { kind: "unread" }
          : observe(record.current, lists),
  };
}

function factsOf(content: Confirmed | Bound | OpenRequest): Facts {
  if ("payload" in content) return payloadFacts(content.payload);
  return leadingTo("after" in content ? content.after : (content.to.at(-1) ?? ""));
}

function opOf({ action }: OpenRequest): Op {
  if (action === "replace") return "create";
  return action === "bind" ? "update" : action;
}

function observe({ identified, payload }: Confirmed, { menus }: Lists): Observed {
  if (menus === undefined) return { kind: "unread" };
  if (identified === undefined) return { kind: "unreadable" };
  return menus.see(identified.id, payload);
}

/** Whether an old menu still is as it was recorded, as far as the service shows it. */
function isIntact({ prior, observed }: Pick<Resource, "prior" | "observed">): boolean {
  if (prior?.facts === undefined || prior.pending) return false;
  return observed.kind === "seen"
    ? isSame(prior.facts, observed.facts)
    : observed.kind === "unread" || prior.id === undefined;
}

// ---- Phone numbers ----

function numbersOf(wanted: readonly Desired[], state: StateView, lists: Lists): Resource[] {
  const keyOf = new Map(
    wanted.flatMap(({ key, content }) =>
      (content?.naming.numbers ?? []).map((number) => [number, key] as const),
    ),
  );
  const isOurs = ownDestinations(state, lists);
  return [...new Set([...keyOf.keys(), ...numbersOnRecord(state)])].map((number): Resource => {
    const key = keyOf.get(number);
    const observed = observeNumber(number, lists);
    const destination = observed.kind === "seen" ? (observed.facts["destination"] ?? "") : "";
    const isForeign = key !== undefined && !isOurs(key, number, destination);
    return {
      ref: `number:${number}`,
      desired: key === undefined ? undefined : { facts: leadingTo(menuReference(key)) },
      prior: recorded(numberRecord(state, number), lists).prior,
      observed,
      spares: [],
      doubts: isForeign ? ["foreign"] : [],
    };
  });
}

function leadingTo(destination: string): Facts {
  return { destination };
}

function observeNumber(number: string, { numbers }: Lists): Observed {
  const [found, ...others] = numbers?.find(number) ?? [];
  if (found === undefined) return { kind: "absent" };
  if (others.length > 0) return { kind: "unreadable" };
  const facts = leadingTo(found.destination ?? "");
  return { kind: "seen", facts, id: found.id, webhooks: [] };
}

/**
 * Says whether a number may be taken from what it points to: from nothing, from a menu on record, and
 * from a menu that is gone, if ivrctl bound the number to it or the key had the number before. A list
 * that may be cut off proves nothing about menus that are gone.
 */
function ownDestinations(
  state: StateView,
  { menus }: Lists,
): (key: string, number: string, destination: string) => boolean {
  const onRecord = new Set(
    liveRecords(state).flatMap(({ current }) => current.identified?.id ?? []),
  );
  const isComplete =
    menus !== undefined && !menus.isUncertain && [...onRecord].every((id) => menus.has(id));
  return (key, number, destination) => {
    const id = menuIdIn(destination);
    if (destination === "" || (id !== undefined && onRecord.has(id))) return true;
    if (id === undefined || !isComplete || menus.has(id)) return false;
    const had = menuRecord(state, key)?.current?.naming.numbers ?? [];
    const bound = numberRecord(state, number)?.current?.to ?? [];
    return had.includes(number) || bound.includes(destination);
  };
}

// ---- What links to menus ----

/** Something that sends callers to the menu with this id, or that may do so. */
export interface Link {
  /** A `Ref`, `id:7` for a menu that is not on record, or `list` for a record that cannot be read. */
  readonly from: string;
  /** Undefined if it may be any menu. */
  readonly to: string | undefined;
  /**
   * `listed` and `recorded` point there now. `lagging` was bound to it, although the list does not show
   * that. `planned` does so after the plan, and `unknown` when a request arrives.
   */
  readonly kind: "listed" | "recorded" | "lagging" | "planned" | "unknown";
  /** A menu or a record of the list in words: `menu “Front desk” (id 7926)`. */
  readonly words?: string;
}

/** Whether something points to a menu now, so that a plan can redirect it. */
export function isNow({ kind }: Link): boolean {
  return kind !== "planned" && kind !== "unknown";
}

/** Everything that links to menus: by the lists, on record, by requests with an unknown outcome, and by the files. */
export function inboundLinks(
  resources: readonly Resource[],
  state: StateView,
  { menus, numbers }: Lists,
): Link[] {
  const idOf = new Map(resources.map(({ ref, prior }) => [ref, prior?.id]));
  const refOf = new Map(
    resources.flatMap(({ ref, prior }) => (prior?.id ? [[prior.id, ref]] : [])),
  );
  const ends = (facts: Facts | undefined) =>
    facts === undefined
      ? []
      : [...idsIn(facts), ...linksIn(facts).flatMap((to) => idOf.get(to) ?? [])];
  const links = (
    from: string,
    ids: readonly string[],
    kind: Link["kind"],
    words?: string,
  ): Link[] => ids.map((to) => ({ from, to, kind, ...(words !== undefined && { words }) }));
  return [
    ...(menus?.menus ?? []).flatMap((menu) => {
      const from = refOf.get(menu.id) ?? `id:${menu.id}`;
      const ids = (menus?.linksOf(menu) ?? []).map(({ id }) => id);
      return links(from, ids, "listed", menuWords(menu.name, menu.id));
    }),
    ...(numbers?.numbers ?? []).flatMap((one) => {
      const to = menus?.menuIn(one.destination ?? "");
      return links(`number:${asInFiles(one)}`, to === undefined ? [] : [to], "listed");
    }),
    ...(menus?.unreadable ?? []).map((record) => unreadable(record, "menus")),
    ...(numbers?.unreadable ?? []).map((record) => unreadable(record, "phone numbers")),
    ...resources.flatMap(({ ref, prior, desired }) => {
      const { id, facts, pending } = prior ?? {};
      const words = id === undefined ? undefined : menuWords(facts?.["name"] ?? "", id);
      return [
        // A list can lag behind a change that ivrctl made.
        ...links(ref, isNumber(ref) ? [] : ends(facts), "recorded", words),
        ...links(ref, ends(pending?.facts), "unknown"),
        ...links(ref, ends(desired?.facts), "planned", words),
      ];
    }),
    ...laggingNumbers(state, numbers),
  ];
}

function menuWords(name: string, id: string): string {
  return `menu “${name}” (id ${id})`;
}

/** A record that ivrctl does not understand may link to any menu. */
function unreadable({ id, name, problem }: UnreadableRecord, list: string): Link {
  const which = name === null ? `record ${id ?? "without an id"}` : `“${name}”`;
  const words = `perhaps ${which} in the list of ${list}, which ivrctl does not understand (${problem})`;
  return { from: "list", to: undefined, kind: "listed", words };
}

/**
 * The menus that numbers were bound to, although the list does not show that. A list that shows
 * something new is not one from before the bind.
 */
function laggingNumbers(state: StateView, numbers: LiveNumbers | undefined): Link[] {
  return recordsOf(state, "number").flatMap(({ number, current }): Link[] => {
    if (current === null) return [];
    const { id, to, former } = current;
    const shown = numbers?.withId(id)?.destination;
    if (shown === undefined || ![...to, ...former].includes(shown)) return [];
    return to.flatMap((destination) =>
      destination === shown
        ? []
        : { from: `number:${number}`, to: menuIdIn(destination), kind: "lagging" },
    );
  });
}
