import { isDeepStrictEqual } from "node:util";
import type { Agents } from "../../compile/agents.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { Confirmed, Naming } from "../../schema/state.ts";
import { menuDestination, menuReference } from "../../schema/wire.ts";
import { groupBy } from "../../util/group-by.ts";
import type { StateView } from "../state/state.ts";
import { planLinks, withIds } from "./links.ts";
import { asInFiles } from "./live-numbers.ts";
import { driftNaming } from "./naming.ts";
import {
  type Action,
  type Bind,
  type Change,
  type Drift,
  type MenuContent,
  type Plan,
  type WaitsFor,
  type WantedMenu,
  needsPerson,
} from "./plan.ts";
import { Reachable } from "./reachable.ts";
import type { Link, Lists, Resource } from "./steps/resources.ts";
import {
  type Can,
  type Ref,
  type Step,
  type Why,
  isHeld,
  isHeldBy,
  isOld,
  menuRef,
  nameIn,
} from "./steps/step.ts";

/** The steps of a plan, and all that they were decided with. */
export interface Decided {
  readonly environment: string;
  readonly steps: readonly Step[];
  readonly resources: readonly Resource[];
  /** Everything that links to menus. */
  readonly links: readonly Link[];
  readonly menus: readonly WantedMenu[];
  /** The state with what the lists prove. */
  readonly state: StateView;
  readonly lists: Lists;
  readonly agents: Agents | undefined;
  readonly can: Can;
  /** Where the limit of creates is set, if that is a file. */
  readonly limitAt?: Span | undefined;
}

type Described = Pick<Plan, "changes" | "unchanged" | "named">;

/** What steps mean for each menu: one change with everything that happens to the menu and its phone numbers. */
export function describe(input: Decided): Described {
  return new Describer(input).described();
}

class Describer {
  readonly #input: Decided;
  readonly #steps: ReadonlyMap<Ref, readonly Step[]>;
  readonly #resources: ReadonlyMap<Ref, Resource>;
  readonly #menus: ReadonlyMap<Ref, WantedMenu>;
  readonly #reachable: Reachable | undefined;

  constructor(input: Decided) {
    const { steps, resources, menus, state, lists, agents } = input;
    this.#input = input;
    this.#steps = groupBy(steps, ({ ref }) => ref);
    this.#resources = new Map(resources.map((one) => [one.ref, one]));
    this.#menus = new Map(menus.map((menu) => [menuRef(menu.key), menu]));
    this.#reachable = lists.menus && new Reachable(state, lists.menus, agents);
  }

  described(): Described {
    const { menus, state, can, resources } = this.#input;
    const changes: Change[] = [];
    const named: { key: string; naming: Naming }[] = [];
    let unchanged = 0;
    for (const key of planLinks(menus, state.keys.keys()).order) {
      const resource = this.#resources.get(menuRef(key));
      if (resource === undefined || !can.targets.has(key)) continue;
      const own = this.#steps.get(resource.ref) ?? [];
      const change = this.#changeOf(resource, own);
      if (change !== undefined) changes.push(change);
      const content = this.#contentOf(resource.ref, own);
      if (content === undefined) continue;
      const isMatched = own.some(({ event }) => event === "matched");
      const isUnchanged = change === undefined && (own.length === 0 || isMatched);
      if (isUnchanged && resource.prior !== undefined) unchanged += 1;
      const stays = isUnchanged || (change !== undefined && keepsRecord.has(change.action));
      const { naming } = change?.followUp?.record ?? this.#recordOf(resource)?.current ?? {};
      const hasNewNames = naming !== undefined && !isDeepStrictEqual(naming, content.naming);
      if (stays && !isMatched && hasNewNames) named.push({ key, naming: content.naming });
    }
    const old = resources.filter(({ ref }) => isOld(ref)).flatMap((one) => this.#oldMenu(one));
    return { changes: this.#withStaying([...changes, ...old]), unchanged, named };
  }

  /** The content of the file, with the ids that menus have after the plan. */
  #contentOf(ref: Ref, own: readonly Step[]): MenuContent | undefined {
    const content = this.#menus.get(ref)?.content;
    const links = own.find(({ after }) => after !== undefined)?.links;
    return (
      content &&
      withIds(content, (to) => (links ? links.get(menuRef(to)) : this.#idAfter(menuRef(to))))
    );
  }

  #idAfter(ref: Ref): string | undefined {
    const restored = this.#restored(this.#steps.get(ref) ?? []);
    return restored ? restored.record.identified?.id : this.#resources.get(ref)?.prior?.id;
  }

  /** The old menu that becomes current again. */
  #restored(own: readonly Step[]): Change["followUp"] {
    const spare = own.find(({ event }) => event === "restored")?.spare;
    return spare && this.#input.state.followUps.get(nameIn(spare));
  }

  /** The record of a menu, also under its former key. */
  #recordOf({ ref, from }: Resource) {
    return this.#input.state.keys.get(nameIn(from ?? ref));
  }

