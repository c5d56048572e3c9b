import { fileAndLine } from "../../../diagnostics/source.ts";
import type { WaitsFor } from "../../../schema/output/shared-fields.ts";
import type { Confirmed, FollowUp, Pending } from "../../../schema/state.ts";
import { followUpRecord, liveRecord, menuRecord } from "../../state/view.ts";
import { type Action, actionFor } from "./actions.ts";
import { groupBy } from "../../../util/group-by.ts";
import { type Destination, type Menu, type Recipe, mapDestinations } from "../../../model/menu.ts";
import { type FieldChange, changedFields, changedWords } from "../../../model/menu-diff.ts";
import { orderMenus } from "../../../compile/flow.ts";
import { namesFor, type DestinationWords, reachedOn } from "../../listed/names.ts";
import { linkTargets } from "../steps/step-order.ts";
import { type Bind, bindsOf } from "../number-resources.ts";
import type { Decided, Renumbered, WantedMenu } from "../decided.ts";
import type { Resource } from "../steps/resource.ts";
import { type Ref, isMenu, isNumber, isOld, menuRef, nameIn } from "../../../schema/ref.ts";
import { type Step, contentWithIds, isHeldBy } from "../steps/step.ts";

/** What a menu on the service is, if somebody changed it on the console. */
interface Drift {
  readonly menu: Menu;
  /** From the recorded value to the one that the service has. */
  readonly differences: readonly FieldChange[];
}

/** What the steps of a plan mean for one menu and its phone numbers. */
export interface Change {
  readonly ref: Ref;
  /** The key of the menu, or the id of the follow-up of an old menu. */
  readonly key: string;
  readonly name: string;
  /** The word that users know for it. */
  readonly action: Action;
  /** The file of the menu. Absent if there is none. */
  readonly file?: string | undefined;
  /** The lines that the change is in, each as `FILE:LINE`. Undefined if it is the whole file. */
  readonly lines?: ReadonlySet<string> | undefined;
  /** The variables in the texts of the file. */
  readonly vars: ReadonlyMap<string, string>;
  /** The id on the service, if something is done about that menu. */
  readonly id?: string | undefined;
  /** The former key. */
  readonly movedFrom?: string | undefined;
  /** What is recorded. */
  readonly before?: Confirmed | undefined;
  /** What the service has instead. Absent if it has what is recorded. */
  readonly drift?: Drift | undefined;
  /** What it becomes. A destination without an id is a reference to the menu. */
  readonly after?: Menu | undefined;
  /** What is sent first, if an update adds links to menus that are created later. */
  readonly first?: Menu | undefined;
  /** The id of a menu that the service does not list any more. */
  readonly gone?: string | undefined;
  /** Why the menu of a deleted file is not deleted, although the service can delete menus. */
  readonly kept?: "not-allowed" | "unidentified" | "unreadable" | undefined;
  /** The keys with a webhook on the service, which is lost. */
  readonly webhooks: readonly string[];
  /** The menus whose ids it waits for. */
  readonly waitsFor: readonly WaitsFor[];
  /** The request whose outcome is not known. */
  readonly pending?: Pending | undefined;
  /** The old menu that becomes current again. */
  readonly followUp?: FollowUp | undefined;
  /** The phone numbers that point to the menu after apply. */
  readonly bind: readonly Bind[];
  /** The phone numbers that the menu gets or loses, if the plan compares files. */
  readonly numbers?: readonly Renumbered[] | undefined;
  /** Set if it is no menu, but a recording that apply makes. */
  readonly recording?: Recipe & { readonly usedBy: readonly string[] };
}

/** What the steps of a plan mean. */
export interface Described {
  /** One for each menu, sorted by key, but each after the menus that it links to. */
  readonly changes: readonly Change[];
  readonly unchanged: number;
}

