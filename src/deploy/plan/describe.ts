import { isDeepStrictEqual } from "node:util";
import type { Agents } from "../../compile/agents.ts";
import type { Confirmed, Naming, StateEvent } from "../../schema/state.ts";
import { menuDestination, menuReference } from "../../schema/wire.ts";
import { groupBy } from "../../util/group-by.ts";
import type { StateView } from "../state/state.ts";
import { among } from "./reconcile.ts";
import { linksOf, referencesIn, withIds } from "./links.ts";
import { asInFiles } from "./live-numbers.ts";
import { driftNaming } from "./naming.ts";
import type {
  Action,
  Bind,
  Change,
  Drift,
  MenuContent,
  Plan,
  WaitsFor,
  WantedMenu,
} from "./plan.ts";
import { needsPerson } from "./plan.ts";
import { Reachable } from "./reachable.ts";
import { recordEvents } from "./steps/events.ts";
import type { Lists, Resource } from "./steps/resources.ts";
import { type Can, type Ref, type Step, isHeld, isOld, menuRef, nameIn } from "./steps/step.ts";

interface Input {
  readonly steps: readonly Step[];
  readonly resources: readonly Resource[];
  readonly menus: readonly WantedMenu[];
  /** The state with what the lists prove. */
  readonly state: StateView;
  readonly lists: Lists;
  readonly agents: Agents | undefined;
  readonly can: Can;
}

type Described = Pick<Plan, "changes" | "unchanged" | "named"> & {
  /** What somebody changed on the console to what the file says. */
  readonly agreed: readonly StateEvent[];
};

/** What steps mean for each menu: one change with everything that happens to the menu and its phone numbers. */
export function describe(input: Input): Described {
  return new Describer(input).described();
}

class Describer {
  readonly #input: Input;
  readonly #steps: ReadonlyMap<Ref, readonly Step[]>;
  readonly #resources: ReadonlyMap<Ref, Resource>;
  readonly #menus: ReadonlyMap<string, WantedMenu>;
  readonly #reachable: Reachable | undefined;

  constructor(input: Input) {
    const { steps, resources, menus, state, lists, agents } = input;
    this.#input = input;
    this.#steps = groupBy(steps, ({ ref }) => ref);
    this.#resources = new Map(resources.map((one) => [one.ref, one]));
    this.#menus = new Map(menus.map((menu) => [menu.key, menu]));
    this.#reachable = lists.menus && new Reachable(state, lists.menus, agents);
  }

