import type { Desired } from "../../../schema/plan.ts";
import { type Ref, isNumber, menuRef } from "../../../schema/ref.ts";
import type { Confirmed, FollowUp, MenuRecord, Pending } from "../../../schema/state.ts";
import { movesWithRecord, recordRef } from "../../state/records.ts";
import { type StateView, liveRecords, menuRecord, openFollowUps } from "../../state/view.ts";
import { type Facts, payloadFacts, isSame } from "../digest.ts";
import { numberLinks, numberResources } from "../numbers.ts";
import type { Lists } from "../observed.ts";
import { type Link, type Observed, type Resource, unreadableLink } from "./resource.ts";
import { type Op, idsIn, linksIn } from "./step.ts";

/** Everything that the files, the state or the lists are about, sorted. `state` has what the lists prove. */
export function allResources(
  wanted: readonly Desired[],
  state: StateView,
  lists: Lists,
): Resource[] {
  const old = openFollowUps(state).toReversed();
  const intact = old.filter((one) => isIntact(recorded(one, lists)));
  const ids = new Set(liveRecords(state).flatMap(({ current }) => current.identified?.id ?? []));
  const menus = wanted.map((menu) => ({
    ...wantedMenu(menu, state, lists, intact),
    namesakes: menu.content && lists.menus?.namesakes(menu.content.payload.name, ids),
  }));
  const numbers = lists.numbers ? numberResources(wanted, state, lists.numbers, lists.menus) : [];
  const known = new Set([...menus, ...numbers].flatMap(({ ref, from }) => [ref, from ?? ref]));
  const twice = new Set<Ref>(
    wanted.flatMap(({ movedFrom, key }) =>
      movedFrom !== undefined && menuRecord(state, key) ? menuRef(movedFrom) : [],
    ),
  );
  const others = [...state.records].flatMap(([ref, record]): Resource[] => {
    if (known.has(ref) || record.kind === "number") return [];
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
  const [current, former] = [menuRecord(state, key), menuRecord(state, movedFrom ?? key)];
  const isTwice = movedFrom !== undefined && current !== undefined && former !== undefined;
  const isMoved = current === undefined && former !== undefined;
  const spares = old.filter(
    (one) => one.key === key || (isMoved && one.key === former.key && movesWithRecord(one)),
  );
  return {
    ref: menuRef(key),
    from: isMoved ? menuRef(former.key) : undefined,
    desired: content && { facts: payloadFacts(content.payload), menu: content },
    ...recorded(current ?? former, lists),
    spares: spares.map((one) => ({
      ref: recordRef(one),
      facts: payloadFacts(one.current.payload),
      id: one.current.identified?.id,
    })),
    onChange,
    doubts: [isTwice ? ("twice" as const) : [], menu.isBlocked ? ("blocked" as const) : []].flat(),
    isInvalid: content === undefined,
  };
}

/** What the state and the lists say about a menu on record. */
function recorded(
  record: MenuRecord | FollowUp | undefined,
  lists: Lists,
): Pick<Resource, "prior" | "observed"> {
  if (record === undefined) return { prior: undefined, observed: { kind: "unread" } };
  const { current, pending } = record;
  return {
    prior: {
      facts: current === null ? undefined : payloadFacts(current.payload),
      id: current?.identified?.id,
      pending: pending ? { op: opOf(pending), facts: payloadFacts(pending.payload) } : undefined,
    },
    observed: current === null ? { kind: "unread" } : observe(current, lists),
  };
}

function opOf({ action }: Pending): Op {
  return action === "replace" ? "create" : action;
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

// ---- What links to menus ----

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
      const ids = menus?.linksOf(menu) ?? [];
      return links(from, ids, "listed", menuWords(menu.name, menu.id));
    }),
    ...(menus?.unreadable ?? []).map((record) => unreadableLink(record, "menus")),
    ...(numbers ? numberLinks(state, numbers, menus) : []),
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
  ];
}

function menuWords(name: string, id: string): string {
  return `menu “${name}” (id ${id})`;
}
