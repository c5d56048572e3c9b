import { setMaxListeners } from "node:events";
import type { Confirmed, StateEvent } from "../../schema/state.ts";
import { menuDestination, referencedMenu } from "../../schema/wire.ts";
import { referencesIn } from "../plan/links.ts";
import { reconcile } from "../plan/reconcile.ts";
import type { LiveMenus } from "../plan/lists.ts";
import type { Change } from "../plan/changes.ts";
import { type Plan, begun, newStateId } from "../plan/plan.ts";
import { type Ref, type Step, isNumber, isOld, menuRef, nameIn } from "../plan/steps/step.ts";
import { attempt, inTurn } from "./attempt.ts";
import { Lists } from "./lists.ts";
import type { ApplyOptions } from "./options.ts";
import { Recorder } from "./recorder.ts";
import type { Run as View } from "./checks.ts";
import { requestFor } from "./requests.ts";
import {
  type Applied,
  type Kind,
  type Result,
  type StepResult,
  type Unrecorded,
  doneBy,
  eventsWithoutRequest,
  isDeferred,
  isIdle,
  isMade,
  requestKind,
  progressLabel,
  recordOutcomes,
  resolvedBy,
  initialResult,
  resultFrom,
  unrecordedResult,
  untried,
  withNames,
} from "./results.ts";

/** Does the steps of a plan that nothing holds back, and nothing else. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  return new Run(plan, options).run();
}

/** New menus come before those that link to them, phone numbers after their menus, and deletes last. */
const order: readonly Kind[] = ["create", "update", "bind", "delete"];

class Run implements View {
  readonly plan: Plan;
  readonly options: ApplyOptions;
  readonly lists: Lists;
  /** The steps that nothing holds back. */
  readonly steps: readonly Step[];
  readonly results = new Map<Step, StepResult>();
  /** The menus that were listed before the creates that are sent now. */
  listedBefore: LiveMenus | undefined;
  readonly #changes: ReadonlyMap<string, Change>;
  /** The creates of the plan. */
  readonly #creates: ReadonlyMap<Ref, Step>;
  readonly #unrecorded: Unrecorded[] = [];
  readonly #recorder: Recorder;

  constructor(plan: Plan, options: ApplyOptions) {
    this.plan = plan;
    this.options = options;
    this.steps = plan.steps.filter(({ holds }) => holds.length === 0);
    this.#changes = new Map(plan.changes.map((change) => [change.key, change]));
    this.#creates = new Map(
      this.steps.flatMap((step) => (step.op === "create" ? [[step.ref, step]] : [])),
    );
    this.#recorder = new Recorder(options.session, options.halt);
    this.lists = new Lists(options, this.#recorder);
    // Every request in flight listens to it.
    setMaxListeners(0, options.stop);
  }

