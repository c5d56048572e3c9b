import type { Agents } from "../../project/agents.ts";
import { groupBy } from "../../util/group-by.ts";
import {
  changedFieldsOf,
  changedOnConsole,
  describeDifference,
  mainStep,
} from "../plan/changes/difference.ts";
import { because } from "../matters/because.ts";
import { describeInboundLinks, unnamed } from "../plan/held.ts";
import type { Lists } from "../listed/read-account.ts";
import { reachedOn } from "../listed/names.ts";
import type { Plan } from "../plan/plan.ts";
import { withUnknown } from "../listed/reconcile.ts";
import { planSteps } from "../plan/steps/plan-steps.ts";
import type { Link, Resource } from "../plan/steps/resource.ts";
import { allResources, inboundLinks } from "../plan/steps/resources.ts";
import { isReviewed } from "../plan/steps/review.ts";
import { type Ref, isNumber, nameIn } from "../../schema/ref.ts";
import { type Step, isHeldBy } from "../plan/steps/step.ts";
import { type StateView, idOnRecord } from "../state/view.ts";
import type { StepResult } from "./results.ts";

/** What a run has done so far. */
interface Done {
  /** Whether the run did not succeed in a step for this. */
  hasFailed(ref: Ref): boolean;
  /** Whether the run had steps for this, and has done them all. A list may not show it yet. */
  hasDone(ref: Ref): boolean;
  /** The menus that the run has deleted, as `id:7`. A list may still show them. */
  readonly deleted: ReadonlySet<string>;
}

/** A plan that is made again while it is applied. Each reviewed step is compared with what it would be now. */
export class PresentPlan {
  readonly lists: Lists;
  readonly #plan: Pick<Plan, "desired" | "can">;
  readonly #state: StateView;
  readonly #done: Done;
  readonly #resources: readonly Resource[];
  readonly #links: readonly Link[];
  readonly #steps: readonly Step[];
  readonly #byRef: ReadonlyMap<string, readonly Step[]>;

  constructor(plan: Pick<Plan, "desired" | "can">, state: StateView, lists: Lists, done: Done) {
    this.#plan = plan;
    this.#state = state;
    this.lists = lists;
    this.#done = done;
    const known = withUnknown(state, plan.desired);
    // What was tried without success holds back what needs it.
    this.#resources = allResources(plan.desired, known, lists).map((one) =>
      done.hasFailed(one.ref) ? Object.assign(one, { doubts: ["waiting" as const] }) : one,
    );
    const { deleted } = done;
    this.#links = inboundLinks(this.#resources, known, lists).filter(
      ({ from }) => !deleted.has(from),
    );
    this.#steps = planSteps(this.#resources, this.#links, plan.can).steps;
    this.#byRef = groupBy(this.#steps, ({ ref }) => ref);
  }

  /** Whether a reviewed step is the same now, nothing holds it back, and what it needs is done. */
  isReady(then: Step): boolean {
    const now = this.#stepsOf(then.ref).find(({ op }) => op !== "record");
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
      return { outcome: "bound", message: because.numberIsRight };
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
      ? { outcome, message: because.changed(what, difference), changed }
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
      if (isNumber(ref)) return open.length > 0 && !this.#done.hasDone(need);
      return need !== ref && open.some((step) => op === "delete" || step.op === "create");
    });
  }

  /** What holds a step back, in words. */
  #hindrance(now: Step, isSame: boolean): string | undefined {
    const { ref, op, event, id, holds } = now;
    const gone = this.#idOf(ref) ?? id;
    if (isHeldBy(now, "unlisted")) return because.numberMissing;
    if (isHeldBy(now, "missing") || event === "dropped") {
      return because.missing(gone);
    }
    if (isHeldBy(now, "unreadable")) {
      return gone === undefined ? because.unidentified(nameIn(ref)) : because.unreadable;
    }
    if (isHeldBy(now, "unknown")) return because.unknown(nameIn(ref));
    if (!isSame) return undefined;
    const twin = holds.find(({ why }) => why === "lookalike")?.of;
    if (twin !== undefined) return because.unknown(nameIn(twin));
    if (isHeldBy(now, "namesake")) {
      const { namesakes = [] } = this.#resources.find((one) => one.ref === ref) ?? {};
      const { name = nameIn(ref) } = now.after && "menu" in now.after ? now.after.menu : {};
      return because.sameName(name, namesakes);
    }
    if (op === "delete") return this.#keptBy(now);
    const [awaited] = [...holds.flatMap(({ of }) => of ?? []), ...this.#openNeeds(now)];
    if (awaited === undefined) return undefined;
    const open = isNumber(ref) ? mainStep(this.#stepsOf(awaited)) : undefined;
    if (open === undefined) return because.unidentified(nameIn(awaited));
    const done = open.op === "create" ? "created" : "updated";
    return this.#hindrance(open, false) ?? because.menuNotSent(done);
  }

  /** Why a menu is not deleted: a list may be cut off, or something points to it. */
  #keptBy(step: Step): string | undefined {
    const { holds, id = "?" } = step;
    if (isHeldBy(step, "cutoff")) {
      const absent = unnamed({ resources: this.#resources, can: this.#plan.can });
      return because.cutOff(absent.map(({ ref }) => nameIn(ref)));
    }
    const sources = new Set([...holds.map(({ of }) => of), ...this.#openNeeds(step)]);
    const found = this.#links.filter(({ from, to }) => sources.has(from) && (to ?? id) === id);
    return because.inbound(describeInboundLinks(found));
  }
}
