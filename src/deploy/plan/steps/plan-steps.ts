import type { Content } from "../../listed/observed.ts";
import { orderMenus } from "../../../compile/flow.ts";
import { changedFields } from "../../../model/menu-diff.ts";
import { type Targets, isOnCircle, pathBetween, withoutLinks } from "../menu-ids.ts";
import { Patterns } from "../../../util/patterns.ts";
import type { Awaited, Hold } from "../../reasons/hold.ts";
import { decide, isWrongId } from "./decide.ts";
import { guardDeletes, guardMistakes } from "./guards.ts";
import type { Link, Resource } from "./resource.ts";
import { type MenuRef, type Ref, isMenu, isNumber, isOld, nameIn } from "../../../schema/ref.ts";
import {
  type PlanLimits,
  type Step,
  isHeld,
  isHeldBy,
  isSent,
  linksIn,
  ownerOf,
  contentWithIds,
} from "./step.ts";

/**
 * All steps, each after those that it needs. Decides every resource, breaks circles in two steps, and
 * passes on what holds a step back to the steps that need it.
 */
export function planSteps(
  resources: readonly Resource[],
  links: readonly Link[],
  can: PlanLimits,
): { readonly steps: Step[]; readonly ids: Ids } {
  const { steps: all, ids } = decideAll(resources, can);
  const byRef = new Map(resources.map((resource) => [resource.ref, resource]));
  const chosen = all.filter(({ ref }) => {
    const resource = byRef.get(ref);
    return resource !== undefined && isTarget(resource, can);
  });
  const guarded = guardMistakes({ steps: chosen, all, resources }, can);
  const ordered = orderSteps(guarded, byRef, ids, can);
  const open = can.targets.isNarrow ? holdCircles(ordered, byRef, can) : ordered;
  return { steps: guardDeletes(guardSize(open, can), { resources, links }, can), ids };
}

/** Holds all creates if there are too many. */
function guardSize(steps: readonly Step[], { maxCreates }: PlanLimits): readonly Step[] {
  const creates = steps.filter((step) => step.op === "create" && !isHeld(step));
  if (maxCreates === undefined || creates.length <= maxCreates) return steps;
  const created = creates.map(({ ref }) => ref);
  const hold = { why: "too-many-creates", created, limit: maxCreates } as const;
  return steps.map((step) => (creates.includes(step) ? withHolds(step, [hold]) : step));
}

/**
 * Holds creates of menus in a circle that is not a target as a whole. Every new menu would need another
 * new one, so the plans that follow would never come to an end.
 */
function holdCircles(
  steps: readonly Step[],
  byRef: ReadonlyMap<Ref, Resource>,
  can: PlanLimits,
): readonly Step[] {
  const everyone = { ...can, targets: new Patterns([]) };
  const whole = decideAll([...byRef.values()], everyone);
  const all = orderSteps(whole.steps, byRef, whole.ids, everyone);
  const circles = all.flatMap(({ ref, holds }) =>
    holds.flatMap((hold) => (hold.why === "circle" ? { ...hold, from: ref } : [])),
  );
  if (circles.length === 0) return steps;
  const targets = linkTargets([...byRef.values()]);
  return steps.map((step) => {
    if (step.op !== "create" || isHeldBy(step, "circle")) return step;
    const circle = circles.find(({ from, to }) => isOnCircle(step.ref, from, to, targets));
    return circle ? withHolds(step, [circleFrom(step.ref, circle.to, targets, can)]) : step;
  });
}

/**
 * Whether the user wants steps of a resource. A phone number belongs to its menu. An old menu must be
 * named: if it is deleted, a rollback needs a new menu.
 */
function isTarget({ ref, desired }: Resource, { targets }: PlanLimits): boolean {
  if (isOld(ref)) return targets.names(ref);
  return targets.has(nameIn(ownerOf({ ref, after: desired })));
}

/** The menus that each file links to, and those that phone numbers shall point to. */
export function linkTargets(resources: readonly Resource[]): ReadonlyMap<Ref, readonly MenuRef[]> {
  return new Map(resources.map(({ ref, desired }) => [ref, desired ? linksIn(desired) : []]));
}

/** The id of each menu after the plan. None if it will be new, or if it is not known. */
export type Ids = ReadonlyMap<Ref, string | undefined>;

