import { beginEvents } from "../state/begin.ts";
import { setMaxListeners } from "node:events";
import type { StateEvent } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { reconcile } from "../listed/reconcile.ts";
import type { Lists } from "../listed/read-account.ts";
import { type Action, actionFor, doneOutcome } from "../plan/changes/actions.ts";
import { type Plan } from "../plan/plan.ts";
import {
  type RecordingRef,
  type Ref,
  isNumber,
  isRecording,
  menuRef,
  nameIn,
  recordingRef,
} from "../../schema/ref.ts";
import { type SentOp, type Step, isSent } from "../plan/steps/step.ts";
import { State, type StateView } from "../state/state.ts";
import { idOnRecord, liveRecord } from "../state/view.ts";
import { IdQuestions } from "./id-questions.ts";
import { attempt, inTurn } from "./attempt.ts";
import { RecentLists } from "./recent-lists.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { PresentPlan } from "./present-plan.ts";
import { Recorder } from "./recorder.ts";
import { RecordingWait } from "./recording-wait.ts";
import { requestFor } from "./requests.ts";
import {
  type Applied,
  type StepOutcome,
  type StepResult,
  type Unrecorded,
  eventsWithoutRequest,
  initialResults,
  isDeferred,
  isIdle,
  newNames,
  newTexts,
  resolvedBy,
  resultFrom,
  stepKey,
  stepsAwaitingIds,
  unrecordedResult,
  untried,
  withWaits,
} from "./step-results.ts";

/** Does the steps of a plan that nothing holds back, and nothing else. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  return new Run(plan, options).run();
}

/** New menus come before those that link to them, phone numbers after their menus, and deletes last. */
const order: readonly SentOp[] = ["create", "update", "bind", "delete"];

/** What is done as soon as it is recorded. */
const recordOnly: ReadonlySet<Action> = new Set(["move", "reword", "forget", "restore"]);

class Run {
  readonly options: ApplyOptions;
  readonly steps: readonly Step[];
  readonly #plan: Plan;
  readonly #lists: RecentLists;
  readonly #results = new Map<Step, StepResult>();
  readonly #initial: Map<Ref, StepOutcome>;
  readonly #byRef: ReadonlyMap<string, readonly Step[]>;
  /** The steps that wait for ids which somebody can type. */
  readonly #waiting: ReadonlySet<Step>;
  readonly #unrecorded: Unrecorded[] = [];
  readonly #recorder: Recorder;
  readonly #recordings: RecordingWait;
  readonly #ids: IdQuestions;
  /** The plan as it is made now, and the state before the requests that are being sent. */
  #present: PresentPlan | undefined;
  #before: StateView = new State();

  constructor(plan: Plan, options: ApplyOptions) {
    this.options = options;
    const awaiting = options.askId ? stepsAwaitingIds(plan) : [];
    const freed = new Map(awaiting.map((step) => [step, { ...step, holds: [] }]));
    this.#waiting = new Set(freed.values());
    this.steps = plan.steps
      .map((step) => freed.get(step) ?? step)
      .filter(({ holds }) => holds.length === 0);
    this.#plan = plan;
    this.#initial = new Map(initialResults(plan).map((one) => [one.ref, one]));
    this.#byRef = groupBy(this.steps, ({ ref }) => ref);
    this.#recorder = new Recorder(options.session, options.halt);
    this.#ids = new IdQuestions(options, this.#recorder);
    this.#recordings = new RecordingWait(options, this.#recorder, (ref) => this.#announce(ref));
    const withNumbers = this.steps.some(({ ref, op }) => isNumber(ref) || op === "delete");
    const { list, clock } = options;
    this.#lists = new RecentLists({ list, withNumbers, clock }, this.#recorder);
    // Every request in flight listens to it.
    setMaxListeners(0, options.stop);
  }