  async run(): Promise<Applied> {
    await this.#begin();
    await this.#recordWithoutRequest();
    for (const kind of order) await this.#sendAll(kind);
    await this.#recorder.finish();
    this.#recorder.throwBug();
    return {
      results: this.plan.changes.map((change) => this.#initialResult(change)),
      problem: this.#recorder.problem,
      unrecorded: this.#unrecorded,
      listProblem: this.lists.menus.problem,
      numbersProblem: this.lists.numbers.problem,
    };
  }

  idOf(ref: Ref): string | undefined {
    return this.recordOf(ref)?.identified?.id;
  }

  recordOf(ref: Ref): Confirmed | undefined {
    const { keys, followUps } = this.options.session.state;
    const name = nameIn(ref);
    return (isOld(ref) ? followUps.get(name)?.record : keys.get(name)?.current) ?? undefined;
  }

  /** Records the first event of a state that begins on its own. */
  async #begin(): Promise<void> {
    const { environment, address } = this.plan;
    if (isIdle(this.plan) || this.options.session.state.origin !== null) return;
    const origin = { id: newStateId(), environment, address };
    if (!this.#recorder.halt.aborted) await this.#recorder.record(begun(origin));
  }

  /** Records the steps that need no request, and what the lists prove. */
  async #recordWithoutRequest(): Promise<void> {
    const events = eventsWithoutRequest(this.plan);
    if (events.length === 0 || this.#recorder.halt.aborted) return;
    if (!(await this.#recorder.record(...events))) return;
    for (const step of this.steps) {
      if (step.event && !isDeferred(step))
        this.results.set(step, { ...untried, outcome: recordOutcomes[step.event] });
    }
    for (const change of this.plan.changes) {
      const { action } = change;
      if (action === "move" || action === "forget" || action === "restore") {
        this.options.watcher.finished(this.#initialResult(change));
      }
    }
  }

  /** Sends all requests of a kind, each when the ids that it needs are known. */
  async #sendAll(kind: Kind): Promise<void> {
    const { halt } = this.#recorder;
    const { list, concurrency } = this.options;
    let left = this.steps.filter((step) => requestKind(step) === kind);
    if (left.length === 0 || !(await this.#look(kind))) return;
    while (!halt.aborted) {
      const ready = left.filter((step) => this.#obstacleOf(step) === undefined);
      if (ready.length === 0) break;
      left = left.filter((step) => !ready.includes(step));
      // Each delete is checked with what the earlier ones left.
      const most = kind === "delete" ? 1 : concurrency;
      await inTurn(ready, most, this.#recorder, (step) => this.#do(step));
      await this.#recorder.finish();
      const isUnknown = ready.some((step) => this.results.get(step)?.outcome === "unknown");
      if (list && (kind === "create" || isUnknown)) await this.#learn(kind);
    }
    if (halt.aborted) return;
    for (const step of left) this.#leave(step, this.#obstacleOf(step) ?? null);
  }

  /** Reads the lists that must show what the run has changed so far. Returns false if that fails. */
  async #look(kind: Kind): Promise<boolean> {
    if (this.#recorder.halt.aborted) return false;
    if (this.options.list === undefined || kind === "update" || kind === "bind") return true;
    this.listedBefore = await this.lists.menus.now();
    if (this.listedBefore === undefined) return false;
    return kind === "create" || (await this.lists.numbers.now()) !== undefined;
  }

  /** Why a step cannot be done yet. */
  #obstacleOf(step: Step): string | undefined {
    const { ref, op, after } = step;
    const unknownId = (key: string) => `the id of ${key} is not known yet`;
    if (op === "delete") return undefined;
    if (isNumber(ref)) {
      const [menu = ref] = step.needs;
      const key = nameIn(menu);
      const change = this.#changes.get(key);
      const own = change && this.#initialResult(change);
      if (own?.incomplete) return "the menu was created without its links";
      const isDone = this.steps.every(
        (one) => one.ref !== menu || isDeferred(one) || isMade(this.results.get(one)?.outcome),
      );
      if (!isDone) {
        return `the menu was not ${change?.action === "update" ? "updated" : "created"}`;
      }
      const id = this.idOf(menu);
      if (id === undefined) return unknownId(key);
      return (step.links[menu] ?? id) === id
        ? undefined
        : `${key} has a different id since the plan was made`;
    }
    if (op === "update" && !this.#isCreated(ref)) return "the menu was not created";
    const own = op === "update" ? [nameIn(ref)] : [];
    const missing = [...own, ...(after?.menu ? referencesIn(after.menu) : [])].find(
      (key) => !this.#isCreated(menuRef(key)) || this.idOf(menuRef(key)) === undefined,
    );
    return missing === undefined ? undefined : unknownId(missing);
  }

  /** Whether a menu was created by this run, or did not have to be. */
  #isCreated(ref: Ref): boolean {
    const create = this.#creates.get(ref);
    return create === undefined || this.results.get(create)?.outcome === "created";
  }

  async #do(step: Step): Promise<void> {
    const request = requestFor(step, this);
    if (request === undefined) return;
    const { refusal } = request;
    const done = doneBy[request.kind];
    await attempt(
      {
        ...request,
        key: progressLabel(step),
        check: async () => {
          const why = await refusal?.();
          return why && ((attempts) => this.#finish(step, { ...untried, ...why, attempts }));
        },
        finished: ({ kind, status, message }, attempts) => {
          const outcome = kind === "done" ? done : kind;
          const words = kind === "failed" ? (request.explain?.(message) ?? message) : message;
          this.#finish(step, { outcome, status, message: words, attempts });
        },
        unrecorded: (intent, outcome, attempts) => {
          this.results.set(step, unrecordedResult(request.kind, outcome, attempts));
          // The next plan looks at the list of phone numbers, so nothing has to be kept.
          if (request.kind === "bind") return;
          this.#unrecorded.push({ key: nameIn(step.ref), intent, outcome, attempts });
        },
      },
      this.#recorder,
      this.options,
    );
    if (step.op === "delete") await this.#recorder.finish();
  }

  /** Reads the lists, and records the ids and outcomes that they prove. */
  async #learn(kind: Kind): Promise<void> {
    const { session, agents } = this.options;
    const live = await this.lists.menus.now();
    const numbers = live && kind === "bind" ? await this.lists.numbers.now() : undefined;
    if (live === undefined || (kind === "bind" && numbers === undefined)) return;
    const found = reconcile(session.state, { menus: live, numbers }, agents);
    const events = found.events.filter((event) => !this.#isLeftUnknown(event));
    if (events.length > 0 && !(await this.#recorder.record(...events))) return;
    this.listedBefore = live;
    for (const event of events) {
      if (event.kind !== "outcome") continue;
      for (const [step, result] of this.results) {
        const resolved = result.outcome === "unknown" ? resolvedBy(step, result, event) : undefined;
        if (resolved) this.#finish(step, resolved);
      }
    }
  }

  /** Whether the plan shows a key as unknown. The next plan reads the list, and plans what follows from it. */
  #isLeftUnknown(event: StateEvent): boolean {
    if ((event.kind !== "outcome" && event.kind !== "identified") || event.follow_up) return false;
    return this.#changes.get(event.key)?.action === "unknown";
  }

  #leave(step: Step, message: string | null): void {
    const result = { ...untried, message, ...(isNumber(step.ref) ? {} : { changed: [] }) };
    // The result of a create says that the update which completes it is missing.
    if (this.#completes(step)) this.results.set(step, result);
    else this.#finish(step, result);
  }

  #finish(step: Step, result: StepResult): void {
    const { watcher } = this.options;
    this.results.set(step, result);
    if (isNumber(step.ref)) {
      const key = progressLabel(step);
      return watcher.finished({ key, name: key, action: "bind", ...result });
    }
    const change = this.#changes.get(nameIn(step.ref));
    if (change === undefined) return;
    const action = this.#completes(step) ? "update" : change.action;
    watcher.finished({ ...initialResult(change), action, ...result });
  }

  /** Whether a step is the update that adds the links of a new menu. */
  #completes({ op, ref }: Step): boolean {
    return op === "update" && this.#creates.has(ref);
  }

  /** The result of a change, with those of its phone numbers. */
  #initialResult(change: Change): Result {
    const { agents, session, list } = this.options;
    const own = this.steps.filter(({ ref }) => ref === change.ref);
    const result = resultFrom(change, own, this.results, (number) =>
      this.steps.find(({ ref }) => ref === `number:${number}`),
    );
    const id = this.idOf(change.ref);
    const bind = result.bind?.map((one) => ({
      ...one,
      after: referencedMenu(one.after) && id ? menuDestination(id) : one.after,
    }));
    const shown = list && this.plan.list ? (result.id ?? id) : undefined;
    const whole = { ...result, ...(bind && { bind }), ...(shown !== undefined && { id: shown }) };
    return withNames(whole, change, agents, session.state);
  }
}