/** What steps mean for each menu: one change with everything that happens to the menu and its phone numbers. */
export function describeChanges(decided: Decided): Described {
  const { can, resources } = decided;
  const describer = new Describer(decided);
  const byRef = new Map<string, Resource>(resources.map((one) => [one.ref, one]));
  const changes: Change[] = [];
  let unchanged = 0;
  for (const ref of orderMenus(byRef.keys(), linkTargets(resources)).order) {
    const resource = byRef.get(ref);
    if (resource === undefined || isNumber(ref)) continue;
    if (isMenu(ref) && !can.targets.has(nameIn(ref))) continue;
    const steps = describer.stepsOf(resource.ref);
    const change = describer.change(resource, steps);
    if (change !== undefined) changes.push(change);
    else if (
      isMenu(ref) &&
      resource.desired &&
      resource.prior &&
      steps.every(({ op }) => op === "match")
    ) {
      unchanged += 1;
    }
  }
  return { changes, unchanged };
}

/** The changes that are about a menu on the service with its id. */
const hasId: ReadonlySet<Action> = new Set(["update", "bind", "delete", "missing", "drift"]);

class Describer {
  readonly #input: Decided;
  readonly #steps: ReadonlyMap<Ref, readonly Step[]>;
  readonly #menus: ReadonlyMap<Ref, WantedMenu>;
  readonly #reached: DestinationWords | undefined;

  constructor(input: Decided) {
    const { steps, menus, state, lists, agents } = input;
    this.#input = input;
    this.#steps = groupBy(steps, ({ ref }) => ref);
    this.#menus = new Map(menus.map((menu) => [menuRef(menu.key), menu]));
    this.#reached = lists.menus && reachedOn(state, lists.menus, agents);
  }

  stepsOf(ref: Ref): readonly Step[] {
    return this.#steps.get(ref) ?? [];
  }

  /** The content of the file, with the ids that menus have after the plan. */
  #contentOf(ref: Ref): Menu | undefined {
    const content = this.#menus.get(ref)?.content;
    const after = content && contentWithIds({ menu: content }, (to) => this.#input.ids.get(to));
    return after && "menu" in after ? after.menu : undefined;
  }

  /** What happens to a menu, or to an old menu that is deleted or gone. */
  change(resource: Resource, steps: readonly Step[]): Change | undefined {
    const { ref, from, prior, observed, used, desired } = resource;
    if (used && desired && "make" in desired) return recordingChange(ref, used, desired, steps);
    const { state } = this.#input;
    const named = this.#menus.get(ref)?.content?.numbers ?? [];
    const bind = bindsOf(ref, named, (to) => this.stepsOf(to), this.#reached, state);
    const numbers = this.#input.renumbered?.get(nameIn(ref));
    const action = actionFor(steps) ?? (bind.length > 0 || numbers ? "bind" : undefined);
    const isUnknown = action === "unknown";
    if (action === undefined || (isUnknown && isOld(ref))) return undefined;
    // A record is under the former key until the plan is applied.
    const recordedRef = from ?? ref;
    const current = liveRecord(state, recordedRef);
    const isGone = observed.kind === "absent" && (action === "forget" || action === "create");
    // What is created again is new for callers, although it is recorded.
    const before = action === "create" ? undefined : current && this.#namedToday(current);
    const after = isUnknown ? undefined : this.#contentOf(ref);
    const pending = (isUnknown && menuRecord(state, nameIn(recordedRef))?.pending) || undefined;
    const menu = this.#menus.get(ref);
    const spare = steps.find(({ op }) => op === "restore")?.spare;
    const isMistaken = steps.some((step) => isHeldBy(step, "wrong-id"));
    const waits = action === "waiting" ? steps.flatMap(waitsOf) : [];
    return {
      ref,
      key: nameIn(isUnknown ? recordedRef : ref),
      name: (pending?.menu ?? after ?? current?.menu)?.name ?? nameIn(ref),
      action,
      file: menu?.at().source.file,
      lines: before && changedLines(menu, before.menu, after ?? before.menu),
      vars: menu?.vars ?? new Map(),
      id: hasId.has(action) ? prior?.id : undefined,
      movedFrom: from === undefined || isUnknown ? undefined : nameIn(from),
      before,
      after,
      first: after && this.#firstOf(steps),
      gone: isGone ? prior?.id : undefined,
      kept: action === "forget" && !isGone ? this.#keptOf(resource) : undefined,
      drift: before && !isUnknown && !isMistaken ? this.#driftOf(before) : undefined,
      webhooks: steps.flatMap(({ webhooks = [] }) => webhooks),
      waitsFor: [...new Map(waits.map((one) => [one.key, one])).values()],
      pending,
      followUp: spare && followUpRecord(state, nameIn(spare)),
      bind,
      numbers,
    };
  }

  /** The record with the names of those who have the extensions now. */
  #namedToday(record: Confirmed): Confirmed {
    const { agents } = this.#input;
    const menu = mapDestinations(record.menu, (to): Destination => {
      const name = to.kind === "agent" ? agents?.with("eid", to.eid)[0]?.name : undefined;
      return to.kind !== "agent" || name === undefined || name === to.name
        ? to
        : { kind: "agent", eid: to.eid, name };
    });
    return { ...record, menu };
  }

