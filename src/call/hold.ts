import type { Claim, Invariant } from "./invariants.ts";
import { type CallMenu, type Walk, walk } from "./model.ts";
import { answers, isReached } from "./run.ts";
import { type CallWay, waysOf } from "./ways.ts";

/** A menu that breaks an invariant, with a call that shows it. */
export interface Violation {
  readonly key: string;
  readonly invariant: Invariant;
  readonly walk: Walk;
  /** What does not hold; undefined where the menu lacks the key that it is about. */
  readonly broken: Claim | undefined;
}

/** The first violation in a menu; nothing where the invariant holds, or is not about it. */
export function violationOf(menu: CallMenu, invariant: Invariant): Violation | undefined {
  const { key } = menu;
  if (!invariant.isAbout(key)) return undefined;
  const ways = waysOf(menu).filter(
    (way) =>
      (invariant.key === undefined || (way.via === "option" && way.key === invariant.key)) &&
      (invariant.via === undefined || way.via === invariant.via),
  );
  if (invariant.key !== undefined && !menu.options.some((own) => own.key === invariant.key)) {
    return { key, invariant, walk: walk(menu, [invariant.key]), broken: undefined };
  }
  for (const way of ways) {
    for (const broken of invariant.claims) {
      const call = brokenBy(menu, way, broken);
      if (call !== undefined) return { key, invariant, walk: call, broken };
    }
  }
  return undefined;
}

/** The call on this way for which the claim does not hold: the shortest, or the longest where that counts. */
function brokenBy(menu: CallMenu, way: CallWay, claim: Claim): Walk | undefined {
  switch (claim.kind) {
    case "reaches":
      return claim.any.some((one) => isReached(one, way.destination))
        ? undefined
        : walk(menu, way.shortest);
    case "not-blocked":
      return answers(way.destination) ? undefined : walk(menu, way.shortest);
    case "max-heard":
    case "max-steps": {
      // The prompt, then a recording for every press but a key of the menu.
      const steps = way.longest.length;
      const heard = steps + (way.via === "option" ? 0 : 1);
      const count = claim.kind === "max-heard" ? heard : steps;
      return count > claim.most ? walk(menu, way.longest) : undefined;
    }
  }
}
