import { orderMenus } from "../../../compile/flow.ts";
import { placesOf } from "../../../model/menu.ts";
import { changedFields } from "../../../model/menu-diff.ts";
import {
  type MenuRef,
  type RecordingRef,
  type Ref,
  isMenu,
  isNumber,
  isRecording,
  nameIn,
} from "../../../schema/ref.ts";
import type { Content } from "../../listed/observed.ts";
import type { Hold } from "../../reasons/hold.ts";
import type { Awaited } from "../../reasons/grouped.ts";
import { type Targets, pathBetween, withoutLinks } from "../menu-ids.ts";
import { isWrongId } from "./decide.ts";
import type { Resource } from "./resource.ts";
import {
  type PlanLimits,
  type Step,
  contentWithIds,
  isHeld,
  isHeldBy,
  isSent,
  linksIn,
  needsOf,
} from "./step.ts";

/** The id of each menu after the plan. None if it will be new, or if it is not known. */
export type Ids = ReadonlyMap<Ref, string | undefined>;

/** The menus that each file links to, those that phone numbers shall point to, and the recordings of menus. */
export function linkTargets(
  resources: readonly Resource[],
): ReadonlyMap<Ref, readonly (MenuRef | RecordingRef)[]> {
  return new Map(resources.map(({ ref, desired }) => [ref, desired ? needsOf(desired) : []]));
}

export function withHolds(step: Step, holds: readonly Hold[]): Step {
  return holds.length === 0 ? step : { ...step, holds: [...step.holds, ...holds] };
}

/** The hold of a menu whose links to `to` close a circle. */
export function circleFrom(
  { ref, after }: Step,
  to: Ref,
  targets: Targets,
  { operations }: PlanLimits,
): Hold {
  const path = pathBetween(to, ref, targets).map(nameIn);
  const places = after && "menu" in after ? placesOf(after.menu) : [];
  const links = places.flatMap(([place, end]) =>
    end.kind === "menu" && end.key === nameIn(to) ? place : [],
  );
  return { why: "circle", to, path, links, canUpdate: operations.has("update") };
}

/** Steps in the order of what they need: what is only recorded, then menus, phone numbers and deletes. */
export class StepOrder {
  readonly #steps: readonly Step[];
  readonly #resources: ReadonlyMap<Ref, Resource>;
  readonly #ids: Ids;
  readonly #can: PlanLimits;
  readonly #targets: Targets;
  readonly #creates: ReadonlySet<Ref>;
  /** The creates that have their place, with everything that holds them back. */
  readonly #placed = new Map<Ref, Step>();

  constructor(
    steps: readonly Step[],
    resources: ReadonlyMap<Ref, Resource>,
    ids: Ids,
    can: PlanLimits,
  ) {
    this.#steps = steps;
    this.#resources = resources;
    this.#ids = ids;
    this.#can = can;
    this.#targets = linkTargets([...resources.values()]);
    this.#creates = new Set(steps.flatMap(({ ref, op }) => (op === "create" ? ref : [])));
  }

  ordered(): Step[] {
    const menus = [
      ...this.#steps.filter((step) => !isSent(step) && !isNumber(step.ref)),
      ...this.#sentMenus(),
    ];
    const held = new Set(menus.flatMap((step) => (isHeld(step) ? step.ref : [])));
    return [
      ...menus,
      ...this.#steps.filter(({ ref }) => isNumber(ref)).map((step) => this.#afterMenu(step, held)),
      ...this.#steps.filter(({ op }) => op === "delete"),
    ];
  }

