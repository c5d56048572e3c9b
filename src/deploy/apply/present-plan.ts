import type { Agents } from "../../project/agent-list.ts";
import { groupBy } from "../../util/group-by.ts";
import {
  changedFieldsOf,
  changedOnConsole,
  describeDifference,
  mainStep,
} from "../plan/changes/difference.ts";
import { shortWords } from "../reasons/reasons.ts";
import { shortly } from "../reasons/shortly.ts";
import type { Lists } from "../listed/read-account.ts";
import { reachedOn } from "../listed/names.ts";
import type { Plan } from "../plan/plan.ts";
import { withUnknown } from "../listed/reconcile.ts";
import { planSteps } from "../plan/steps/plan-steps.ts";
import { type Link, describeLinks } from "../plan/steps/resource.ts";
import { allResources, inboundLinks } from "../plan/steps/resources.ts";
import { isReviewed } from "../plan/steps/review.ts";
import { type RecordingRef, type Ref, isNumber, isRecording, nameIn } from "../../schema/ref.ts";
import type { Hold } from "../reasons/hold.ts";
import { type Step, isSent } from "../plan/steps/step.ts";
import { type StateView, idOnRecord } from "../state/view.ts";
import type { StepResult } from "./step-results.ts";

/** What a run has done so far. */
interface Done {
  /** Whether the run did not succeed in a step for this. */
  hasFailed(ref: Ref): boolean;
  /** Whether the run had steps for this, and has done them all. A list may not show it yet. */
  hasDone(ref: Ref): boolean;
  /** What the service said about a recording that is not ready. */
  said(ref: RecordingRef): string | undefined;
  /** The menus that the run has deleted, as `id:7`. A list may still show them. */
  readonly deleted: ReadonlySet<string>;
}

/** A plan that is made again while it is applied. Each reviewed step is compared with what it would be now. */
export class PresentPlan {
  readonly lists: Lists;
  readonly #state: StateView;
  readonly #done: Done;
  readonly #links: readonly Link[];
  readonly #steps: readonly Step[];
  readonly #byRef: ReadonlyMap<string, readonly Step[]>;

  constructor(plan: Pick<Plan, "desired" | "can">, state: StateView, lists: Lists, done: Done) {
    this.#state = state;
    this.lists = lists;
    this.#done = done;
    const stateNow = withUnknown(state, plan.desired);
    // What was tried without success holds back what needs it.
    const resources = allResources(plan.desired, stateNow, lists).map((one) =>
      done.hasFailed(one.ref) ? Object.assign(one, { doubts: [tried] }) : one,
    );
    const { deleted } = done;
    this.#links = inboundLinks(resources, stateNow, lists).filter(({ from }) => !deleted.has(from));
    this.#steps = planSteps(resources, this.#links, plan.can).steps;
    this.#byRef = groupBy(this.#steps, ({ ref }) => ref);
  }

  /** Whether a reviewed step is the same now, nothing holds it back, and what it needs is done. */
  isReady(then: Step): boolean {
    const now = this.#stepsOf(then.ref).find(isSent);
    return (
      now !== undefined &&
      now.holds.length === 0 &&
      isReviewed(now, then, this.#idOf) &&
      this.#openNeeds(now).length === 0
    );
  }

  /** Why a reviewed step is not done. */
  whyLeft(
    then: Step,
    agents: Agents | undefined,
  ): Pick<StepResult, "outcome" | "message" | "changed"> {
    const steps = this.#stepsOf(then.ref);
    const now = mainStep(steps);
    if (now === undefined && isNumber(then.ref)) {
      return { outcome: "bound", message: shortly.numberIsRight };
    }
    const outcome = "not_attempted";
    const words = now && this.#hindrance(now, isReviewed(now, then, this.#idOf));
    if (words !== undefined) return { outcome, message: words };
    const { menus } = this.lists;
    const reached = menus && reachedOn(this.#state, menus, agents);
    const difference = describeDifference([then], steps, this.#idOf, reached);
    const changed = now ? changedFieldsOf(changedOnConsole(then, now, this.#idOf)) : [];
    const what = isNumber(then.ref) ? "what it points to" : "it on the console";
    return then.op === now?.op
      ? { outcome, message: shortly.changed(what, difference), changed }
      : { outcome, message: difference };
  }

  readonly #idOf = (ref: Ref): string | undefined => idOnRecord(this.#state, ref);

  #stepsOf(ref: string): readonly Step[] {
    return this.#byRef.get(ref) ?? [];
  }

  /** What a step needs, and what is not done. Only a new menu matters for a menu that links to it. */
  #openNeeds({ ref, op, needs }: Step): readonly Ref[] {
    return needs.filter((need) => {
      const open = this.#stepsOf(need);
      if (isRecording(need)) return this.#idOf(need) === undefined;
      if (isNumber(ref)) return open.length > 0 && !this.#done.hasDone(need);
      return need !== ref && open.some((step) => op === "delete" || step.op === "create");
    });
  }

  /** What holds a step back, in words. */
  #hindrance(now: Step, isSame: boolean): string | undefined {
    const { ref, op, id, holds } = now;
    const resource = { ref, id: this.#idOf(ref) ?? id };
    if (op === "drop") return shortly.missing(resource.id);
    const words = shortWords(holds, resource, isSame);
    if (words !== undefined || !isSame) return words;
    const sources = holds.flatMap((hold) => (hold.why === "delete-guard" ? hold.from : []));
    const needs = this.#openNeeds(now);
    if (op === "delete") return shortly.inbound(this.#sourcesOf(now, [...sources, ...needs]));
    const [awaited] = [
      ...holds.flatMap((hold) => (hold.why === "waiting" ? (hold.of ?? []) : [])),
      ...needs,
    ];
    if (awaited === undefined) return undefined;
    const open = isNumber(ref) ? mainStep(this.#stepsOf(awaited)) : undefined;
    if (isRecording(awaited)) return shortly.notReady(nameIn(awaited), this.#done.said(awaited));
    if (open === undefined) return shortly.unidentified(nameIn(awaited));
    const done = open.op === "create" ? "created" : "updated";
    return this.#hindrance(open, false) ?? shortly.menuNotSent(done);
  }

  /** What points to a menu that is to be deleted. */
  #sourcesOf({ id = "?" }: Step, sources: readonly string[]): string[] {
    return describeLinks(
      this.#links.filter(({ from, to }) => sources.includes(from) && (to ?? id) === id),
    );
  }
}

const tried: Hold = { why: "waiting", because: "waiting" };