/**
 * Decides all resources. A menu that will be new, or that is restored, has a different id. That changes the
 * menus that link to it, until nothing more changes.
 */
function decideAll(
  resources: readonly Resource[],
  can: PlanLimits,
): { readonly steps: readonly Step[]; readonly ids: Ids } {
  const ids = new Map(resources.map((one) => [one.ref, idBefore(one)]));
  const needs = linkTargets(resources);
  const sources = new Map<Ref, Ref[]>();
  for (const [ref, targets] of needs) {
    for (const to of targets) sources.set(to, [...(sources.get(to) ?? []), ref]);
  }
  const byRef = new Map<string, Resource>(resources.map((one) => [one.ref, one]));
  const inOrder = orderMenus(byRef.keys(), needs).order.flatMap((ref) => byRef.get(ref) ?? []);
  const steps = new Map<Ref, Step[]>();
  const open = new Set(inOrder.map(({ ref }) => ref));
  // Menus come after those that they link to, so only circles need more than one round.
  for (let round = 0; open.size > 0 && round <= resources.length; round += 1) {
    for (const resource of inOrder) {
      const { ref } = resource;
      if (!open.delete(ref)) continue;
      const decided = decideWith(resource, needs.get(ref) ?? [], ids, can);
      steps.set(ref, decided);
      const id = idAfter(resource, decided, can);
      if (id === ids.get(ref)) continue;
      ids.set(ref, id);
      for (const source of sources.get(ref) ?? []) open.add(source);
    }
  }
  return { steps: resources.flatMap(({ ref }) => steps.get(ref) ?? []), ids };
}

/** The steps of a resource, with the references of its file. They are decided with the ids after the plan. */
function decideWith(
  resource: Resource,
  needs: readonly MenuRef[],
  ids: Ids,
  can: PlanLimits,
): Step[] {
  const { desired } = resource;
  if (desired === undefined) return decide(resource, can);
  const withIdsAfter = contentWithIds(desired, (ref) => ids.get(ref));
  const links = Object.fromEntries(
    needs.flatMap((ref) => {
      const id = ids.get(ref);
      return id === undefined ? [] : [[ref, id] as const];
    }),
  );
  return decide({ ...resource, desired: withIdsAfter }, can, needs).map((step) =>
    Object.assign(step, { after: step.after && desired, links }),
  );
}

/** An unknown create may have made a new menu. An unknown update keeps the id. */
function idBefore({ prior }: Resource): string | undefined {
  return prior?.pending?.op === "create" ? undefined : prior?.id;
}

/** A step that is held back changes no id. */
function idAfter(resource: Resource, steps: readonly Step[], can: PlanLimits): string | undefined {
  const free = isTarget(resource, can) ? steps.filter((step) => !isHeld(step)) : [];
  if (free.some(({ op }) => op === "create")) return undefined;
  const spare = free.find(({ op }) => op === "restore")?.spare;
  const restored = resource.spares.find(({ ref }) => ref === spare);
  return restored === undefined ? idBefore(resource) : restored.id;
}

