import { isDeepStrictEqual } from "node:util";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Confirmed, FollowUp, KeyRecord, Naming } from "../../schema/state.ts";
import { digestOf } from "./digest.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { guard } from "./guards.ts";
import type { Change, Made, Plan, Wanted } from "./plan.ts";
import type { Targets } from "./targets.ts";

interface Input {
  readonly environment: string;
  readonly address: string;
  readonly menus: readonly Wanted[];
  readonly state: StateView;
  readonly targets: Targets;
}

/** Decides, from the files and the state alone, what apply would do. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state, targets } = input;
  const planner = new Planner(menus, state);
  const all = planner.changes();
  const targeted = all.filter(({ key }) => targets.has(key));
  const waiting = guard(
    {
      environment,
      menus: menus.filter(({ key }) => targets.has(key)),
      changes: targeted,
      all,
      state,
    },
    diagnostics,
  );
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
  };
}

class Planner {
  readonly unchanged: string[] = [];
  readonly named: { key: string; naming: Naming }[] = [];
  readonly #menus: readonly Wanted[];
  readonly #state: StateView;
  readonly #files: ReadonlyMap<string, Wanted>;
  /** Keys whose record moves to another key now, or as soon as its outcome is known. */
  readonly #claimed: ReadonlySet<string>;
  readonly #removed = new Map<string, FollowUp>();

  constructor(menus: readonly Wanted[], state: StateView) {
    this.#menus = menus;
    this.#state = state;
    this.#files = new Map(menus.map((menu) => [menu.key, menu]));
    this.#claimed = new Set(
      menus.flatMap(({ key, movedFrom }) =>
        movedFrom === undefined || state.keys.has(key) ? [] : movedFrom,
      ),
    );
    for (const followUp of state.followUps.values()) {
      if (followUp.reason !== "removed") continue;
      this.#removed.set(removedId(followUp.key, digestOf(followUp.record.payload)), followUp);
    }
  }

  /** Sorted by key. */
  changes(): Change[] {
    const changes = [
      ...this.#menus.flatMap((menu) => this.#ofFile(menu) ?? []),
      ...[...this.#state.keys].flatMap(([key, record]) => this.#withoutFile(key, record) ?? []),
    ];
    return changes.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #ofFile({ key, made, movedFrom }: Wanted): Change | undefined {
    const own = this.#state.keys.get(key);
    if (own?.pending) {
      const sent = digestOf(own.pending.payload);
      return unknown(key, own, made?.digest === sent ? "same" : "changed");
    }
    if (made === undefined) return undefined;
    const { name } = made.payload;
    if (own?.current) return this.#against(key, own.current, made);
    const old = movedFrom === undefined ? undefined : this.#state.keys.get(movedFrom);
    if (movedFrom !== undefined && old !== undefined) {
      // Nothing is sent for either key until the outcome of the old one is resolved.
      if (old.pending !== null) return undefined;
      const before = old.current;
      if (digestOf(before.payload) !== made.digest) {
        return { action: "replace", key, name, before, after: made, movedFrom };
      }
      this.#name(key, before, made);
      return { action: "move", key, name, before, after: made, movedFrom };
    }
    const followUp = this.#removed.get(removedId(key, made.digest));
    if (followUp === undefined) return { action: "create", key, name, after: made };
    this.#name(key, followUp.record, made);
    return { action: "restore", key, name, followUp, after: made };
  }

  #against(key: string, before: Confirmed, after: Made) {
    if (digestOf(before.payload) === after.digest) {
      this.unchanged.push(key);
      this.#name(key, before, after);
      return undefined;
    }
    const { name } = after.payload;
    return { action: "replace", key, name, before, after, movedFrom: null } as const;
  }

  /** Notes a record that stays as it is but whose names have changed. */
  #name(key: string, before: Confirmed, { naming }: Made): void {
    if (!isDeepStrictEqual(before.naming, naming)) this.named.push({ key, naming });
  }

  #withoutFile(key: string, record: KeyRecord): Change | undefined {
    if (this.#files.has(key)) return undefined;
    if (record.pending !== null) return unknown(key, record, "gone");
    if (this.#claimed.has(key)) return undefined;
    return { action: "forget", key, name: record.current.payload.name, before: record.current };
  }
}

function unknown(
  key: string,
  { current, pending }: Extract<KeyRecord, { pending: object }>,
  file: "same" | "changed" | "gone",
): Change {
  return { action: "unknown", key, name: pending.payload.name, before: current, pending, file };
}

function removedId(key: string, digest: string): string {
  return `${digest} ${key}`;
}