  described(): Described {
    const { menus, state, can, lists } = this.#input;
    const changes: Change[] = [];
    const named: { key: string; naming: Naming }[] = [];
    const agreed: StateEvent[] = [];
    let unchanged = 0;
    for (const key of linksOf(menus, state.keys.keys()).order) {
      const ref = menuRef(key);
      const resource = this.#resources.get(ref);
      if (resource === undefined || !can.targets.has(key)) continue;
      const own = this.#steps.get(ref) ?? [];
      const change = this.#changeOf(resource, own);
      if (change !== undefined) changes.push(change);
      const content = this.#contentOf(key, own);
      if (content === undefined) continue;
      const isAgreed = own.some(({ event }) => event === "agreed");
      if (isAgreed && lists.menus) {
        const listed = among(lists.menus);
        const steps = own.filter(({ event }) => event === "agreed");
        agreed.push(...steps.flatMap((step) => recordEvents(step, listed)));
      }
      const isUnchanged = change === undefined && (own.length === 0 || isAgreed);
      if (isUnchanged && resource.prior !== undefined) unchanged += 1;
      const stays = isUnchanged || (change !== undefined && keepsRecord.has(change.action));
      const record = change?.followUp?.record ?? this.#recordOf(resource);
      const hasNewNames = record !== undefined && !isDeepStrictEqual(record.naming, content.naming);
      if (stays && !isAgreed && hasNewNames) named.push({ key, naming: content.naming });
    }
    const old = [...this.#resources.values()].filter(({ ref }) => isOld(ref));
    changes.push(...old.flatMap((one) => this.#oldMenu(one) ?? []));
    return { changes: this.#withStaying(changes), unchanged, named, agreed };
  }

  /** The content of the file, with the ids that menus have after the plan. */
  #contentOf(key: string, own: readonly Step[]): MenuContent | undefined {
    const content = this.#menus.get(key)?.content;
    if (content === undefined) return undefined;
    const links = own.find(({ after }) => after !== undefined)?.links;
    const idOf = (to: string) => (links === undefined ? this.#idAfter(to) : links.get(menuRef(to)));
    return withIds(
      content,
      new Map(
        referencesIn(content).flatMap((to) => {
          const id = idOf(to);
          return id === undefined ? [] : [[to, id] as const];
        }),
      ),
    );
  }

  #idAfter(key: string): string | undefined {
    const ref = menuRef(key);
    const spare = this.#steps.get(ref)?.find(({ event }) => event === "restored")?.spare;
    const restored = spare && this.#input.state.followUps.get(nameIn(spare));
    return restored ? restored.record.identified?.id : this.#resources.get(ref)?.prior?.id;
  }

  /** The record of a menu, also under its former key. */
  #recordOf({ ref, from }: Resource): Confirmed | undefined {
    return this.#input.state.keys.get(nameIn(from ?? ref))?.current ?? undefined;
  }

  #changeOf(resource: Resource, own: readonly Step[]): Change | undefined {
    const { ref, from, prior } = resource;
    const key = nameIn(ref);
    const numbers = this.#numbersOf(key);
    const waitsFor = own.flatMap((step) => this.#waitsOf(step));
    const action =
      this.#actionOf(resource, own, waitsFor) ??
      (prior?.id !== undefined && numbers.length > 0 ? "bind" : undefined);
    if (action === undefined) return undefined;
    const isUnknown = action === "unknown";
    const record = this.#input.state.keys.get(nameIn(from ?? ref));
    const before = record?.current ?? undefined;
    const isGone = action !== "missing" && own.some(({ event }) => event === "dropped");
    const gone = isGone ? prior?.id : undefined;
    // What is created again is new for callers, although it is on record.
    const isNew = action === "create";
    const after = this.#contentOf(key, own);
    const create = own.find(({ op }) => op === "create");
    const spare = own.find(({ event }) => event === "restored")?.spare;
    const followUp = spare && this.#input.state.followUps.get(nameIn(spare));
    const pending = isUnknown ? (record?.pending ?? undefined) : undefined;
    const name = (pending ?? after ?? before)?.payload.name ?? key;
    const change: Change = {
      ...this.#about(ref),
      key: isUnknown ? nameIn(from ?? ref) : key,
      name,
      action,
      holds: own.flatMap(({ holds }) => holds),
      id: hasId.has(action) ? prior?.id : undefined,
      movedFrom: from === undefined || isUnknown ? undefined : nameIn(from),
      before: isNew ? undefined : before,
      after: isUnknown ? undefined : after,
      first:
        create && after && own.some(({ op }) => op === "update")
          ? this.#firstOf(create)
          : undefined,
      gone,
      kept: action === "forget" && gone === undefined ? this.#keptOf(resource) : undefined,
      drift: before && !isNew && !isUnknown && after ? this.#driftOf(before) : undefined,
      webhooks: own.flatMap(({ webhooks = [] }) => webhooks),
      waitsFor: [...new Map(waitsFor.map((one) => [one.key, one])).values()],
      pending,
      followUp: followUp || undefined,
    };
    const isBound = !needsPerson(change) && action !== "forget" && action !== "delete";
    return isBound ? { ...change, bind: numbers } : change;
  }

  #about(ref: Ref): Pick<Change, "ref" | "file" | "vars" | "bind"> {
    const menu = this.#menus.get(nameIn(ref));
    const file = menu?.at.top.source.file;
    return { ref, file, vars: menu?.vars ?? new Map(), bind: [] };
  }

  /** The word for what is done about a menu, apart from its phone numbers. */
  #actionOf(
    { from, prior, desired }: Resource,
    own: readonly Step[],
    waitsFor: readonly WaitsFor[],
  ): Action | undefined {
    const last = own.findLast(({ event }) => event !== "moved");
    const isHeldBy = (why: string) =>
      own.some(({ holds }) => holds.some((hold) => hold.why === why));
    if (own.length === 0) return undefined;
    if (prior?.pending) return "unknown";
    if (isHeldBy("lookalike") || isHeldBy("unreadable")) return undefined;
    if (isHeldBy("blocked")) return "blocked";
    if (desired === undefined) return last?.op === "delete" ? "delete" : "forget";
    if (isHeldBy("missing")) return "missing";
    if (waitsFor.length > 0) return "waiting";
    if (isHeldBy("drift") && from === undefined) return "drift";
    if (last === undefined || isHeldBy("drift") || last.event === "agreed") {
      return from === undefined ? undefined : "move";
    }
    if (last.event === "restored") return "restore";
    if (!own.some(({ op }) => op === "create")) return "update";
    const isGone = own.some(({ event }) => event === "dropped");
    return prior?.facts === undefined || isGone ? "create" : "replace";
  }

