import type { Observed, Content } from "../../listed/observed.ts";
import type { Desired } from "../../../schema/saved-plan.ts";
import { type Ref, isNumber, menuRef } from "../../../schema/ref.ts";
import type { Confirmed, FollowUp, MenuRecord, Pending } from "../../../schema/state.ts";
import { movesWithRecord, recordRef } from "../../state/records.ts";
import {
  type StateView,
  idsOfRecords,
  liveRecords,
  menuRecord,
  nameAndTime,
  openFollowUps,
} from "../../state/view.ts";
import type { Hold } from "../../reasons/hold.ts";
import { recordingResources } from "../recording-resources.ts";
import { numberLinks, numberResources } from "../number-resources.ts";
import type { Lists } from "../../listed/read-account.ts";
import { type Link, type Resource, unreadableLink } from "./resource.ts";
import { type Op, idsIn, isSame, linksIn } from "./step.ts";

/** Everything that the files, the state or the lists are about, sorted. `state` has what the lists prove. */
export function allResources(
  wanted: readonly Desired[],
  state: StateView,
  lists: Lists,
): Resource[] {
  const old = openFollowUps(state).toReversed();
  const intact = old.filter((one) => isIntact(recorded(one, lists)));
  const ids = idsOfRecords(liveRecords(state));
  const menus = wanted.map((menu) => ({
    ...wantedMenu(menu, state, lists, intact),
    namesakes: menu.content && lists.menus?.namesakes(menu.content.name, ids),
  }));
  const numbers = lists.numbers ? numberResources(wanted, state, lists.numbers, lists.menus) : [];
  const wantedRefs = new Set([...menus, ...numbers].flatMap(({ ref, from }) => [ref, from ?? ref]));
  const twice = new Set<Ref>(menus.flatMap(({ doubts }) => doubts.flatMap(movedTwice)));
  const others = [...state.records].flatMap(([ref, record]): Resource[] => {
    if (wantedRefs.has(ref) || record.kind === "number" || record.kind === "recording") return [];
    const own = recorded(record, lists);
    const doubts = twice.has(ref) ? ([{ why: "moved-twice", of: ref }] as const) : own.doubts;
    return [{ ref, ...own, spares: [], doubts }];
  });
  const made = recordingResources(wanted, state);
  return [...menus, ...others, ...numbers, ...made].sort((a, b) => (a.ref < b.ref ? -1 : 1));
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
  const recordedMenu = recorded(current ?? former, lists);
  const spares = old.filter(
    (one) => one.key === key || (isMoved && one.key === former.key && movesWithRecord(one)),
  );
  return {
    ref: menuRef(key),
    from: isMoved ? menuRef(former.key) : undefined,
    desired: content && { menu: content },
    ...recordedMenu,
    spares: spares.map((spare) => ({
      ref: recordRef(spare),
      content: { menu: spare.current.menu },
      id: spare.current.identified?.id,
    })),
    onChange,
    doubts: [
      ...(isTwice ? ([{ why: "moved-twice", of: menuRef(movedFrom) }] as const) : []),
      ...(menu.isBlocked ? ([{ why: "blocked" }] as const) : []),
      ...recordedMenu.doubts,
    ],
    isInvalid: content === undefined,
  };
}

/** What the state and the lists say about a recorded menu. */
function recorded(
  record: MenuRecord | FollowUp | undefined,
  lists: Lists,
): Pick<Resource, "prior" | "observed" | "doubts"> {
  if (record === undefined) {
    return { prior: undefined, observed: { kind: "unread" }, doubts: [] };
  }
  const { current, pending } = record;
  const observed: Observed = current === null ? { kind: "unread" } : observe(current, lists);
  const other =
    observed.kind === "seen" && "menu" in observed.content && observed.content.menu.name;
  return {
    prior: {
      content: current === null ? undefined : { menu: current.menu },
      id: current?.identified?.id,
      pending: pending ? { op: opOf(pending), content: { menu: pending.menu } } : undefined,
    },
    observed,
    doubts:
      current?.identified?.how === "person" && other !== false && other !== current.menu.name
        ? [{ why: "wrong-id", id: current.identified.id, recorded: nameAndTime(current), other }]
        : [],
  };
}

function movedTwice(hold: Hold): Ref[] {
  return hold.why === "moved-twice" ? [hold.of] : [];
}

function opOf({ action }: Pending): Op {
  return action === "replace" ? "create" : action;
}

function observe({ identified, menu }: Confirmed, { menus }: Lists): Observed {
  if (menus === undefined) return { kind: "unread" };
  if (identified === undefined) return { kind: "unreadable", candidates: menus.named(menu.name) };
  return menus.see(identified.id, menu);
}

/** Whether an old menu still is as it was recorded, as far as the service shows it. */
function isIntact({ prior, observed }: Pick<Resource, "prior" | "observed">): boolean {
  if (prior?.content === undefined || prior.pending) return false;
  return observed.kind === "seen"
    ? isSame(prior.content, observed.content)
    : observed.kind === "unread" || prior.id === undefined;
}

// ---- What links to menus ----

/** Everything that links to menus: by the lists, by the records, by requests with an unknown outcome, and by the files. */
export function inboundLinks(
  resources: readonly Resource[],
  state: StateView,
  { menus, numbers }: Lists,
): Link[] {
  const idOf = new Map(resources.map(({ ref, prior }) => [ref, prior?.id]));
  const refOf = new Map(
    resources.flatMap(({ ref, prior }) => (prior?.id ? [[prior.id, ref]] : [])),
  );
  const ends = (content: Content | undefined) =>
    content === undefined
      ? []
      : [...idsIn(content), ...linksIn(content).flatMap((to) => idOf.get(to) ?? [])];
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
      const { id, content, pending } = prior ?? {};
      const words =
        id === undefined
          ? undefined
          : menuWords(content && "menu" in content ? content.menu.name : "", id);
      return [
        // A list can lag behind a change that ivrctl made.
        ...links(ref, isNumber(ref) ? [] : ends(content), "recorded", words),
        ...links(ref, ends(pending?.content), "unknown"),
        ...links(ref, ends(desired), "planned", words),
      ];
    }),
  ];
}

function menuWords(name: string, id: string): string {
  return `menu “${name}” (id ${id})`;
}