/** Orders steps by what they need: what is only recorded, then menus, phone numbers and deletes. */
function orderSteps(
  steps: readonly Step[],
  resources: ReadonlyMap<Ref, Resource>,
  ids: Ids,
  can: PlanLimits,
): Step[] {
  const { operations } = can;
  const allTargets = linkTargets([...resources.values()]);
  const creates = new Set(steps.flatMap(({ ref, op }) => (op === "create" ? ref : [])));
  const sending = new Map<string, Step>(
    steps.flatMap((step) =>
      isMenu(step.ref) && (step.op === "create" || step.op === "update") ? [[step.ref, step]] : [],
    ),
  );
  const targets = new Map(
    [...sending].map(([ref, { needs }]) => [ref, needs.filter((to) => creates.has(to))]),
  );
  const { order, isBack } = orderMenus(sending.keys(), targets);
  /** The creates that are in order, with everything that holds them back. */
  const ordered = new Map<Ref, Step>();

  /** Why the id of a menu is not known, if it does not become known either when apply has created it. */
  const awaited = (ref: Ref): Awaited | undefined => {
    const create = ordered.get(ref);
    const { observed, prior, doubts = [] } = resources.get(ref) ?? {};
    const isWrong = doubts.some(isWrongId);
    const isGone = observed?.kind === "absent";
    if (create ? !isHeld(create) && operations.has("list") : ids.get(ref) && !isWrong && !isGone) {
      return undefined;
    }
    if (prior?.pending) return "unknown";
    if (create && isHeldBy(create, "lookalike")) return "absent";
    if (isGone && (!create || isHeldBy(create, "missing"))) return "missing";
    if (create) return isHeld(create) ? "waiting" : "sent";
    if (isWrong) return "waiting";
    const isRecorded = steps.some(
      (step) => step.ref === ref && (step.op === "move" || step.op === "restore"),
    );
    return isRecorded ? "sent" : prior === undefined ? "absent" : "unidentified";
  };
  const waiting = (step: Step, needs: readonly Ref[], held?: ReadonlySet<Ref>): Step =>
    withHolds(
      step,
      needs.flatMap((of): Hold[] => {
        const because = awaited(of) ?? (held?.has(of) ? "waiting" : undefined);
        return because ? [{ why: "waiting", of, because }] : [];
      }),
    );
  /** The first content of a menu that gets the links that close a circle later, if that is possible. */
  const firstContent = ({ ref, after }: Step, links: readonly Ref[]): Content | undefined => {
    const isUpdated = operations.has("update") && resources.get(ref)?.onChange !== "replace";
    if (!isUpdated || !after || !("menu" in after)) return undefined;
    const menu = withoutLinks(after.menu, links.map(nameIn));
    return menu && { menu };
  };
  /** A menu may be the same as the recorded one, once the ids of the menus that it links to are known. */
  const isSurelyChanged = ({ ref, after }: Step): boolean => {
    const prior = resources.get(ref)?.prior?.content;
    const known = after && contentWithIds(after, (to) => ids.get(to));
    if (!prior || !known || !("menu" in prior) || !("menu" in known)) return true;
    return changedFields(prior.menu, known.menu).some(({ after: value }) => {
      const [to] = value?.is === "destination" ? linksIn({ to: value.value }) : [];
      return to === undefined || creates.has(to);
    });
  };
  /** A phone number also waits while anything about its menu is held back. Then nothing is taken from anybody. */
  const bind = (step: Step, held: ReadonlySet<Ref>): Step => {
    if (!isSent(step)) return step;
    const holds = step.holds.filter(({ why }) => why !== "number-taken" && why !== "number-moved");
    const waited = waiting({ ...step, holds }, step.needs, held);
    return isHeldBy(waited, "waiting") ? waited : step;
  };

  const later: Step[] = [];
  const sent = order.flatMap((ref): Step[] => {
    const planned = sending.get(ref);
    if (planned === undefined) return [];
    const isRefusable = isSurelyChanged(planned);
    const holds = planned.holds.filter(({ why }) => why !== "refused" || isRefusable);
    const step = { ...planned, holds };
    const backs = step.needs.filter((to) => creates.has(to) && isBack(ref, to));
    const needs = step.needs.filter((to) => !backs.includes(to));
    const ready = { ...waiting(step, needs), needs };
    const first = backs.length > 0 ? firstContent(step, backs) : undefined;
    const done = first
      ? { ...ready, after: first }
      : withHolds(
          ready,
          backs.map((to) => circleFrom(step.ref, to, allTargets, can)),
        );
    if (step.op === "create") ordered.set(step.ref, done);
    if (first) later.push({ ...ready, op: "update", base: first, needs: step.needs });
    return [done];
  });
  const menus = [
    ...steps.filter((step) => !isSent(step) && !isNumber(step.ref)),
    ...sent,
    ...later.map((step) =>
      waiting(
        step,
        step.needs.filter((to) => to !== step.ref),
      ),
    ),
  ];
  const held = new Set(menus.flatMap((step) => (isHeld(step) ? step.ref : [])));
  return [
    ...menus,
    ...steps.filter(({ ref }) => isNumber(ref)).map((step) => bind(step, held)),
    ...steps.filter(({ op }) => op === "delete"),
  ];
}

function withHolds(step: Step, holds: readonly Hold[]): Step {
  return holds.length === 0 ? step : { ...step, holds: [...step.holds, ...holds] };
}

function circleFrom(from: Ref, to: Ref, targets: Targets, { operations }: PlanLimits): Hold {
  const path = pathBetween(to, from, targets).map(nameIn);
  return { why: "circle", to, path, canUpdate: operations.has("update") };
}