  /** What is created before an update adds links, with the ids that are known. */
  #firstOf(steps: readonly Step[]): Menu | undefined {
    const { after } = steps.find(({ op }) => op === "create") ?? {};
    if (!after || !steps.some(({ op }) => op === "update")) return undefined;
    const first = contentWithIds(after, (to) => this.#input.ids.get(to));
    return "menu" in first ? first.menu : undefined;
  }

  #keptOf({ prior, observed }: Resource): Change["kept"] {
    const { operations, allowed } = this.#input.can;
    if (!operations.has("delete")) return undefined;
    if (!allowed.has("delete")) return "not-allowed";
    const isListed = prior?.id !== undefined && observed.kind !== "unread";
    return isListed ? "unreadable" : "unidentified";
  }

  #driftOf({ identified, menu: recorded }: Confirmed): Drift | undefined {
    const { lists, agents, state } = this.#input;
    const names = namesFor(state, agents);
    const seen = identified && lists.menus?.see(identified.id, recorded, names);
    if (seen?.kind !== "seen" || !("menu" in seen.content)) return undefined;
    const { menu } = seen.content;
    const differences = changedFields(recorded, menu);
    return differences.length === 0 ? undefined : { menu, differences };
  }
}

/** What happens to a recording. */
function recordingChange(
  ref: Ref,
  { alias, by }: NonNullable<Resource["used"]>,
  { make }: { readonly make: Recipe },
  steps: readonly Step[],
): Change | undefined {
  const action = actionFor(steps);
  if (action === undefined) return undefined;
  const recording = { ...make, usedBy: by.map(nameIn) };
  const nothing = { vars: new Map(), webhooks: [], waitsFor: [], bind: [] };
  return { ref, key: nameIn(ref), name: alias, action, ...nothing, recording };
}

/** The lines of the fields that change. */
function changedLines(menu: WantedMenu | undefined, before: Menu, after: Menu): Set<string> {
  const changed = [...changedFields(before, after), ...changedWords(before, after)];
  const places = changed.flatMap(({ path }) => menu?.placesOf?.(path) ?? []);
  return new Set(places.map(fileAndLine));
}

/** The menus that a step waits for. */
function waitsOf({ holds }: Step): WaitsFor[] {
  return holds.flatMap((hold): WaitsFor[] => {
    if (hold.why === "circle") return [{ key: nameIn(hold.to), because: "circle" }];
    const { of, because } = hold.why === "waiting" ? hold : {};
    return of && because ? [{ key: nameIn(of), because }] : [];
  });
}
