import { normalName } from "../../../compile/agents.ts";
import type { Facts } from "../digest.ts";
import type { Resource } from "./resources.ts";
import { type Can, type Hold, type Ref, type Step, isMenu, isOld, nameIn } from "./step.ts";

interface Planned {
  /** The steps that the targets select. */
  readonly steps: readonly Step[];
  /** The steps of the whole project. */
  readonly all: readonly Step[];
  readonly resources: readonly Resource[];
}

/** Adds holds to steps that are most likely a mistake. */
export function guardMistakes({ steps, all, resources }: Planned, can: Can): Step[] {
  const byRef = new Map(resources.map((one) => [one.ref, one]));
  const unknown = new Lookalikes();
  const removed = new Lookalikes();
  for (const { ref, prior, desired } of resources) {
    if (!isMenu(ref) || !prior?.pending) continue;
    unknown.add(ref, prior.pending.facts);
    if (desired === undefined) unknown.add(ref, prior.facts);
  }
  for (const step of all) if (isRemoval(step)) removed.add(step.ref, step.base);
  const absent = new Set(resources.filter(isAbsent));
  return steps.map((step) => {
    const { ref, op, event, after } = step;
    const resource = byRef.get(ref);
    const holds: Hold[] = [];
    if (op === "create" && after) {
      const twin = unknown.find(ref, after.facts);
      if (twin !== undefined) holds.push({ why: "lookalike", of: twin });
      const gone = resource?.prior === undefined ? removed.find(ref, after.facts) : undefined;
      if (gone !== undefined) holds.push({ why: "rename", of: gone });
    }
    const isFree = step.holds.length === 0 && (op === "create" || event === "dropped");
    if (isFree && resource && absent.has(resource) && absent.size > 1) {
      // An old menu is marked as done only if the list can be trusted.
      const doubtful = isOld(ref) ? [...absent] : [resource];
      if (mayBeCutOff(doubtful, can)) holds.push({ why: "cutoff" });
    }
    return holds.length === 0 ? step : { ...step, holds: [...step.holds, ...holds] };
  });
}

function isRemoval({ ref, op, event }: Step): boolean {
  return event === "removed" || (op === "delete" && isMenu(ref));
}

/** Whether something on record is not listed. It may be gone, or the list may be cut off. */
export function isAbsent({ observed, prior }: Resource): boolean {
  return observed.kind === "absent" && prior?.pending?.op !== "delete";
}

/** Whether a list may be cut off: it lacks something that the user does not name. */
export function mayBeCutOff(absent: readonly Resource[], can: Can): boolean {
  return absent.some((one) => !isNamed(one, can));
}

/** Whether the user names a resource, so that it may be gone. */
export function isNamed({ ref }: Resource, { targets }: Can): boolean {
  return targets.names(isMenu(ref) ? nameIn(ref) : ref);
}

/** Menus under other keys that may be the same as a new menu: menus with the same content have the same name. */
class Lookalikes {
  readonly #byName = new Map<string, Ref[]>();

  add(ref: Ref, facts: Facts | undefined): void {
    if (facts === undefined) return;
    const name = nameOf(facts);
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), ref]);
  }

  find(ref: Ref, facts: Facts): Ref | undefined {
    return this.#byName.get(nameOf(facts))?.find((other) => other !== ref);
  }
}

function nameOf(facts: Facts): string {
  return normalName(facts["name"] ?? "");
}
