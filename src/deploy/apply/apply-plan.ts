import { setMaxListeners } from "node:events";
import type { StateEvent } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { reconcile } from "../plan/reconcile.ts";
import type { Lists } from "../plan/observed.ts";
import { actions, doneOutcome } from "../plan/actions.ts";
import { type Plan, begun, newStateId } from "../plan/plan.ts";
import { type Ref, nameIn, subjectRef } from "../../schema/ref.ts";
import type { Step } from "../plan/steps/step.ts";
import { State, type StateView } from "../state/state.ts";
import { idOnRecord } from "../state/view.ts";
import { attempt, inTurn } from "./attempt.ts";
import { RecentLists } from "./recent-lists.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { PresentPlan } from "./present.ts";
import { Recorder } from "./recorder.ts";
import { requestFor } from "./requests.ts";
import {
  type Applied,
  type Kind,
  type Result,
  type StepResult,
  type Unrecorded,
  completedBy,
  eventsWithoutRequest,
  initialResults,
  isDeferred,
  isIdle,
  newNames,
  requestKind,
  stepKey,
  unrecordedResult,
  untried,
  withWaits,
} from "./results.ts";

/** Does the steps of a plan that nothing holds back, and nothing else. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  return new Run(plan, options).run();
}

/** New menus come before those that link to them, phone numbers after their menus, and deletes last. */
const order: readonly Kind[] = ["create", "update", "bind", "delete"];

class Run {
  readonly options: ApplyOptions;
  readonly steps: readonly Step[];
  readonly #plan: Plan;
  readonly #lists: RecentLists;
  /** What became of each menu and phone number so far. */
  readonly #results: Map<Ref, Result>;
  readonly #byRef: ReadonlyMap<string, readonly Step[]>;
  readonly #done = new Set<Step>();
  readonly #failed = new Set<Ref>();
  /** The steps of this run whose outcome is unknown. */
  readonly #unknown = new Map<Ref, Step>();
  readonly #unrecorded: Unrecorded[] = [];
  readonly #recorder: Recorder;
  /** The plan as it is made now, and the state before the requests that are being sent. */
  #present: PresentPlan | undefined;
  #before: StateView = new State();

  constructor(plan: Plan, options: ApplyOptions) {
    this.options = options;
    this.steps = plan.steps.filter(({ holds }) => holds.length === 0);
    this.#plan = plan;
    this.#results = new Map(initialResults(plan).map((one) => [one.ref, one]));
    this.#byRef = groupBy(this.steps, ({ ref }) => ref);
    this.#recorder = new Recorder(options.session, options.halt);
    this.#lists = new RecentLists(options, this.#recorder);
    // Every request in flight listens to it.
    setMaxListeners(0, options.stop);
  }