  async run(): Promise<Applied> {
    await this.#begin();
    await this.#recordWithoutRequest();
    await this.#sendAll();
    await this.#askForNumbered();
    await this.#recorder.finish();
    this.#recorder.throwBug();
    return {
      results: withWaits([...this.#initial.values()].map((one) => this.#resultOf(one))),
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

  /**
   * Records the first event of a state that begins on its own, the address of the first apply, and the
   * commit of the files.
   */
  async #begin(): Promise<void> {
    const { session, checkout } = this.options;
    const { applied } = session.state;
    if (isIdle(this.#plan) && this.#waiting.size === 0) return;
    const isRecorded =
      checkout?.commit === applied?.commit && checkout?.modified === applied?.modified;
    await this.#recordAll(beginEvents(session.state, this.#plan));
    // It shares a block with the first intents, so it costs no request of its own.
    if (checkout !== undefined && !isRecorded && !this.#recorder.halt.aborted) {
      this.#recorder.recordMeanwhile({ kind: "applied", ...checkout }, () => {});
    }
  }

  /** Records the steps that need no request, and what the lists prove. */
  async #recordWithoutRequest(): Promise<void> {
    const texts = newTexts(this.#plan, this.options.session.state);
    if (!(await this.#recordAll([...texts, ...eventsWithoutRequest(this.#plan)]))) return;
    for (const step of this.steps) {
      if (!isSent(step) && !isDeferred(step))
        this.#results.set(step, { ...untried, outcome: doneOutcome(step) });
    }
    for (const initial of this.#initial.values()) {
      if (recordOnly.has(initial.action)) {
        this.options.watcher.finished(this.#resultOf(initial));
      }
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
   * Repeats this until nothing is left that can be done, and nobody knows an id that is missing.
   */
  async #sendAll(): Promise<void> {
    const { halt } = this.#recorder;
    let left = this.steps.filter(isSent);
    for (let isLearning = false; left.length > 0 || isLearning;) {
      if (!(await this.#look())) return;
      const ready = left.filter((step) => this.#present?.isReady(step));
      const kind = order.find((one) => ready.some((step) => step.op === one));
      if (kind === undefined) {
        const needed = new Set(left.flatMap(({ needs }) => needs));
        if (await this.#recordings.wait(new Set([...needed].filter(isRecording)))) continue;
        if (await this.#ids.ask(needed)) continue;
        break;
      }
      // Only deletes can be done now. A menu that stays keeps those that it links to: that is planned first.
      const staying = kind === "delete" ? left.filter((step) => !ready.includes(step)) : [];
      for (const step of staying) this.#leave(step);
      const wave = staying.length > 0 ? [] : ready.filter((step) => step.op === kind);
      for (const step of wave) this.#release(step);
      const tried = await this.#send(wave, kind);
      left = left.filter((step) => !tried.includes(step) && !staying.includes(step));
      if (halt.aborted) return;
      isLearning = tried.some(
        (step) => step.op === "create" || this.#results.get(step)?.outcome === "unknown",
      );
      // For a delete, the lists may be as old as for any other request.
      if (isLearning || kind !== "delete") this.#lists.forget();
    }
    if (halt.aborted) return;
    const staying = new Set<Ref>();
    for (const step of left) {
      // The menus that a step needs are before it.
      const isAwaiting = (ref: Ref) =>
        staying.has(ref) ||
        this.idOf(ref) === undefined ||
        (this.#byRef.has(ref) && !this.hasDone(ref));
      if (this.#waiting.has(step) && step.needs.some(isAwaiting)) staying.add(step.ref);
      else {
        this.#release(step);
        this.#leave(step);
      }
    }
  }

  // ---- Ids that somebody types ----

  /** Asks for the ids of new menus that a person has to point numbers to: the console may have namesakes. */
  async #askForNumbered(): Promise<void> {
    const { halt } = this.#recorder;
    if (this.#plan.list !== undefined || halt.aborted) return;
    const created = this.steps.flatMap(({ ref, op }) =>
      op === "create" && this.hasDone(ref) ? [ref] : [],
    );
    const numbersOf = (ref: Ref) => liveRecord(this.options.session.state, ref)?.menu.numbers ?? [];
    await this.#ids.ask(new Set(created.filter((ref) => numbersOf(ref).length > 0)));
  }

  /** Begins a step that waited for ids. It was reviewed, and only these are new. */
  #release(step: Step): void {
    const initial = this.#initial.get(step.ref);
    if (!this.#waiting.has(step) || initial === undefined) return;
    const { waitsFor: _, ...rest } = initial;
    this.#initial.set(step.ref, { ...rest, ...untried, action: actionFor([step]) ?? "create" });
  }

  /** Sends the requests of steps. Returns those that were tried: a delete that fails keeps the others from being sent. */
  async #send(wave: readonly Step[], kind: SentOp): Promise<readonly Step[]> {
    const { concurrency, session } = this.options;
    const tried: Step[] = [];
    await inTurn(wave, kind === "delete" ? 1 : concurrency, this.#recorder, async (step) => {
      const last = tried.at(-1);
      if (kind === "delete" && last && this.#results.get(last)?.outcome !== "deleted") return;
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
    const open = [...this.#initial.values()].filter(({ action }) => action === "unknown");
    const unknown = new Set(open.map(({ key }) => key));
    const events = reconcile(session.state, lists, agents).events.filter(
      (event) =>
        !("key" in event) || ("follow_up" in event && event.follow_up) || !unknown.has(event.key),
    );
    if (events.length > 0 && !(await this.#recorder.record(...events))) return false;
    for (const event of events) {
      if (event.kind === "identified" && event.recording) this.#announce(recordingRef(event.key));
      if (event.kind !== "outcome") continue;
      for (const [step, result] of this.#results) {
        const resolved = result.outcome === "unknown" ? resolvedBy(step, result, event) : undefined;
        if (resolved) this.#finish(step, resolved);
      }
    }
    return true;
  }

  /** Reports a recording of this run when it is ready. */
  #announce(ref: RecordingRef): void {
    const [step] = this.#stepsOf(ref);
    const result = step && this.#results.get(step);
    if (result) this.#finish(step, result, true);
  }

  // ---- What the run has done ----

  /** What the service said about a recording that is not ready. */
  said(ref: RecordingRef): string | undefined {
    return this.#recordings.said.get(ref);
  }

  hasFailed(ref: Ref): boolean {
    return this.#stepsOf(ref).some((step) => {
      const { outcome } = this.#results.get(step) ?? {};
      return outcome === "failed" || outcome === "not_attempted";
    });
  }

  hasDone(ref: Ref): boolean {
    const steps = this.#stepsOf(ref).filter((step) => !isDeferred(step));
    const isDone = (step: Step) => this.#results.get(step)?.outcome === doneOutcome(step);
    return steps.length > 0 && steps.every(isDone);
  }

  get deleted(): ReadonlySet<string> {
    return new Set(
      [...this.#results].flatMap(([{ id }, { outcome }]) =>
        outcome === "deleted" ? `id:${id}` : [],
      ),
    );
  }

  #stepsOf(ref: string): readonly Step[] {
    return this.#byRef.get(ref) ?? [];
  }

  get operations(): Plan["can"]["operations"] {
    return this.#plan.can.operations;
  }

  // ---- One step ----

  async #do(step: Step): Promise<void> {
    const request = requestFor(step, this);
    if (request === undefined || !isSent(step)) return;
    const kind = step.op;
    const done = doneOutcome(step);
    await attempt(
      {
        ...request,
        key: stepKey(step),
        check: async () => {
          const why = await this.#refusal(step);
          return why && ((attempts) => this.#finish(step, { ...untried, ...why, attempts }));
        },
        finished: ({ kind: as, status, message }, attempts) => {
          const outcome = as === "done" ? done : as;
          const words = as === "failed" ? (request.explain?.(message) ?? message) : message;
          this.#finish(step, { outcome, status, message: words, attempts });
        },
        unrecorded: (intent, outcome, attempts) => {
          this.#results.set(step, unrecordedResult(kind, outcome, attempts));
          // The next plan looks at the list of phone numbers, so nothing has to be kept.
          if (kind === "bind") return;
          this.#unrecorded.push({ key: nameIn(step.ref), intent, outcome, attempts });
        },
      },
      this.#recorder,
      this.options,
    );
  }

  /** Why a request must not be sent any more. */
  async #refusal(step: Step): Promise<Partial<StepResult> | undefined> {
    const lists = await this.#lists.recent();
    if (lists?.menus === undefined) return undefined;
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
    if (this.#completes(step)) this.#results.set(step, result);
    else this.#finish(step, result);
  }

  #finish(step: Step, result: StepResult, isReady = !isRecording(step.ref)): void {
    const { watcher } = this.options;
    this.#results.set(step, result);
    const initial = this.#initial.get(step.ref);
    // A recording is only made when it is ready.
    if (initial === undefined || (result.outcome === "created" && !isReady)) return;
    const action = this.#completes(step) ? "update" : initial.action;
    watcher.finished({ ...initial, action, ...result });
  }

  /** Whether a step is the update that adds the links of a new menu. */
  #completes({ op, ref }: Step): boolean {
    return op === "update" && this.#stepsOf(ref).some((one) => one.op === "create");
  }

  #resultOf(initial: StepOutcome): StepOutcome {
    const { ref } = initial;
    const result = resultFrom(initial, this.#stepsOf(ref), this.#results);
    if (isRecording(ref) && result.outcome === "created" && this.idOf(ref) === undefined) {
      const waitsFor = [{ key: initial.key, because: "recording" as const }];
      return { ...result, outcome: "waiting", waitsFor };
    }
    if (initial.waitsFor) {
      const waitsFor = initial.waitsFor.filter(({ key }) => !this.#ids.isAnswered(menuRef(key)));
      return { ...initial, waitsFor };
    }
    const isListed = this.options.list !== undefined && this.#plan.list !== undefined;
    const id = result.id ?? (isListed ? this.idOf(ref) : undefined);
    return { ...result, ...(id !== undefined && { id }) };
  }
}
