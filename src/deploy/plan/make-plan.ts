import { isDeepStrictEqual } from "node:util";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { WaitsFor } from "../../schema/plan.ts";
import type { Confirmed, FollowUp, KeyRecord, Naming, Pending } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { digestOf } from "./digest.ts";
import { movesWithRecord } from "../state/open-follow-ups.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { guardChanges } from "./guards.ts";
import {
  type Links,
  isOnCircle,
  leadersByTarget,
  linksOf,
  referencesIn,
  reportCircle,
  withIds,
  withoutLinks,
} from "./links.ts";
import type { OnService } from "./on-service.ts";
import type { Change, MenuContent, Plan, WantedMenu } from "./plan.ts";
import type { Targets } from "./targets.ts";
import { waitingForAbsent, withoutHeld } from "./waiting.ts";

interface Input {
  readonly environment: string;
  readonly address: string;
  readonly menus: readonly WantedMenu[];
  readonly state: StateView;
  readonly targets: Targets;
  /** What the service lists. Undefined if it cannot list menus. */
  readonly onService?: OnService | undefined;
}

/** Makes the plan. It depends only on the menus, the state and what the service lists. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state, targets, onService } = input;
  const planner = new Planner(input);
  const all = planner.changes(diagnostics);
  const targeted = all.filter(({ key }) => targets.has(key));
  const held = guardChanges(
    {
      environment,
      menus: menus.filter(({ key }) => targets.has(key)),
      changes: targeted,
      all,
      state,
      oldMenus: planner.oldMenus,
    },
    diagnostics,
  );
  onService?.guard(targeted, menus, diagnostics);
  const free = targeted.filter(({ key }) => !held.has(key));
  const sendable = waitingForAbsent(free, all).map((change) =>
    change.action === "waiting" ? withoutHeld(change, held) : change,
  );
  const planned = {
    menus,
    changes: onService?.withLeaders(sendable) ?? sendable,
    unchanged: planner.unchanged.filter((key) => targets.has(key)),
    order: planner.links.order,
  };
  const changes = onService?.withNumbers(planned, diagnostics) ?? planned.changes;
  onService?.guardDeletes(changes, diagnostics);
  return {
    environment,
    address,
    state: {
      lineage: state.origin?.lineage ?? null,
      serial: state.serial,
      head: state.head,
    },
    changes,
    // Only phone numbers change for some of the menus whose content is unchanged.
    unchanged: planned.unchanged.length - (changes.length - planned.changes.length),
    named: planner.named.filter(({ key }) => targets.has(key)),
    followUps: openFollowUps(state),
    ...onService?.facts,
  };
}

/** The id of the record that a menu has after the plan is applied, or why it is not known. */
type IdAfter = { readonly id: string } | { readonly because: WaitsFor["because"] };

class Planner {
  /** Keys without a change. */
  readonly unchanged: string[] = [];
  /** Unchanged records that get new names. */
  readonly named: { key: string; naming: Naming }[] = [];
  readonly links: Links;
  readonly #menus: ReadonlyMap<string, WantedMenu>;
  readonly #state: StateView;
  readonly #targets: Targets;
  readonly #onService: OnService | undefined;
  readonly #idsAfter = new Map<string, IdAfter>();
  /** Keys whose records move to another key, now or when the outcome is resolved. */
  readonly #movedKeys: ReadonlySet<string>;
  /** The open follow-ups whose menus the service still has, by their digests, the oldest first. */
  readonly oldMenus: ReadonlyMap<string, readonly FollowUp[]>;
  /** The menus that lead to each key, by their files and by their records. */
  readonly #inFiles: ReadonlyMap<string, readonly string[]>;
  readonly #onRecord: ReadonlyMap<string, readonly string[]>;