  /** What is created before the links are added, with the ids that are known. */
  #firstOf({ after, links }: Step): MenuContent | undefined {
    const ids = new Map([...links].map(([to, id]) => [nameIn(to), id]));
    return after?.menu && withIds(after.menu, ids);
  }

  #keptOf({ prior, observed }: Resource): Change["kept"] {
    const { operations, allowed } = this.#input.can;
    if (!operations.has("delete")) return undefined;
    if (!allowed.has("delete")) return "not-allowed";
    const isListed = prior?.id !== undefined && observed.kind !== "unread";
    return isListed ? "unreadable" : "unidentified";
  }

  /** An old menu that is deleted, or only marked as done because it is gone. */
  #oldMenu({ ref, prior }: Resource): Change | undefined {
    const [step] = this.#steps.get(ref) ?? [];
    const before = this.#input.state.followUps.get(nameIn(ref))?.record;
    if (step === undefined || before === undefined || prior?.pending) return undefined;
    const isDeleted = step.op === "delete";
    return {
      ...this.#about(ref),
      key: nameIn(ref),
      name: before.payload.name,
      action: isDeleted ? "delete" : "forget",
      holds: step.holds,
      id: step.id,
      before,
      drift: this.#driftOf(before),
      gone: isDeleted ? undefined : step.id,
      webhooks: step.webhooks ?? [],
      waitsFor: [],
    };
  }

  /** The menus that a step waits for. */
  #waitsOf({ holds }: Step): WaitsFor[] {
    return holds.flatMap(({ why, of = "" }): WaitsFor[] => {
      if (why === "circle") return [{ key: nameIn(of), because: "circle" }];
      return why === "waiting" ? [{ key: nameIn(of), because: this.#because(nameIn(of)) }] : [];
    });
  }

  #because(key: string): WaitsFor["because"] {
    const ref = menuRef(key);
    const resource = this.#resources.get(ref);
    const own = this.#steps.get(ref) ?? [];
    if (resource?.prior?.pending) return "unknown";
    const create = own.find(({ op }) => op === "create");
    const isHeldBy = (why: string) => create?.holds.some((hold) => hold.why === why) === true;
    if (isHeldBy("lookalike")) return "absent";
    if (resource?.observed.kind === "absent" && (!create || isHeldBy("missing"))) return "missing";
    if (create) return isHeld(create) ? "waiting" : "sent";
    if (own.some(({ event }) => event === "moved" || event === "restored")) return "sent";
    return resource?.prior === undefined ? "absent" : "unidentified";
  }

  #driftOf({ identified, payload }: Confirmed): Drift | undefined {
    const { lists, agents, state } = this.#input;
    const seen = identified && lists.menus?.see(identified.id, payload);
    if (seen?.kind !== "listed" || seen.drift.length === 0) return undefined;
    return { differences: seen.drift, naming: driftNaming(seen.drift, agents, state) };
  }

  // ---- Phone numbers ----

  /** The phone numbers of a menu's file that apply lets lead to the menu. */
  #numbersOf(key: string): Bind[] {
    return (this.#menus.get(key)?.content?.naming.numbers ?? []).flatMap((number) => {
      const observed = this.#resources.get(`number:${number}`)?.observed;
      const step = this.#steps.get(`number:${number}`)?.find(({ op }) => op === "update");
      if (observed?.kind !== "seen" || step === undefined || isHeld(step)) return [];
      const before = observed.facts.get("destination") || null;
      const from = this.#reachable?.words(before) ?? "nothing";
      const id = step.links.get(menuRef(key));
      const after = id === undefined ? menuReference(key) : menuDestination(id);
      return { number, before, from, id: observed.id, after };
    });
  }

  /** Adds the numbers that lead to the menus on record, and that no menu of the plan gets. */
  #withStaying(changes: readonly Change[]): Change[] {
    const { numbers } = this.#input.lists;
    if (numbers === undefined) return [...changes];
    const bound = new Set(changes.flatMap(({ bind }) => bind).map(({ id }) => id));
    return changes.map((change) => {
      const { action, before } = change;
      if (action !== "replace" && action !== "forget" && action !== "restore") return change;
      const id = before?.identified?.id;
      const staying = id === undefined ? [] : numbers.leadingTo(id);
      const reachedBy = staying.filter((one) => !bound.has(one.id)).map(asInFiles);
      return { ...change, reachedBy };
    });
  }
}

/** The changes that leave the record of a menu as it is, or take another one as it is. */
const keepsRecord: ReadonlySet<Action> = new Set(["move", "restore", "bind", "drift"]);

/** The changes that are about a menu on the service with its id. */
const hasId: ReadonlySet<Action> = new Set(["update", "bind", "delete", "missing", "drift"]);
