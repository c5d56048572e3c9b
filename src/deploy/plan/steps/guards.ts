import type { Content } from "../../listed/observed.ts";
import { normalName } from "../../../project/agent-list.ts";
import { type Resource, type Link, describeLinks, isNow } from "./resource.ts";
import { type Ref, asRef, isMenu, isOld, kindOf, nameIn } from "../../../schema/ref.ts";
import type { Hold } from "../../reasons/hold.ts";
import type { PlanLimits, Step } from "./step.ts";
import { orderMenus } from "../../../compile/flow.ts";
import { groupBy } from "../../../util/group-by.ts";

interface Planned {
  /** The steps that the targets select. */
  readonly steps: readonly Step[];
  /** The steps of the whole project. */
  readonly all: readonly Step[];
  readonly resources: readonly Resource[];
}

/** Adds holds to steps that are most likely a mistake. */
export function guardMistakes({ steps, all, resources }: Planned, can: PlanLimits): Step[] {
  const byRef = new Map(resources.map((one) => [one.ref, one]));
  const unknown = lookalikes(
    resources.flatMap(({ ref, prior, desired }) => {
      if (!isMenu(ref) || !prior?.pending) return [];
      const sent = { ref, content: prior.pending.content };
      return desired === undefined ? [sent, { ref, content: prior.content }] : sent;
    }),
  );
  const removed = lookalikes(
    all.filter(isRemoval).map(({ ref, base }) => ({ ref, content: base })),
  );
  const absent = new Set(resources.filter(isAbsent));
  return steps.map((step) => {
    const { ref, op, after } = step;
    const resource = byRef.get(ref);
    const holds: Hold[] = [];
    if (op === "create" && isMenu(ref) && after) {
      const twin = unknown(ref, after);
      if (twin !== undefined) holds.push({ why: "lookalike", of: twin });
      const gone = resource?.prior === undefined ? removed(ref, after) : undefined;
      if (gone !== undefined) holds.push({ why: "renamed", of: gone });
    }
    const isFree = step.holds.length === 0 && (op === "create" || op === "drop");
    if (isFree && resource && absent.has(resource) && absent.size > 1) {
      // An old menu is marked as done only if the list can be trusted.
      const isDoubtful = isOld(ref) || !isNamed(resource, can);
      if (isDoubtful) holds.push(...cutOff([...absent], can));
    }
    return holds.length === 0 ? step : { ...step, holds: [...step.holds, ...holds] };
  });
}

function isRemoval({ ref, op }: Step): boolean {
  return op === "forget" || (op === "delete" && isMenu(ref));
}

/** Whether something recorded is not listed. It may be gone, or the list may be cut off. */
function isAbsent({ observed, prior }: Resource): boolean {
  return observed.kind === "absent" && prior?.pending?.op !== "delete";
}

/** Whether a list may be cut off: it lacks something that the user does not name. */
function cutOff(absent: readonly Resource[], can: PlanLimits): Hold[] {
  const unnamed = absent.flatMap((one) => (isNamed(one, can) ? [] : one.ref));
  return [...groupBy(unnamed, kindOf)].map(([noun, gone]) => ({ why: "cut-off-list", noun, gone }));
}

/** Whether the user names a resource, so that it may be gone. */
function isNamed({ ref }: Resource, { targets }: PlanLimits): boolean {
  return targets.names(isMenu(ref) ? nameIn(ref) : ref);
}

/** Finds a menu under a different key that may be the same: menus with the same content have the same name. */
function lookalikes(
  menus: readonly { readonly ref: Ref; readonly content: Content | undefined }[],
) {
  const byName = groupBy(menus, ({ content }) => content && nameOf(content));
  return (ref: Ref, content: Content): Ref | undefined =>
    byName.get(nameOf(content))?.find((other) => other.ref !== ref)?.ref;
}

function nameOf(content: Content): string {
  return normalName("menu" in content ? content.menu.name : "");
}

interface LinkedResources {
  readonly resources: readonly Resource[];
  readonly links: readonly Link[];
}

/**
 * Holds the deletes of menus that something points to, and orders the others: a menu comes before those
 * that it points to. What this plan changes points elsewhere afterwards, and what is gone points nowhere. A
 * delete needs those steps.
 */
export function guardDeletes(
  steps: readonly Step[],
  { resources, links }: LinkedResources,
  can: PlanLimits,
): Step[] {
  const deleting = new Map<string, Step>(
    steps.flatMap((step) => (step.op === "delete" ? [[step.ref, step]] : [])),
  );
  if (deleting.size === 0) return [...steps];
  const changed = new Set<string>(
    steps.flatMap(({ ref, op, holds }) =>
      (op === "update" || op === "bind" || op === "drop") && holds.length === 0 ? ref : [],
    ),
  );
  /** What points to each menu: `true` for what this plan lets point elsewhere. */
  const sources = new Map(
    [...deleting].map(([ref, { id }]) => {
      const inbound = links.filter(({ from, to }) => from !== ref && (to ?? id) === id);
      return [ref, groupBy(inbound, (link) => isNow(link) && changed.has(link.from))] as const;
    }),
  );
  const sourcesOf = (ref: string, isRedirected: boolean) => [
    ...new Set(
      sources
        .get(ref)
        ?.get(isRedirected)
        ?.map(({ from }) => from),
    ),
  ];
  const absent = resources.filter(isAbsent);
  // One menu that somebody deleted on the console, before its file was deleted, is what users expect.
  const isExpected = steps.some(
    ({ ref, op, holds }) =>
      op === "drop" && holds.length === 0 && absent.every((one) => one.ref === ref),
  );
  const doubts = isExpected ? [] : cutOff(absent, can);
  const held = new Map<string, readonly Hold[]>();
  for (const [ref, { holds }] of deleting) if (holds.length > 0) held.set(ref, holds);
  // A menu that stays keeps those that it links to.
  for (let size = -1; size !== held.size;) {
    size = held.size;
    for (const ref of deleting.keys()) {
      const from = sourcesOf(ref, false).filter((one) => !deleting.has(one) || held.has(one));
      const inbound = from.length === 0 ? [] : [linked(from, sources.get(ref)?.get(false) ?? [])];
      const holds = [...doubts, ...inbound];
      if (holds.length > 0 && !held.has(ref)) held.set(ref, holds);
    }
  }
  /** A menu that stays only because it links to one that stays is no reason of its own. */
  function linked(from: readonly string[], all: readonly Link[]): Hold {
    const own = all.filter((link) => from.includes(link.from) && !deleting.has(link.from));
    const late = own.flatMap((link) => (link.kind === "lagging" ? nameIn(link.from) : []));
    const lagging = late.length === own.length ? late : [];
    return { why: "delete-guard", from, sources: describeLinks(own), lagging };
  }
  const before = new Map([...deleting.keys()].map((ref) => [ref, sourcesOf(ref, false)]));
  const { order } = orderMenus(deleting.keys(), before);
  return [
    ...steps.filter(({ op }) => op !== "delete"),
    ...order.flatMap((ref): Step[] => {
      const step = deleting.get(ref);
      const needs = sourcesOf(ref, true).map(asRef);
      return step === undefined ? [] : [{ ...step, needs, holds: held.get(ref) ?? [] }];
    }),
  ];
}