  /** The creates and updates of menus and recordings, each after the creates that it needs. The updates that close circles are last. */
  #sentMenus(): Step[] {
    const sending = new Map<string, Step>(
      this.#steps.flatMap((step) =>
        (isMenu(step.ref) || isRecording(step.ref)) &&
        (step.op === "create" || step.op === "update")
          ? [[step.ref, step]]
          : [],
      ),
    );
    const newTargets = new Map(
      [...sending].map(([ref, { needs }]) => [ref, needs.filter((to) => this.#creates.has(to))]),
    );
    const { order, isBack } = orderMenus(sending.keys(), newTargets);
    const placed = order.flatMap((ref) => {
      const step = sending.get(ref);
      const backLinks = newTargets.get(ref)?.filter((to) => isBack(ref, to)) ?? [];
      return step === undefined ? [] : this.#place(this.#withCertainHolds(step), backLinks);
    });
    // What these wait for is known only now that all creates have their place.
    const closing = placed.flatMap(({ closing: step }) =>
      step === undefined
        ? []
        : this.#waiting(
            step,
            step.needs.filter((to) => to !== step.ref),
          ),
    );
    return [...placed.map(({ step }) => step), ...closing];
  }

  /**
   * A step after everything that it needs. The links that close a circle get their ids in a second
   * step, or hold the menu back if it cannot be updated or does without them.
   */
  #place(step: Step, backLinks: readonly Ref[]): { readonly step: Step; readonly closing?: Step } {
    const needs = step.needs.filter((to) => !backLinks.includes(to));
    const ready = { ...this.#waiting(step, needs), needs };
    const first = backLinks.length > 0 ? this.#firstContent(step, backLinks) : undefined;
    const placed = first
      ? { ...ready, after: first }
      : withHolds(
          ready,
          backLinks.map((to) => circleFrom(step, to, this.#targets, this.#can)),
        );
    if (step.op === "create") this.#placed.set(step.ref, placed);
    return first
      ? { step: placed, closing: { ...ready, op: "update", base: first, needs: step.needs } }
      : { step: placed };
  }

  /** The first content of a menu that gets the links that close a circle later, if that is possible. */
  #firstContent({ ref, after }: Step, backLinks: readonly Ref[]): Content | undefined {
    const isUpdated =
      this.#can.operations.has("update") && this.#resources.get(ref)?.onChange !== "replace";
    if (!isUpdated || !after || !("menu" in after)) return undefined;
    const menu = withoutLinks(after.menu, backLinks.map(nameIn));
    return menu && { menu };
  }

  /** Only a certain change is refused: with the ids of the menus that it links to, a menu may be the recorded one. */
  #withCertainHolds(step: Step): Step {
    const isCertain = this.#isSurelyChanged(step);
    return { ...step, holds: step.holds.filter(({ why }) => why !== "refused" || isCertain) };
  }

  #isSurelyChanged({ ref, after }: Step): boolean {
    const prior = this.#resources.get(ref)?.prior?.content;
    const withIds = after && contentWithIds(after, (to) => this.#ids.get(to));
    if (!prior || !withIds || !("menu" in prior) || !("menu" in withIds)) return true;
    return changedFields(prior.menu, withIds.menu).some(({ after: value }) => {
      const [to] = value?.is === "destination" ? linksIn({ to: value.value }) : [];
      return to === undefined || this.#creates.has(to);
    });
  }

  /** A phone number also waits while anything about its menu is held back. Then nothing is taken from anybody. */
  #afterMenu(step: Step, held: ReadonlySet<Ref>): Step {
    if (!isSent(step)) return step;
    const holds = step.holds.filter(({ why }) => why !== "number-taken" && why !== "number-moved");
    const waiting = this.#waiting({ ...step, holds }, step.needs, held);
    return isHeldBy(waiting, "waiting") ? waiting : step;
  }

  /** The step, held back by each id that it needs and that does not become known when it is sent. */
  #waiting(step: Step, needs: readonly Ref[], held?: ReadonlySet<Ref>): Step {
    const holds = needs.flatMap((of): Hold[] => {
      const because = this.#awaited(of) ?? (held?.has(of) ? "waiting" : undefined);
      return because ? [{ why: "waiting", of, because }] : [];
    });
    return withHolds(step, holds);
  }

  /** Why the id of a menu is not known, if it does not become known either when apply has created it. */
  #awaited(ref: Ref): Awaited | undefined {
    const create = this.#placed.get(ref);
    const { observed, prior, doubts = [] } = this.#resources.get(ref) ?? {};
    const isWrong = doubts.some(isWrongId);
    const isGone = observed?.kind === "absent";
    // Apply waits until the recordings are ready that it makes, or that an earlier one made.
    if (isRecording(ref)) {
      const isMade = create ? !isHeld(create) : prior !== undefined && !prior.pending;
      return isMade ? undefined : "recording";
    }
    const isKnown = create
      ? !isHeld(create) && this.#can.operations.has("list")
      : this.#ids.get(ref) && !isWrong && !isGone;
    if (isKnown) return undefined;
    if (prior?.pending) return "unknown";
    if (create && isHeldBy(create, "lookalike")) return "absent";
    if (isGone && (!create || isHeldBy(create, "missing"))) return "missing";
    if (create) return isHeld(create) ? "waiting" : "sent";
    if (isWrong) return "waiting";
    const isRecorded = this.#steps.some(
      (step) => step.ref === ref && (step.op === "move" || step.op === "restore"),
    );
    return isRecorded ? "sent" : prior === undefined ? "absent" : "unidentified";
  }
}
