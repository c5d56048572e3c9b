import { isDeepStrictEqual } from "node:util";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Confirmed, FollowUp, KeyRecord, Naming } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { digestOf } from "./digest.ts";
import { type StateView, movesWithRecord, openFollowUps } from "../state/state.ts";
import { guardChanges } from "./guards.ts";
import type { Change, Drift, MenuContent, Plan, WantedMenu } from "./plan.ts";
import type { OnService } from "./on-service.ts";
import type { Targets } from "./targets.ts";

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
  const planner = new Planner(menus, state, onService);
  const all = planner.changes();
  const targeted = all.filter(({ key }) => targets.has(key));
  const waiting = guardChanges(
    {
      environment,
      menus: menus.filter(({ key }) => targets.has(key)),
      changes: targeted,
      all,
      state,
    },
    diagnostics,
  );
  onService?.guard(targeted, menus, diagnostics);
  return {
    environment,
    address,
    state: {
      lineage: state.origin?.lineage ?? null,
      serial: state.serial,
      head: state.head,
    },
    changes: targeted.filter(({ key }) => !waiting.has(key)),
    unchanged: planner.unchanged.filter((key) => targets.has(key)).length,
    named: planner.named.filter(({ key }) => targets.has(key)),
    followUps: openFollowUps(state),
    ...onService?.facts,
  };
}

class Planner {
  /** Keys without a change. */
  readonly unchanged: string[] = [];
  /** Unchanged records that get new names. */
  readonly named: { key: string; naming: Naming }[] = [];
  readonly #menus: readonly WantedMenu[];
  readonly #state: StateView;
  readonly #onService: OnService | undefined;
  readonly #keysWithFile: ReadonlySet<string>;
  /** Keys whose records move to another key, now or when the outcome is resolved. */
  readonly #movedKeys: ReadonlySet<string>;
  /** The open follow-ups by the digests of their menus, the oldest first. */
  readonly #followUps: ReadonlyMap<string, readonly FollowUp[]>;

  constructor(menus: readonly WantedMenu[], state: StateView, onService: OnService | undefined) {
    this.#menus = menus;
    this.#state = state;
    this.#onService = onService;
    this.#keysWithFile = new Set(menus.map(({ key }) => key));
    this.#movedKeys = new Set(
      menus.flatMap(({ key, movedFrom }) =>
        movedFrom === undefined || state.keys.has(key) ? [] : movedFrom,
      ),
    );
    this.#followUps = groupBy(openFollowUps(state), ({ record }) => digestOf(record.payload));
  }

  /** Returns all changes, sorted by key. */
  changes(): Change[] {
    const changes = [
      ...this.#menus.flatMap((menu) => this.#changeForMenu(menu) ?? []),
      ...[...this.#state.keys].flatMap(
        ([key, record]) => this.#changeWithoutFile(key, record) ?? [],
      ),
    ];
    return changes.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #changeForMenu(menu: WantedMenu): Change | undefined {
    const { key, content, movedFrom } = menu;
    const own = this.#state.keys.get(key);
    if (own?.pending) {
      const sent = digestOf(own.pending.payload);
      return this.#unknown(key, own, content?.digest === sent ? "same" : "changed");
    }
    if (content === undefined) return undefined;
    const { name } = content.payload;
    if (own?.current) return this.#compare(menu, own.current, content);
    const old = movedFrom === undefined ? undefined : this.#state.keys.get(movedFrom);
    if (movedFrom !== undefined && old !== undefined) {
      // Nothing is sent for either key until the outcome of the old one is resolved.
      if (old.pending !== null) return undefined;
      return this.#compare(menu, old.current, content, movedFrom);
    }
    return this.#restore(key, content) ?? { action: "create", key, name, after: content };
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
    const drift: { readonly drift?: Drift } = found?.drift ? { drift: found.drift } : {};
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
        ...drift,
      }
    );
  }

  /** Restores the newest open follow-up of the menu that has this content, if there is one. */
  #restore(
    key: string,
    after: MenuContent,
    newer: { readonly before?: Confirmed; readonly movedFrom?: string } = {},
  ): Change | undefined {
    const followUp = this.#followUps
      .get(after.digest)
      ?.findLast((one) => one.key === key || (one.key === newer.movedFrom && movesWithRecord(one)));
    if (followUp === undefined) return undefined;
    this.#addNewNames(key, followUp.record, after);
    return { action: "restore", key, name: after.payload.name, ...newer, followUp, after };
  }

  #addNewNames(key: string, before: Confirmed, { naming }: MenuContent): void {
    if (!isDeepStrictEqual(before.naming, naming)) this.named.push({ key, naming });
  }

  #changeWithoutFile(key: string, record: KeyRecord): Change | undefined {
    if (this.#keysWithFile.has(key)) return undefined;
    if (record.pending !== null) return this.#unknown(key, record, "gone");
    if (this.#movedKeys.has(key)) return undefined;
    return { action: "forget", key, name: record.current.payload.name, before: record.current };
  }

  #unknown(
    key: string,
    { current, pending }: Extract<KeyRecord, { pending: object }>,
    file: "same" | "changed" | "gone",
  ): Change {
    const candidates = this.#onService?.candidates.get(key);
    return {
      action: "unknown",
      key,
      name: pending.payload.name,
      before: current,
      pending,
      file,
      ...(candidates === undefined ? {} : { candidates }),
    };
  }
}