  #changeOf(resource: Resource, own: readonly Step[]): Change | undefined {
    const { ref, from, prior } = resource;
    const waitsFor = own.flatMap((step) => this.#waitsOf(step));
    const numbers = this.#numbersOf(ref);
    const isBound = prior?.id !== undefined && numbers.length > 0;
    const action = actionOf(resource, own, waitsFor) ?? (isBound ? "bind" : undefined);
    if (action === undefined) return undefined;
    const isUnknown = action === "unknown";
    const record = this.#recordOf(resource);
    const isGone = action !== "missing" && own.some(({ event }) => event === "dropped");
    // What is created again is new for callers, although it is on record.
    const before = action === "create" ? undefined : (record?.current ?? undefined);
    const after = isUnknown ? undefined : this.#contentOf(ref, own);
    const pending = isUnknown ? (record?.pending ?? undefined) : undefined;
    const change: Change = {
      ...this.#about(ref),
      key: nameIn(isUnknown ? (from ?? ref) : ref),
      name: (pending ?? after ?? record?.current)?.payload.name ?? nameIn(ref),
      action,
      holds: own.flatMap(({ holds }) => holds),
      id: hasId.has(action) ? prior?.id : undefined,
      movedFrom: from === undefined || isUnknown ? undefined : nameIn(from),
      before,
      after,
      first: after && firstOf(own),
      gone: isGone ? prior?.id : undefined,
      kept: action === "forget" && !isGone ? this.#keptOf(resource) : undefined,
      drift: before && after ? this.#driftOf(before) : undefined,
      webhooks: own.flatMap(({ webhooks = [] }) => webhooks),
      waitsFor: [...new Map(waitsFor.map((one) => [one.key, one])).values()],
      pending,
      followUp: this.#restored(own),
    };
    const isLeft = needsPerson(change) || action === "forget" || action === "delete";
    return isLeft ? change : { ...change, bind: numbers };
  }

  #about(ref: Ref): Pick<Change, "ref" | "file" | "vars" | "bind"> {
    const menu = this.#menus.get(ref);
    const file = menu?.at.top.source.file;
    return { ref, file, vars: menu?.vars ?? new Map(), bind: [] };
  }

  #keptOf({ prior, observed }: Resource): Change["kept"] {
    const { operations, allowed } = this.#input.can;
    if (!operations.has("delete")) return undefined;
    if (!allowed.has("delete")) return "not-allowed";
    const isListed = prior?.id !== undefined && observed.kind !== "unread";
    return isListed ? "unreadable" : "unidentified";
  }

  /** An old menu that is deleted, or only marked as done because it is gone. */
  #oldMenu({ ref, prior }: Resource): Change[] {
    const [step] = this.#steps.get(ref) ?? [];
    const before = this.#input.state.followUps.get(nameIn(ref))?.record;
    if (step === undefined || before === undefined || prior?.pending) return [];
    const isDeleted = step.op === "delete";
    return [
      {
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
      },
    ];
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
    if (create && isHeldBy(create, "lookalike")) return "absent";
    const isMissing = resource?.observed.kind === "absent";
    if (isMissing && (!create || isHeldBy(create, "missing"))) return "missing";
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

  /** The phone numbers of a menu's file that apply points to the menu. */
  #numbersOf(ref: Ref): Bind[] {
    return (this.#menus.get(ref)?.content?.naming.numbers ?? []).flatMap((number) => {
      const observed = this.#resources.get(`number:${number}`)?.observed;
      const step = this.#steps.get(`number:${number}`)?.find(({ op }) => op === "update");
      if (observed?.kind !== "seen" || step === undefined || isHeld(step)) return [];
      const before = observed.facts.get("destination") || null;
      const from = this.#reachable?.words(before) ?? "nothing";
      const id = step.links.get(ref);
      const after = id === undefined ? menuReference(nameIn(ref)) : menuDestination(id);
      return { number, before, from, id: observed.id, after };
    });
  }

  /** Adds the numbers that point to the menus on record, and that no menu of the plan gets. */
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

/** The word for what is done about a menu, apart from its phone numbers. */
function actionOf(
  { from, prior, desired }: Resource,
  own: readonly Step[],
  waitsFor: readonly WaitsFor[],
): Action | undefined {
  const last = own.findLast(({ event }) => event !== "moved");
  const isHeldAtAll = (why: Why) => own.some((step) => isHeldBy(step, why));
  if (own.length === 0) return undefined;
  if (prior?.pending) return "unknown";
  if (isHeldAtAll("lookalike") || isHeldAtAll("unreadable")) return undefined;
  if (isHeldAtAll("blocked")) return "blocked";
  if (desired === undefined) return last?.op === "delete" ? "delete" : "forget";
  if (isHeldAtAll("missing")) return "missing";
  if (waitsFor.length > 0) return "waiting";
  const isDrift = isHeldAtAll("drift");
  if (isDrift && from === undefined) return "drift";
  if (last === undefined || isDrift || last.event === "matched") {
    return from === undefined ? undefined : "move";
  }
  if (last.event === "restored") return "restore";
  if (!own.some(({ op }) => op === "create")) return "update";
  const isGone = own.some(({ event }) => event === "dropped");
  return prior?.facts === undefined || isGone ? "create" : "replace";
}

/** What is created before an update adds links, with the ids that are known. */
function firstOf(own: readonly Step[]): MenuContent | undefined {
  const { after, links } = own.find(({ op }) => op === "create") ?? {};
  const isCompleted = own.some(({ op }) => op === "update");
  return isCompleted
    ? after?.menu && withIds(after.menu, (to) => links?.get(menuRef(to)))
    : undefined;
}

/** The changes that leave the record of a menu as it is, or take another one as it is. */
const keepsRecord: ReadonlySet<Action> = new Set(["move", "restore", "bind", "drift"]);

/** The changes that are about a menu on the service with its id. */
const hasId: ReadonlySet<Action> = new Set(["update", "bind", "delete", "missing", "drift"]);
