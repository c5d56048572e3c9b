import { isDeepStrictEqual } from "node:util";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Confirmed, FollowUp, KeyRecord, Naming } from "../../schema/state.ts";
import { digestOf } from "./digest.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { guardChanges } from "./guards.ts";
import type { Change, MenuContent, Plan, WantedMenu } from "./plan.ts";
import type { Targets } from "./targets.ts";

interface Input {
  readonly environment: string;
  readonly address: string;
  readonly menus: readonly WantedMenu[];
  readonly state: StateView;
  readonly targets: Targets;
}

/** Makes the plan. It depends only on the menus and the state. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state, targets } = input;
  const planner = new Planner(menus, state);
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
  /** Keys without a change. */
  readonly unchanged: string[] = [];
  /** Unchanged records that get new names. */
  readonly named: { key: string; naming: Naming }[] = [];
  readonly #menus: readonly WantedMenu[];
  readonly #state: StateView;
  readonly #keysWithFile: ReadonlySet<string>;
  /** Keys whose records move to another key, now or when the outcome is resolved. */
  readonly #movedKeys: ReadonlySet<string>;
  /** Follow-ups of removed menus by `removedId`. They can be restored. */
  readonly #removed = new Map<string, FollowUp>();

  constructor(menus: readonly WantedMenu[], state: StateView) {
    this.#menus = menus;
    this.#state = state;
    this.#keysWithFile = new Set(menus.map(({ key }) => key));
    this.#movedKeys = new Set(
      menus.flatMap(({ key, movedFrom }) =>
        movedFrom === undefined || state.keys.has(key) ? [] : movedFrom,
      ),
    );
    for (const followUp of state.followUps.values()) {
      if (followUp.reason !== "removed") continue;
      this.#removed.set(removedId(followUp.key, digestOf(followUp.record.payload)), followUp);
    }
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

  #changeForMenu({ key, content, movedFrom }: WantedMenu): Change | undefined {
    const own = this.#state.keys.get(key);
    if (own?.pending) {
      const sent = digestOf(own.pending.payload);
      return unknown(key, own, content?.digest === sent ? "same" : "changed");
    }
    if (content === undefined) return undefined;
    const { name } = content.payload;
    if (own?.current) return this.#replaceIfChanged(key, own.current, content);
    const old = movedFrom === undefined ? undefined : this.#state.keys.get(movedFrom);
    if (movedFrom !== undefined && old !== undefined) {
      // Nothing is sent for either key until the outcome of the old one is resolved.
      if (old.pending !== null) return undefined;
      const before = old.current;
      if (digestOf(before.payload) !== content.digest) {
        return { action: "replace", key, name, before, after: content, movedFrom };
      }
      this.#addNewNames(key, before, content);
      return { action: "move", key, name, before, after: content, movedFrom };
    }
    const followUp = this.#removed.get(removedId(key, content.digest));
    if (followUp === undefined) return { action: "create", key, name, after: content };
    this.#addNewNames(key, followUp.record, content);
    return { action: "restore", key, name, followUp, after: content };
  }

  #replaceIfChanged(key: string, before: Confirmed, after: MenuContent) {
    if (digestOf(before.payload) === after.digest) {
      this.unchanged.push(key);
      this.#addNewNames(key, before, after);
      return undefined;
    }
    const { name } = after.payload;
    return { action: "replace", key, name, before, after, movedFrom: null } as const;
  }

  #addNewNames(key: string, before: Confirmed, { naming }: MenuContent): void {
    if (!isDeepStrictEqual(before.naming, naming)) this.named.push({ key, naming });
  }

  #changeWithoutFile(key: string, record: KeyRecord): Change | undefined {
    if (this.#keysWithFile.has(key)) return undefined;
    if (record.pending !== null) return unknown(key, record, "gone");
    if (this.#movedKeys.has(key)) return undefined;
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

/** Identifies a removed menu. It is restored only if a file has the same key and payload. */
function removedId(key: string, digest: string): string {
  return `${digest} ${key}`;
}