  async run(): Promise<Applied> {
    await this.#begin();
    await this.#recordWithoutRequest();
    await this.#sendAll();
    await this.#recorder.finish();
    this.#recorder.throwBug();
    return {
      results: withWaits([...this.#results.values()].map((one) => this.#withId(one))),
      problem: this.#recorder.problem,
      unrecorded: this.#unrecorded,
      listProblem: this.#lists.problem,
    };
  }

  get lists(): Lists {
    return this.#present?.lists ?? {};
  }

  idOf(ref: Ref): string | undefined {
    return idOnRecord(this.options.session.state, ref);
  }

  /** Records the first event of a state that begins on its own. */
  async #begin(): Promise<void> {
    const { environment, address } = this.#plan;
    if (isIdle(this.#plan) || this.options.session.state.origin !== null) return;
    const origin = { id: newStateId(), environment, address };
    if (!this.#recorder.halt.aborted) await this.#recorder.record(begun(origin));
  }

  /** Records the steps that need no request, and what the lists prove. */
  async #recordWithoutRequest(): Promise<void> {
    if (!(await this.#recordAll(eventsWithoutRequest(this.#plan)))) return;
    for (const [ref, initial] of this.#results) {
      const steps = this.#stepsOf(ref);
      const recorded = steps.filter((step) => step.event && !isDeferred(step));
      for (const step of recorded) this.#done.add(step);
      const last = recorded.findLast(({ event }) => event !== "matched");
      if (last === undefined || recorded.length < steps.length) continue;
      const result = { ...initial, ...untried, outcome: doneOutcome(last) };
      this.#results.set(ref, result);
      if (!actions[initial.action].isLeft) this.options.watcher.finished(this.#withId(result));
    }
    await this.#recordAll(newNames(this.#plan, this.options.session.state));
  }

  /** Returns false if the events could not be recorded. */
  async #recordAll(events: readonly StateEvent[]): Promise<boolean> {
    if (this.#recorder.halt.aborted) return false;
    return events.length === 0 || this.#recorder.record(...events);
  }

  /**
   * Looks at the service, records what that proves, plans again, and does what was reviewed and is ready.
   * Repeats this until nothing is left that can be done.
   */
  async #sendAll(): Promise<void> {
    const { halt } = this.#recorder;
    let left = this.steps.filter((step) => requestKind(step) !== undefined);
    for (let isLearning = false; left.length > 0 || isLearning;) {
      if (!(await this.#look())) return;
      const ready = left.filter((step) => this.#present?.isReady(step));
      const kind = order.find((one) => ready.some((step) => requestKind(step) === one));
      if (kind === undefined) break;
      // Only deletes can be done now. A menu that stays keeps those that it links to: that is planned first.
      const staying = kind === "delete" ? left.filter((step) => !ready.includes(step)) : [];
      for (const step of staying) this.#leave(step);
      const wave = staying.length > 0 ? [] : ready.filter((step) => requestKind(step) === kind);
      const tried = await this.#send(wave, kind);
      left = left.filter((step) => !tried.includes(step) && !staying.includes(step));
      if (halt.aborted) return;
      isLearning = tried.some(({ op, ref }) => op === "create" || this.#unknown.has(ref));
      // For a delete, the lists may be as old as for any other request.
      if (isLearning || kind !== "delete") this.#lists.forget();
    }
    for (const step of left) this.#leave(step);
  }

  /** Sends the requests of steps. Returns those that were tried: a delete that fails keeps the others from being sent. */
  async #send(wave: readonly Step[], kind: Kind): Promise<readonly Step[]> {
    const { concurrency, session } = this.options;
    const tried: Step[] = [];
    await inTurn(wave, kind === "delete" ? 1 : concurrency, this.#recorder, async (step) => {
      const last = tried.at(-1);
      if (kind === "delete" && last && !this.#done.has(last)) return;
      tried.push(step);
      if (kind === "delete") this.#before = new State(session.state);
      await this.#do(step);
      if (kind === "delete") await this.#recorder.finish();
    });
    await this.#recorder.finish();
    return tried;
  }

  /** Reads the lists, records the ids and outcomes that they prove, and plans again. Returns false if that fails. */
  async #look(): Promise<boolean> {
    const { session } = this.options;
    const lists = await this.#lists.recent();
    if (lists === undefined || !(await this.#learn(lists))) return false;
    this.#before = new State(session.state);
    this.#present = new PresentPlan(this.#plan, this.#before, lists, this);
    return true;
  }

  async #learn(lists: Lists): Promise<boolean> {
    const { session, agents } = this.options;
    // What the plan shows as unknown stays so. The next plan reads the list, and plans what follows from it.
    const open = [...this.#results.values()].filter(({ action }) => action === "unknown");
    const unknown = new Set(open.map(({ key }) => key));
    const events = reconcile(session.state, lists, agents).events.filter(
      (event) =>
        !("key" in event) || ("follow_up" in event && event.follow_up) || !unknown.has(event.key),
    );
    if (events.length > 0 && !(await this.#recorder.record(...events))) return false;
    for (const event of events) {
      const step = event.kind === "outcome" && this.#unknown.get(subjectRef(event));
      if (!step) continue;
      const outcome = event.as === "done" ? doneOutcome(step) : "failed";
      const message = event.how === "answer" ? event.message : event.evidence;
      const { attempts = 0 } = this.#results.get(step.ref) ?? {};
      this.#finish(step, { outcome, status: null, message, attempts });
    }
    return true;
  }

  // ---- What the run has done ----

  hasFailed(ref: Ref): boolean {
    return this.#failed.has(ref);
  }

  hasDone(ref: Ref): boolean {
    const steps = this.#stepsOf(ref).filter((step) => !isDeferred(step));
    return steps.length > 0 && steps.every((step) => this.#done.has(step));
  }

  get deleted(): ReadonlySet<string> {
    return new Set([...this.#done].flatMap(({ op, id }) => (op === "delete" ? `id:${id}` : [])));
  }

  #stepsOf(ref: string): readonly Step[] {
    return this.#byRef.get(ref) ?? [];
  }

  // ---- One step ----

  async #do(step: Step): Promise<void> {
    const request = requestFor(step, this);
    if (request === undefined) return;
    const done = doneOutcome(step);
    await attempt(
      {
        ...request,
        key: stepKey(step),
        check: async () => {
          const why = await this.#refusal(step);
          return why && ((attempts) => this.#finish(step, { ...untried, ...why, attempts }));
        },
        finished: ({ kind, status, message }, attempts) => {
          const outcome = kind === "done" ? done : kind;
          this.#finish(step, { outcome, status, message, attempts });
        },
        unrecorded: (intent, outcome, attempts) => {
          this.#set(step, unrecordedResult(request.kind, outcome, attempts));
          // The next plan looks at the list of phone numbers, so nothing has to be kept.
          if (request.kind === "bind") return;
          this.#unrecorded.push({ key: nameIn(step.ref), intent, outcome, attempts });
        },
      },
      this.#recorder,
      this.options,
    );
  }

  /** Why a request must not be sent any more. A create overwrites nothing. */
  async #refusal(step: Step): Promise<Partial<StepResult> | undefined> {
    const lists = step.op === "create" ? undefined : await this.#lists.recent();
    if (lists === undefined) return undefined;
    if (lists !== this.#present?.lists) {
      this.#present = new PresentPlan(this.#plan, this.#before, lists, this);
    }
    return this.#present.isReady(step)
      ? undefined
      : this.#present.whyLeft(step, this.options.agents);
  }

  #leave(step: Step): void {
    const result = { ...untried, ...this.#present?.whyLeft(step, this.options.agents) };
    // The result of a create says that the update which completes it is missing.
    if (this.#completes(step)) this.#set(step, result);
    else this.#finish(step, result);
  }

  #finish(step: Step, result: StepResult): void {
    const before = this.#results.get(step.ref);
    this.#set(step, result);
    if (before === undefined) return;
    const action = this.#completes(step) ? "update" : before.action;
    this.options.watcher.finished({ ...before, action, ...result });
  }

  #set(step: Step, result: StepResult): void {
    const { ref } = step;
    const { outcome } = result;
    if (outcome === doneOutcome(step)) this.#done.add(step);
    if (outcome === "unknown") this.#unknown.set(ref, step);
    else this.#unknown.delete(ref);
    const before = this.#results.get(ref);
    if (before === undefined) return;
    if (!this.#completes(step)) this.#results.set(ref, { ...before, ...result });
    // If the create failed, that is the result.
    else if (!this.#failed.has(ref)) this.#results.set(ref, completedBy(before, result));
    if (outcome === "failed" || outcome === "not_attempted") this.#failed.add(ref);
  }

  /** Whether a step is the update that adds the links of a new menu. */
  #completes({ op, ref }: Step): boolean {
    return op === "update" && this.#stepsOf(ref).some((one) => one.op === "create");
  }

  #withId(result: Result): Result {
    const isListed = this.options.list !== undefined && this.#plan.list !== undefined;
    const id = result.id ?? (isListed ? this.idOf(result.ref) : undefined);
    return { ...result, ...(id !== undefined && { id }) };
  }
}