  constructor({ menus, state, targets, onService }: Input) {
    this.#onService = onService;
    this.#menus = new Map(menus.map((menu) => [menu.key, menu]));
    this.#state = state;
    this.#targets = targets;
    this.links = linksOf(menus, state.keys.keys());
    this.#movedKeys = new Set(
      menus.flatMap(({ key, movedFrom }) =>
        movedFrom === undefined || state.keys.has(key) ? [] : movedFrom,
      ),
    );
    const there = openFollowUps(state).filter((one) => onService?.stillHas(one) ?? true);
    this.oldMenus = groupBy(there, ({ record }) => digestOf(record.payload));
    this.#inFiles = leadersByTarget(this.links.targets);
    const reached = menus.map(({ key, movedFrom = "" }) => {
      const record = state.keys.get(key) ?? state.keys.get(movedFrom);
      return [key, Object.values(record?.current?.naming.menus ?? {})] as const;
    });
    this.#onRecord = leadersByTarget(reached);
  }

  /** Returns all changes, in the order of the plan. Reports menus that cannot be created in any order. */
  changes(diagnostics: Diagnostics): Change[] {
    const changes = this.links.order.flatMap((key) => {
      const menu = this.#menus.get(key);
      if (menu !== undefined) return this.#changeForMenu(menu) ?? [];
      const record = this.#state.keys.get(key);
      return (record && this.#changeWithoutFile(key, record)) ?? [];
    });
    this.#checkCircles(diagnostics);
    return changes;
  }

  #changeForMenu(menu: WantedMenu): Change | undefined {
    const change = this.#planMenu(menu);
    this.#idsAfter.set(menu.key, this.#idAfter(menu, change));
    return change;
  }

  #planMenu(menu: WantedMenu): Change | undefined {
    const { key, movedFrom } = menu;
    const own = this.#state.keys.get(key);
    const { content, waitsFor, later } = this.#resolved(menu);
    if (own?.pending) {
      const isSame = content !== undefined && isAsSent(content, own.pending);
      return this.#unknown(key, own, isSame ? "same" : "changed");
    }
    if (content === undefined) return undefined;
    const { name } = content.payload;
    const old =
      own === undefined && movedFrom !== undefined ? this.#state.keys.get(movedFrom) : undefined;
    // Nothing is sent for either key until the outcome of the old one is resolved.
    if (old?.pending) return undefined;
    const before = own?.current ?? old?.current;
    const from = old === undefined ? undefined : movedFrom;
    if (waitsFor.length > 0) {
      const about = { key, name, before: before ?? null, after: content };
      const change = { action: "waiting", ...about, movedFrom: from ?? null, waitsFor } as const;
      return this.#onService?.waiting(change) ?? change;
    }
    const change = before
      ? this.#compare(menu, before, content, from)
      : (this.#restore(key, content) ?? { action: "create", key, name, after: content });
    const first = later.length === 0 ? undefined : withoutLinks(content, later);
    return change?.action === "create" && first ? { ...change, first } : change;
  }

  /** The content of a menu with the ids of the menus that it leads to, and those it has to wait for. */
  #resolved(menu: WantedMenu): {
    readonly content: MenuContent | undefined;
    readonly waitsFor: readonly WaitsFor[];
    readonly later: readonly string[];
  } {
    const { key, content } = menu;
    if (content === undefined) return { content, waitsFor: [], later: [] };
    const ids = new Map<string, string>();
    const waitsFor: WaitsFor[] = [];
    const later = this.#addedLater(menu);
    for (const to of referencesIn(content)) {
      if (later.includes(to)) continue;
      const isBack = this.links.isBack(key, to);
      const target = isBack
        ? this.#idBefore(to)
        : (this.#idsAfter.get(to) ?? { because: "absent" });
      if ("id" in target) ids.set(to, target.id);
      else if (isBack && target.because === "absent" && !this.#keepsId(menu)) {
        waitsFor.push({ key: to, because: "circle" });
      }
      // If the service lists menus, apply learns the id before it sends this menu.
      else if (target.because !== "sent" || this.#onService === undefined)
        waitsFor.push({ key: to, because: target.because });
    }
    return { content: withIds(content, ids), waitsFor, later };
  }

  /** The links that lead back to menus which this plan creates. An update adds them when the ids are known. */
  #addedLater(menu: WantedMenu): readonly string[] {
    const { key, content } = menu;
    if (content === undefined || this.#onService?.canUpdate !== true) return [];
    const later = referencesIn(content).filter(
      (to) =>
        this.links.isBack(key, to) &&
        this.#targets.has(to) &&
        this.#menus.get(to)?.content !== undefined &&
        this.#isAbsent(to),
    );
    const canStart = this.#isAbsent(key) && withoutLinks(content, later) !== undefined;
    return canStart || this.#keepsId(menu) ? later : [];
  }

  /** Whether a menu on record is changed in place, so that those that lead to it can stay as they are. */
  #keepsId({ key, onChange }: WantedMenu): boolean {
    const isUpdated = this.#onService?.canUpdate === true && onChange !== "replace";
    return isUpdated && !this.#isAbsent(key);
  }

  /** Whether there is no menu of this key, or this plan creates it again because it is gone. */
  #isAbsent(key: string): boolean {
    const before = this.#idBefore(key);
    return "because" in before && before.because === "absent";
  }

  #idAfter(menu: WantedMenu, change: Change | undefined): IdAfter {
    const { key, content } = menu;
    if (content === undefined || !this.#targets.has(key)) return this.#idBefore(key);
    switch (change?.action) {
      case "create":
      case "replace":
        return { because: "sent" };
      case "waiting":
        return this.#keepsId(menu) ? this.#idBefore(key) : { because: "waiting" };
      case "restore":
        return idOf(change.followUp.record, "sent");
      case "move":
        return idOf(change.before, "sent");
      default:
        return this.#idBefore(key);
    }
  }

  /** The id of the record that a menu has now, also under its former key. */
  #idBefore(key: string): IdAfter {
    const { keys } = this.#state;
    const record = keys.get(key) ?? keys.get(this.#menus.get(key)?.movedFrom ?? "");
    if (record === undefined) return { because: "absent" };
    if (record.pending !== null) return { because: "unknown" };
    const isRecreated = this.#onService?.recreates(key, record.current) === true;
    return isRecreated ? { because: "absent" } : idOf(record.current);
  }

  /**
   * Reports each link that leads back to a menu which gets another id. Menus in a circle can stay
   * as they are, but none of them can change, also if the others are not targets. A menu that keeps
   * its id breaks the circle.
   */
  #checkCircles(diagnostics: Diagnostics): void {
    const menus = [...this.#menus.values()].filter((menu) => !this.#keepsId(menu));
    const open = new Map(menus.map(({ key }) => [key, this.links.targets.get(key) ?? []]));
    const changed = menus.filter(({ key }) => this.#getsOtherId(key));
    for (const menu of menus) {
      const later = this.#addedLater(menu);
      for (const to of open.get(menu.key) ?? []) {
        if (!this.links.isBack(menu.key, to) || later.includes(to)) continue;
        const isOpen = this.#targets.has(menu.key) && this.#isAbsent(to);
        if (isOpen || changed.some(({ key }) => isOnCircle(key, menu.key, to, open))) {
          const canUpdate = this.#onService?.canUpdate === true;
          reportCircle(menu, to, this.links, canUpdate, diagnostics);
        }
      }
    }
  }

  #getsOtherId(key: string): boolean {
    const before = this.#idBefore(key);
    return "id" in before && !isDeepStrictEqual(before, this.#idsAfter.get(key));
  }

  /** The change from a record to the content of the file; undefined if both are the same. */
  #compare(
    menu: WantedMenu,
    before: Confirmed,
    after: MenuContent,
    movedFrom?: string,
  ): Change | undefined {
    const { key } = menu;
    const { name } = after.payload;
    const isSame = digestOf(before.payload) === after.digest;
    const found = this.#onService?.compare(menu, before, after, isSame, movedFrom ?? null);
    if (found?.kind === "change") return found.change;
    if (isSame) {
      this.#addNewNames(key, before, after);
      if (movedFrom !== undefined) return { action: "move", key, name, before, after, movedFrom };
      if (found?.drift !== undefined) {
        return { action: "drift", key, name, id: found.id, before, drift: found.drift };
      }
      this.unchanged.push(key);
      return undefined;
    }
    const from = movedFrom === undefined ? {} : { movedFrom };
    return (
      this.#restore(key, after, { before, ...from }) ?? {
        action: "replace",
        key,
        name,
        before,
        after,
        movedFrom: movedFrom ?? null,
        ...(found?.drift && { drift: found.drift }),
        ...ledBy(this.#leadersOnRecord(key, movedFrom)),
      }
    );
  }

  /** The other menus whose records lead to the menu of this key, so that callers reach it from there. */
  #leadersOnRecord(key: string, movedFrom: string | undefined): string[] {
    const own = [key, movedFrom ?? key].flatMap((to) => this.#onRecord.get(to) ?? []);
    return [...new Set(own)].filter((by) => by !== key).sort();
  }

  /** The other menus whose files lead to the menu of this key. */
  #leadersInFiles(key: string): string[] {
    return (this.#inFiles.get(key) ?? []).filter((by) => by !== key);
  }

  /** Restores the newest open follow-up of the menu that has this content, if there is one. */
  #restore(
    key: string,
    after: MenuContent,
    newer: { readonly before?: Confirmed; readonly movedFrom?: string } = {},
  ): Change | undefined {
    const followUp = this.oldMenus
      .get(after.digest)
      ?.findLast((one) => one.key === key || (one.key === newer.movedFrom && movesWithRecord(one)));
    if (followUp === undefined) return undefined;
    this.#addNewNames(key, followUp.record, after);
    const { name } = after.payload;
    const leaders = ledBy(this.#leadersInFiles(key));
    return { action: "restore", key, name, ...newer, followUp, after, ...leaders };
  }

  #addNewNames(key: string, before: Confirmed, { naming }: MenuContent): void {
    if (!isDeepStrictEqual(before.naming, naming)) this.named.push({ key, naming });
  }

  #changeWithoutFile(key: string, record: KeyRecord): Change | undefined {
    if (record.pending !== null) return this.#unknown(key, record, "gone");
    if (this.#movedKeys.has(key)) return undefined;
    const { current: before } = record;
    return (
      this.#onService?.withoutFile(key, before) ?? {
        action: "forget",
        key,
        name: before.payload.name,
        before,
      }
    );
  }

  #unknown(
    key: string,
    { current, pending }: Extract<KeyRecord, { pending: object }>,
    file: "same" | "changed" | "gone",
  ): Change {
    const { name } = pending.payload;
    const candidates = this.#onService?.candidates.get(key);
    const looked = candidates === undefined ? {} : { candidates };
    return { action: "unknown", key, name, before: current, pending, file, ...looked };
  }
}

/** Whether a file still says what was sent, with the ids of that time, and without links that were to be added. */
function isAsSent(content: MenuContent, { payload, naming }: Pending): boolean {
  const ids = Object.entries(naming.menus ?? {}).map(([id, key]) => [key, id] as const);
  const own = withIds(content, new Map(ids));
  const later = referencesIn(own);
  const sent = later.length === 0 ? own : withoutLinks(own, later);
  return sent?.digest === digestOf(payload);
}

function idOf({ identified }: Confirmed, because: WaitsFor["because"] = "unidentified"): IdAfter {
  return identified === undefined ? { because } : { id: identified.id };
}

function ledBy(keys: readonly string[]): { readonly ledBy?: readonly string[] } {
  return keys.length === 0 ? {} : { ledBy: keys };
}
