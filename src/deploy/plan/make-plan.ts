import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { FollowUp, KeyRecord } from "../../schema/state.ts";
import type { StateView } from "../state/state.ts";
import { guard } from "./guards.ts";
import type { Change, Made, Plan } from "./plan.ts";
import type { Targets } from "./targets.ts";

/** A menu as the files want it. */
export interface Wanted {
  readonly key: string;
  /** Undefined where the file is at fault: nothing is done for it, but its key has a file. */
  readonly made: Made | undefined;
  readonly movedFrom: string | undefined;
  readonly refusesChange: boolean;
  /** Where findings are shown. */
  readonly at: { readonly top: Span; readonly name: Span; readonly movedFrom: Span };
}

interface Input {
  readonly environment: string;
  readonly address: string;
  readonly menus: readonly Wanted[];
  readonly state: StateView;
  readonly targets: Targets;
}

/** Pure: from what the files want and what the state knows to what is to be done. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state, targets } = input;
  const planner = new Planner(menus, state);
  const all = planner.changes();
  const changes = all.filter(({ key }) => targets.has(key));
  guard({ menus: menus.filter(({ key }) => targets.has(key)), changes, all, state }, diagnostics);
  return {
    environment,
    address,
    state: { lineage: state.origin?.lineage ?? null, serial: state.serial },
    changes,
    unchanged: planner.unchanged.filter((key) => targets.has(key)).length,
    followUps: [...state.followUps.values()].sort(byAge),
  };
}

class Planner {
  readonly unchanged: string[] = [];
  readonly #menus: readonly Wanted[];
  readonly #state: StateView;
  readonly #files: ReadonlyMap<string, Wanted>;
  /** Keys whose record goes to another key, or waits to. */
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
      this.#removed.set(removedId(followUp.key, followUp.record.digest), followUp);
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
      return unknown(key, own, made?.digest === own.pending.digest ? "same" : "changed");
    }
    if (made === undefined) return undefined;
    const { name } = made.payload;
    if (own?.current) return this.#against(key, own.current, made);
    const old = movedFrom === undefined ? undefined : this.#state.keys.get(movedFrom);
    if (movedFrom !== undefined && old !== undefined) {
      // Whoever settles the old key settles this one; until then nothing is sent for either.
      if (old.pending !== null) return undefined;
      const before = old.current;
      return before.digest === made.digest
        ? { action: "move", key, name, before, after: made, movedFrom }
        : { action: "replace", key, name, before, after: made, movedFrom };
    }
    const followUp = this.#removed.get(removedId(key, made.digest));
    return followUp === undefined
      ? { action: "create", key, name, after: made }
      : { action: "restore", key, name, followUp, after: made };
  }

  #against(key: string, before: NonNullable<KeyRecord["current"]>, after: Made) {
    if (before.digest === after.digest) {
      this.unchanged.push(key);
      return undefined;
    }
    const { name } = after.payload;
    return { action: "replace", key, name, before, after, movedFrom: null } as const;
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

/** Their ids count the events. */
function byAge(a: FollowUp, b: FollowUp): number {
  return Number(a.id.slice(1)) - Number(b.id.slice(1));
}
