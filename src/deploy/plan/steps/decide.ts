import type { Content } from "../../listed/observed.ts";
import { changedWords } from "../../../model/menu-diff.ts";
import type { Hold } from "../../reasons/hold.ts";
import type { Resource } from "./resource.ts";
import { type Ref, isNumber, isOld, nameIn } from "../../../schema/ref.ts";
import { type PlanLimits, type Op, type Step, heldBy, isSame } from "./step.ts";

/**
 * What one resource needs. Only this function knows the cases. What it desires has the ids that menus
 * have after the plan, and references to menus that will be new.
 */
export function decide(resource: Resource, can: PlanLimits, needs: readonly Ref[] = []): Step[] {
  const { ref, from, desired, prior, observed, onChange, doubts } = resource;
  const now = observed.kind === "seen" ? observed.content : prior?.content;
  const spare = desired && resource.spares.find(({ content }) => isSame(content, desired));
  const ids = (observed.kind === "unreadable" && observed.candidates) || [];
  const step = (op: Op, holds: readonly (Hold | false | undefined)[]): Step => ({
    ref,
    op,
    from: op === "move" ? from : undefined,
    spare: op === "restore" ? spare?.ref : undefined,
    id: op === "create" ? undefined : isNumber(ref) ? seenId(resource) : prior?.id,
    base: op === "move" ? undefined : now,
    after: op === "move" ? undefined : desired,
    webhooks:
      observed.kind === "seen" && (op === "update" || op === "delete")
        ? observed.webhooks
        : undefined,
    links: {},
    needs,
    holds: heldBy(can, ...holds, op === "create" && sameName(resource, needs)),
  });
  if (prior?.pending) {
    const moving = from && ({ why: "lookalike", of: from, isMoved: true } as const);
    return [step("unknown", [{ why: "unknown" }, moving])];
  }
  if (resource.isInvalid) return [];
  if (desired === undefined) return withoutFile(resource, can, step);
  const moved = from === undefined ? [] : [step("move", [])];
  if (isNumber(ref)) {
    if (observed.kind !== "seen") return [step("bind", [{ why: "number-unlisted", ids }])];
    return isSame(observed.content, desired) ? [] : [step("bind", doubts)];
  }
  if (prior?.content && observed.kind === "absent") {
    // Two steps, so that a create that fails is still the reviewed one when the plan is applied again.
    const create = { ...step("create", [{ why: "missing" }, ...doubts]), base: undefined };
    return [...moved, step("drop", [{ why: "missing" }]), create];
  }
  const isFileSame = prior?.content !== undefined && isSame(prior.content, desired);
  if (now && isSame(now, desired)) {
    if (!isFileSame) return [...moved, step("match", [])];
    return isReworded(prior.content, desired) ? [...moved, step("reword", [])] : moved;
  }
  const isInPlace = can.operations.has("update") && onChange !== "replace";
  if (spare && !(isInPlace && prior)) return [...moved, step("restore", [])];
  if (prior === undefined) return [step("create", doubts)];
  if (isFileSame && !isInPlace) {
    return [...moved, step("update", doubts.some(isWrongId) ? doubts : [{ why: "drift" }])];
  }
  const isRefused = !isFileSame && onChange === "refuse";
  const holds = [...doubts, isRefused && ({ why: "refused" } as const)];
  // The recorded menu becomes a follow-up.
  if (!isInPlace) return [...moved, step("create", holds)];
  // A plan without lists is checked against them when it is applied.
  const isUnreadable = observed.kind !== "seen" && !(observed.kind === "unread" && prior.content);
  const { problem } = observed.kind === "seen" ? {} : observed;
  const pressed = observed.kind === "seen" ? observed.webhooks : [];
  return [
    ...moved,
    step("update", [
      ...holds,
      isUnreadable && { why: "not-found", from: nameIn(from ?? ref), problem, candidates: ids },
      pressed.length > 0 && { why: "webhook-loss", pressed },
    ]),
  ];
}

export function isWrongId({ why }: Hold): boolean {
  return why === "wrong-id";
}

/** The menus of the service that may be the new one. */
function sameName(
  { desired, namesakes: ids = [], prior, observed }: Resource,
  needs: readonly Ref[],
): Hold | undefined {
  if (ids.length === 0 || !desired || !("menu" in desired)) return undefined;
  return {
    why: "same-name",
    menu: desired.menu.name,
    ids,
    isReplaced: prior?.content !== undefined && observed.kind !== "absent",
    isOther: prior?.id !== undefined,
    hasLinks: needs.length > 0,
  };
}

function isReworded(recorded: Content, desired: Content): boolean {
  return (
    "menu" in recorded && "menu" in desired && changedWords(recorded.menu, desired.menu).length > 0
  );
}

/** What happens to something recorded that no file has. Without permission, an old menu stays a follow-up. */
function withoutFile(
  { ref, prior, observed, doubts }: Resource,
  { operations, allowed }: PlanLimits,
  step: (op: Op, holds: readonly Hold[]) => Step,
): Step[] {
  if (prior === undefined || isNumber(ref)) return [];
  const isDeleted =
    operations.has("delete") &&
    allowed.has("delete") &&
    prior.id !== undefined &&
    observed.kind !== "unreadable";
  if (isDeleted && observed.kind === "absent") return [step("drop", doubts)];
  if (isDeleted) return [step("delete", doubts)];
  return isOld(ref) ? [] : [step("forget", doubts)];
}

function seenId({ observed }: Resource): string | undefined {
  return observed.kind === "seen" ? observed.id : undefined;
}
