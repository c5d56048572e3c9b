import { orderMenus } from "../../../compile/flow.ts";
import { groupBy } from "../../../util/group-by.ts";
import { isAbsent, mayBeCutOff } from "./guard-mistakes.ts";
import { type Link, type Resource, isNow } from "./resources.ts";
import type { Can, Hold, Ref, Step } from "./step.ts";

interface Known {
  readonly resources: readonly Resource[];
  readonly links: readonly Link[];
}

/**
 * Holds the deletes of menus that something points to, and orders the others: a menu comes before those
 * that it points to. What this plan changes points elsewhere afterwards. A delete needs those steps.
 */
export function guardDeletes(
  steps: readonly Step[],
  { resources, links }: Known,
  can: Can,
): Step[] {
  const deleting = new Map<string, Step>(
    steps.flatMap((step) => (step.op === "delete" ? [[step.ref, step]] : [])),
  );
  if (deleting.size === 0) return [...steps];
  const changed = new Map<string, Ref>(
    steps.flatMap(({ ref, op, holds }) =>
      op === "update" && holds.length === 0 ? [[ref, ref]] : [],
    ),
  );
  const isRedirected = (link: Link) => isNow(link) && changed.has(link.from);
  const left = groupBy(
    links.filter((link) => !isRedirected(link)),
    ({ to }) => to,
  );
  const redirected = groupBy(links.filter(isRedirected), ({ to }) => to);
  const anywhere = left.get(undefined) ?? [];
  const linksTo = (id: string | undefined) => [...(left.get(id) ?? []), ...anywhere];
  const absent = resources.filter(isAbsent);
  // One menu that somebody deleted on the console, before its file was deleted, is what users expect.
  const isExpected = steps.some(
    ({ ref, event, holds }) =>
      event === "dropped" && holds.length === 0 && absent.every((one) => one.ref === ref),
  );
  const isCutOff = !isExpected && mayBeCutOff(absent, can);
  const held = new Map<string, readonly Hold[]>();
  for (const [ref, { holds }] of deleting) if (holds.length > 0) held.set(ref, holds);
  // A menu that stays keeps those that it links to.
  for (let size = -1; size !== held.size;) {
    size = held.size;
    for (const [ref, { id }] of deleting) {
      if (held.has(ref)) continue;
      const by = linksTo(id).filter(
        ({ from }) => from !== ref && (!deleting.has(from) || held.has(from)),
      );
      const inbound = [...new Set(by.map(({ from }) => from))].map((of): Hold => ({
        why: "inbound",
        of,
      }));
      if (inbound.length > 0 || isCutOff)
        held.set(ref, isCutOff ? [{ why: "cutoff" }, ...inbound] : inbound);
    }
  }
  const pairs = [...deleting].flatMap(([ref, { id }]) =>
    (left.get(id) ?? []).map(({ from }) => ({ from, ref })),
  );
  const targets = new Map(
    [...groupBy(pairs, ({ from }) => from)].map(([from, own]) => [from, own.map(({ ref }) => ref)]),
  );
  const { order } = orderMenus([...deleting.keys()].toReversed(), targets);
  return [
    ...steps.filter(({ op }) => op !== "delete"),
    ...order.toReversed().flatMap((ref): Step[] => {
      const step = deleting.get(ref);
      if (step === undefined) return [];
      const sources = redirected.get(step.id) ?? [];
      const needs = [...new Set(sources.flatMap(({ from }) => changed.get(from) ?? []))];
      return [{ ...step, needs, holds: held.get(ref) ?? [] }];
    }),
  ];
}
