import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { OperationName } from "../../schema/operations.ts";
import { menuDestination } from "../../schema/wire.ts";
import type { Confirmed, FollowUp, Naming } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed } from "../../util/many.ts";
import { suggest } from "../../util/suggest.ts";
import { reportOpenBinds } from "../state/numbers.ts";
import { type StateView, liveRecords } from "../state/state.ts";
import type { Difference } from "./digest.ts";
import { idsOnRecord, referencesIn } from "./links.ts";
import type { Lesson } from "./learn.ts";
import { guardDeletes, missingFollowUps, missingIn, reportCutOff } from "./deletes.ts";
import type { LiveMenus, Seen } from "./live.ts";
import type { LiveNumbers } from "./live-numbers.ts";
import { planNumbers } from "./numbers.ts";
import {
  type Change,
  type Drift,
  type MenuContent,
  type Permission,
  type Plan,
  type WantedMenu,
  isDeleting,
} from "./plan.ts";
import { type Strange, strangeIn } from "./strange.ts";
import type { Targets } from "./targets.ts";

type Waiting = Extract<Change, { action: "waiting" }>;

interface Input {
  readonly environment: string;
  readonly live: LiveMenus;
  /** Undefined if the service cannot list phone numbers. */
  readonly numbers?: LiveNumbers | undefined;
  readonly operations: ReadonlySet<OperationName>;
  readonly agents: Agents;
  /** The state with what the list proves. */
  readonly state: StateView;
  readonly lesson: Lesson;
  readonly allowed: ReadonlySet<Permission>;
  readonly targets: Targets;
}

/** What the service shows about a menu on record. */
type Found =
  | { readonly kind: "change"; readonly change: Change | undefined }
  /** The plan is made from the record, as for a service that cannot list menus. */
  | { readonly kind: "record"; readonly drift: undefined }
  | { readonly kind: "record"; readonly drift: Drift; readonly id: string };

/** What the service lists, and what a plan concludes from it. */
export class OnService {
  /** The menus in the list that may be those of unknown outcomes, by key. */
  readonly candidates: Lesson["candidates"];
  readonly #input: Input;
  /** Menus on record that the service does not list, whether they are targets or not. */
  readonly #missing: readonly string[];
  /**
   * Menus that cannot be compared with the service. `isSame` if the file is the same as the record, so that
   * nothing has to be sent.
   */
  readonly #strange = new Map<string, Strange & { readonly isSame: boolean }>();

  constructor(input: Input) {
    this.#input = input;
    this.candidates = input.lesson.candidates;
    this.#missing = missingIn(input.state, input.live);
  }

  /** Whether a menu can be changed in place. */
  get canUpdate(): boolean {
    return this.#input.operations.has("update");
  }

  /** Whether the plan creates a menu on record again, because the service does not list it any more. */
  recreates(key: string, before: Confirmed): boolean {
    const { allowed, targets } = this.#input;
    const isWanted = allowed.has("recreate") && targets.has(key);
    return isWanted && this.#see(before)?.kind === "missing";
  }

  /** What the plan says about the list. */
  get facts(): Pick<Plan, "list" | "learned" | "allowed"> {
    const { live, numbers, lesson, allowed } = this.#input;
    const listed = numbers === undefined ? {} : { numbers: numbers.count };
    return {
      list: { menus: live.count, at: live.at, ...listed },
      ...(lesson.events.length === 0 ? {} : { learned: lesson.events }),
      ...(allowed.size === 0 ? {} : { allowed: [...allowed].sort() }),
    };
  }

