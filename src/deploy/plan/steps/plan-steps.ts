import { orderMenus } from "../../../compile/flow.ts";
import { isOnCircle } from "../menu-ids.ts";
import { Patterns } from "../../../util/patterns.ts";
import { decide } from "./decide.ts";
import { guardDeletes, guardMistakes } from "./guards.ts";
import type { Link, Resource } from "./resource.ts";
import { type Ref, isMenu, isOld, nameIn } from "../../../schema/ref.ts";
import { type PlanLimits, type Step, contentWithIds, isHeld, isHeldBy, ownerOf } from "./step.ts";
import { type Ids, StepOrder, circleFrom, linkTargets, withHolds } from "./step-order.ts";

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
  const ordered = new StepOrder(guarded, byRef, ids, can).ordered();
  const open = can.targets.isNarrow ? holdCircles(ordered, byRef, can) : ordered;
  return { steps: guardDeletes(guardSize(open, can), { resources, links }, can), ids };
}

/** Holds all creates if there are too many. */
function guardSize(steps: readonly Step[], { maxCreates }: PlanLimits): readonly Step[] {
  const creates = steps.filter((step) => step.op === "create" && isMenu(step.ref) && !isHeld(step));
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
  const all = new StepOrder(whole.steps, byRef, whole.ids, everyone).ordered();
  const circles = all.flatMap(({ ref, holds }) =>
    holds.flatMap((hold) => (hold.why === "circle" ? { ...hold, from: ref } : [])),
  );
  if (circles.length === 0) return steps;
  const targets = linkTargets([...byRef.values()]);
  return steps.map((step) => {
    if (step.op !== "create" || isHeldBy(step, "circle")) return step;
    const circle = circles.find(({ from, to }) => isOnCircle(step.ref, from, to, targets));
    return circle ? withHolds(step, [circleFrom(step, circle.to, targets, can)]) : step;
  });
}

/**
 * Whether the user wants steps of a resource. A phone number belongs to its menu, and a recording to those
 * that use it. An old menu must be
 * named: if it is deleted, a rollback needs a new menu.
 */
function isTarget({ ref, desired, used }: Resource, { targets }: PlanLimits): boolean {
  if (isOld(ref)) return targets.names(ref);
  if (used) return used.by.some((menu) => targets.has(nameIn(menu)));
  return targets.has(nameIn(ownerOf({ ref, after: desired })));
}

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
function decideWith(resource: Resource, needs: readonly Ref[], ids: Ids, can: PlanLimits): Step[] {
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
