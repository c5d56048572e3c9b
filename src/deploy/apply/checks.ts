import { isDeepStrictEqual } from "node:util";
import type { Confirmed } from "../../schema/state.ts";
import { menuDestination } from "../../schema/wire.ts";
import { changedFacts, payloadFacts, isSame } from "../plan/digest.ts";
import type { LiveMenus, Lists } from "../plan/lists.ts";
import type { Plan } from "../plan/plan.ts";
import { Reachable } from "../plan/names.ts";
import { describeAbsent, describeInboundLinks } from "../plan/hold-words.ts";
import { isAbsent, isNamed } from "../plan/steps/guards.ts";
import { planSteps } from "../plan/steps/plan-steps.ts";
import { type Resource, inboundLinks, observeNow, allResources } from "../plan/steps/resources.ts";
import { type Ref, type Step, withIds } from "../plan/steps/step.ts";
import type { Listed, Lists as OwnLists } from "./lists.ts";
import type { ApplyOptions } from "./options.ts";
import type { StepResult } from "./results.ts";

/** What requests and their checks need to know about a run. */
export interface Run {
  readonly plan: Plan;
  readonly options: ApplyOptions;
  readonly lists: OwnLists;
  readonly steps: readonly Step[];
  readonly results: ReadonlyMap<Step, StepResult>;
  readonly listedBefore: LiveMenus | undefined;
  idOf(ref: Ref): string | undefined;
  recordOf(ref: Ref): Confirmed | undefined;
}

/** Why a request is not sent. */
export type Refusal = Pick<StepResult, "outcome" | "message" | "changed">;

function left(message: string, changed?: StepResult["changed"]): Refusal {
  return { outcome: "not_attempted", message, ...(changed && { changed }) };
}

/** Why a menu is left alone: the service has other content than the step was compared with. */
export function changedSince(step: Step, run: Run, lists: Lists): Refusal | undefined {
  const { ref, base = {}, webhooks = [] } = step;
  const seen = observeNow(ref, run.options.session.state, lists);
  if (seen.kind === "absent") {
    return left(`the service no longer lists menu ${run.idOf(ref)}`, []);
  }
  if (seen.kind !== "seen") return left(`the list cannot be read: ${seen.problem}`, []);
  const changed = changedFacts(
    withIds(base, (to) => run.idOf(to)),
    seen.facts,
  );
  if (changed.length > 0) {
    return left("somebody changed it on the console since the plan was made", changed);
  }
  return isDeepStrictEqual(webhooks, seen.webhooks)
    ? undefined
    : left("its webhooks changed on the console since the plan was made", []);
}

/** Why a phone number is left alone: it, or its menu, is not what the step was compared with. */
export function bindRefusal(
  { ref, id, base = {} }: Step,
  menu: Ref,
  run: Run,
  { menus, numbers }: Listed,
): Refusal | undefined {
  const { session, agents } = run.options;
  const record = run.recordOf(menu);
  const to = record?.identified?.id ?? "";
  if (!menus.has(to)) return left(`the service no longer lists menu ${to}`);
  const isSent = run.steps.some((step) => step.ref === menu && step.op !== "record");
  const seen = observeNow(menu, session.state, { menus });
  if (
    !isSent &&
    record &&
    seen.kind === "seen" &&
    !isSame(payloadFacts(record.payload), seen.facts)
  ) {
    return left("somebody changed the menu on the console");
  }
  const now = observeNow(ref, session.state, { menus, numbers });
  if (now.kind !== "seen" || now.id !== id) {
    return left("the service no longer lists the number");
  }
  if (now.facts["destination"] === menuDestination(to)) {
    return { outcome: "bound", message: "it already points to this menu" };
  }
  if (isSame(now.facts, base)) return undefined;
  const reachable = new Reachable(session.state, menus, agents);
  const [was, is] = [base, now.facts].map((facts) => reachable.words(facts["destination"] || null));
  return left(`somebody changed what it points to since the plan was made: ${was} → ${is}`);
}

/**
 * Why a menu is not deleted, as far as other menus and phone numbers are concerned: a list may be cut
 * off, or something points to it now.
 */
export function keptBy(
  { ref, id = "?" }: Step,
  { plan: { desired, can }, steps, results, options }: Run,
  lists: Listed,
): Refusal | undefined {
  const { state } = options.session;
  const deleting = steps.filter(({ op }) => op === "delete");
  const outcomes = new Map(deleting.map((step) => [step.ref, results.get(step)?.outcome]));
  const resources = allResources(desired, state, lists).map((one) => {
    // A menu that stays, although it should be deleted, keeps the menus that it links to.
    const outcome = outcomes.get(one.ref);
    return outcome === undefined || outcome === "deleted" ? one : staying(one);
  });
  const lacking = resources.filter(
    (one) => isAbsent(one) && !isNamed(one, can) && !outcomes.has(one.ref),
  );
  if (lacking.length > 0) {
    const lacks = describeAbsent(lacking.map((one) => one.ref));
    return left(`the service does not list ${lacks}, so the list may be cut off`, []);
  }
  // A list may be from before the last delete.
  const deleted = new Set(
    deleting.flatMap((step) => (outcomes.get(step.ref) === "deleted" ? `id:${step.id}` : [])),
  );
  const links = inboundLinks(resources, state, lists).filter(({ from }) => !deleted.has(from));
  const { steps: now } = planSteps(resources, links, can);
  const own = now.find((step) => step.ref === ref && step.op === "delete");
  // What has to point elsewhere first is not done if the plan still has it.
  const open = new Set<string>(now.map((step) => step.ref));
  const sources = new Set([
    ...(own?.holds ?? []).map(({ of }) => of),
    ...(own?.needs ?? []).filter((need) => open.has(need)),
  ]);
  const found = links.filter(({ from, to }) => sources.has(from) && (to ?? id) === id);
  const words = describeInboundLinks(found, now);
  return words.length === 0 ? undefined : left(`something points to it: ${words.join(", ")}`, []);
}

function staying(resource: Resource): Resource {
  return { ...resource, doubts: ["waiting"] };
}