  /** Compares a menu on record with the service, and with its file. */
  compare(
    { key, onChange }: WantedMenu,
    before: Confirmed,
    after: MenuContent,
    isSame: boolean,
    movedFrom: string | null,
  ): Found {
    const { name } = after.payload;
    const id = before.identified?.id;
    const seen = this.#see(before);
    if (id !== undefined && seen?.kind === "missing") {
      return { kind: "change", change: this.#missingChange(key, id, before, after, movedFrom) };
    }
    const updates = this.canUpdate && onChange !== "replace";
    if (id === undefined || seen?.kind !== "listed") {
      const { live, environment } = this.#input;
      const strange = strangeIn(live, movedFrom ?? key, before, environment);
      if (strange && (isSame || updates)) this.#strange.set(key, { ...strange, isSame });
      if (isSame || !updates) return { kind: "record", drift: undefined };
      return { kind: "change", change: undefined };
    }
    const { drift } = this.#driftOf(seen.drift);
    if (updates && (!isSame || drift !== undefined)) {
      const change: Change = {
        action: "update",
        key,
        name,
        id,
        before,
        after,
        movedFrom,
        ...(drift && { drift }),
        webhooks: seen.webhooks,
      };
      return { kind: "change", change };
    }
    return drift === undefined ? { kind: "record", drift } : { kind: "record", drift, id };
  }

  /** Whether the old menu of a follow-up is still what its record says. It may be deleted, or changed on the console. */
  stillHas({ record, pending }: FollowUp): boolean {
    const seen = this.#see(record);
    const isSame = seen === undefined || (seen.kind === "listed" && seen.drift.length === 0);
    return pending === undefined && isSame;
  }

  /** A menu that waits with what somebody changed on the console. It can also be gone. */
  waiting(change: Waiting): Change {
    const { key, before, after, movedFrom } = change;
    const id = before?.identified?.id;
    const seen = before === null ? undefined : this.#see(before);
    if (before === null || id === undefined || seen === undefined) return change;
    if (seen.kind === "missing" && !this.recreates(key, before))
      return this.#missingChange(key, id, before, after, movedFrom);
    return seen.kind === "listed" ? { ...change, ...this.#driftOf(seen.drift) } : change;
  }

  /** The changes, with the menus that lead callers to one that is gone, and that stay as they are. */
  withLeaders(changes: readonly Change[]): readonly Change[] {
    const missing = new Set(changes.flatMap((one) => (one.action === "missing" ? one.id : [])));
    if (missing.size === 0) return changes;
    const { live, state } = this.#input;
    const changed = new Set(
      changes.flatMap((one) => (one.action === "update" || isDeleting(one) ? one.id : [])),
    );
    const keyOf = new Map([...idsOnRecord(state)].map(([key, id]) => [id, key]));
    const links = live.menus.flatMap((menu) => {
      const { id, name } = menu;
      const key = keyOf.get(id);
      const own = changed.has(id) ? [] : live.linksOf(menu);
      return [...groupBy(own, (link) => link.id)].map(([target, all]) => {
        const places = all.map(({ place }) => place);
        return {
          target,
          leader: key === undefined ? { id, name, places } : { id, name, key, places },
        };
      });
    });
    const byTarget = groupBy(links, ({ target }) => target);
    return changes.map((change) => {
      const own = change.action === "missing" ? byTarget.get(change.id) : undefined;
      return change.action === "missing" && own !== undefined
        ? { ...change, leaders: own.map(({ leader }) => leader) }
        : change;
    });
  }

  /** The changes with the phone numbers of their menus, if the service can list phone numbers. */
  withNumbers(
    planned: Parameters<typeof planNumbers>[1],
    diagnostics: Diagnostics,
  ): readonly Change[] {
    const { numbers, ...input } = this.#input;
    return numbers === undefined
      ? planned.changes
      : planNumbers({ ...input, numbers }, planned, diagnostics);
  }

  /** What happens to a menu on record whose file was deleted. */
  withoutFile(key: string, before: Confirmed): Change {
    const { operations, allowed } = this.#input;
    const forget = { action: "forget", key, name: before.payload.name, before } as const;
    if (!operations.has("delete")) return forget;
    if (!allowed.has("delete")) return { ...forget, kept: "not-allowed" };
    const seen = this.#see(before);
    const id = before.identified?.id;
    if (id === undefined || seen === undefined) return { ...forget, kept: "unidentified" };
    if (seen.kind === "unreadable") return { ...forget, kept: "unreadable" };
    if (seen.kind === "missing") return { ...forget, gone: id };
    const { webhooks, drift } = seen;
    return { ...forget, action: "delete", id, ...this.#driftOf(drift), webhooks };
  }

  /** Reports what ivrctl does not do on its own: these menus need a person. */
  guard(changes: readonly Change[], menus: readonly WantedMenu[], diagnostics: Diagnostics): void {
    const { allowed, targets, environment, live, state } = this.#input;
    const placeOf = new Map(menus.map(({ key, at }) => [key, at.top]));
    for (const change of changes) {
      const at = placeOf.get(change.key);
      if (change.action !== "update" || at === undefined || change.webhooks.length === 0) continue;
      if (allowed.has("webhook-loss")) continue;
      const keys = change.webhooks.map((key) => `key ${key}`).join(", ");
      diagnostics.add(
        "IVR636",
        at,
        `\`${change.key}\` has a webhook that was set on the console (${keys}). The update would remove it.`,
        "Add --allow webhook-loss if the webhook is not needed, or if you will set it again.",
      );
    }
    const claimed = new Set(
      liveRecords(state).flatMap(({ record }) => record.identified?.id ?? []),
    );
    for (const change of changes) {
      const at = placeOf.get(change.key);
      if (change.action !== "create" || change.recreates || at === undefined) continue;
      const others = live.named(change.name).filter((id) => !claimed.has(id));
      if (others.length === 0) continue;
      // A menu cannot be imported without those that it leads to.
      const names = referencesIn(change.after).length === 0 ? [change.name] : [];
      diagnostics.add(
        "IVR639",
        at,
        `The service already has a menu “${change.name}” that is not on record (id ${listed(others)}). Apply creates a second one.`,
        {
          words: "To take it over instead, run:",
          argv: suggest("import", names, environment, ["--live"]),
        },
      );
    }
    for (const [key, { why, help, isSame }] of this.#strange) {
      const at = placeOf.get(key);
      if (at === undefined || !targets.has(key)) continue;
      diagnostics.add(
        "IVR637",
        at,
        isSame
          ? `\`${key}\` cannot be compared with the service: ${why}.`
          : `\`${key}\` has changed, but it cannot be updated: ${why}.`,
        help,
        isSame ? "warning" : "error",
      );
    }
    const open = [...state.binds.values()].filter(({ key }) => targets.has(key));
    reportOpenBinds(open, environment, diagnostics);
    const wanted = this.#missing.filter((key) => targets.has(key) && !targets.names(key));
    if (allowed.has("recreate") && this.#missing.length > 1 && wanted.length > 0) {
      const names = this.#missing.map((key) => `--target ${key}`).join(" ");
      diagnostics.addAt(
        "IVR635",
        { file: "ivrs" },
        `The service does not list ${this.#missing.length} menus that are on record: ${listed(this.#missing)}.`,
        `A list that is cut off looks like that. Check on the console that they are gone. Then name each of them: ${names}`,
      );
    }
  }

  /**
   * Reports menus that must not be deleted. Without a complete list, ivrctl cannot see what leads to
   * a menu, and whether it is gone.
   */
  guardDeletes(changes: readonly Change[], diagnostics: Diagnostics): void {
    const { targets, numbers, environment, state, live } = this.#input;
    const gone = changes.flatMap((change) =>
      change.action === "forget" && change.gone !== undefined ? change.key : [],
    );
    if (gone.length === 0 && !changes.some(isDeleting)) return;
    // One menu that somebody deleted on the console, before its file was deleted, is what users expect.
    const suspicious = this.#missing.filter((key) => !targets.names(key));
    const isExpected = suspicious.length === 1 && suspicious[0] === gone[0];
    const followUps = missingFollowUps(state, live);
    reportCutOff(isExpected ? [] : suspicious, followUps, environment, diagnostics);
    if (numbers !== undefined) guardDeletes(changes, { ...this.#input, numbers }, diagnostics);
  }

  #driftOf(differences: readonly Difference[]): { readonly drift?: Drift } {
    const { agents, state } = this.#input;
    if (differences.length === 0) return {};
    return { drift: { differences, naming: namingOf(differences, agents, state) } };
  }

  #see({ identified, payload }: Confirmed): Seen | undefined {
    return identified && this.#input.live.see(identified.id, payload);
  }

  #missingChange(
    key: string,
    id: string,
    before: Confirmed,
    after: MenuContent,
    movedFrom: string | null,
  ): Change {
    const { name } = after.payload;
    return this.recreates(key, before)
      ? { action: "create", key, name, after, recreates: { key: movedFrom ?? key, before } }
      : { action: "missing", key, name, id, before, after, movedFrom };
  }
}

/** The names of the agents and menus that only the service's menu leads to. */
export function namingOf(
  differences: readonly Difference[],
  agents: Agents | undefined,
  state: StateView,
): Naming {
  const used = new Set(differences.map(({ after }) => after));
  const menus = [...idsOnRecord(state)].filter(([, id]) => used.has(menuDestination(id)));
  return {
    agents: differences.flatMap(({ field, after }) => {
      const eid = /^extension\|\|(.+)$/s.exec(after ?? "")?.[1];
      const name = eid === undefined ? undefined : agents?.with("eid", eid)[0]?.name;
      return eid === undefined || name === undefined
        ? []
        : { place: field, eid, name, reference: { agent: name } };
    }),
    recordings: {},
    purposes: {},
    ...(menus.length === 0
      ? {}
      : { menus: Object.fromEntries(menus.map(([key, id]) => [id, key])) }),
  };
}
