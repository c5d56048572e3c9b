import { setMaxListeners } from "node:events";
import type { StateEvent } from "../../schema/state.ts";
import { learn } from "../plan/learn.ts";
import { knownIds, referencesIn, withIds } from "../plan/links.ts";
import type { LiveMenus } from "../plan/live.ts";
import { namingOf } from "../plan/on-service.ts";
import {
  type Change,
  type Creating,
  type Deleting,
  type MenuContent,
  type Plan,
  type Sending,
  type Updating,
  begun,
  deleteIntent,
  eventsOf,
  eventsWithoutRequest,
  intentsOf,
  isCreating,
  isDeleting,
  isSending,
  subjectOf,
} from "../plan/plan.ts";
import { type Writing, attempt, inTurn } from "./attempt.ts";
import { type Bound, bindNumbers } from "./bind-numbers.ts";
import { type Refusal, changedSince } from "./changed-since.ts";
import { Deletes } from "./deletes.ts";
import { Lists } from "./lists.ts";
import type { ApplyOptions } from "./options.ts";
import { Recorder } from "./recorder.ts";
import {
  type Applied,
  type Done,
  type Result,
  type Unidentified,
  type Unrecorded,
  isIdle,
  outcomeWithoutRequest,
  completedBy,
  outcomeEvent,
  resultOf,
  sentOutcome,
  unrecordedResult,
  withBinds,
  withId,
} from "./results.ts";
import { completing, firstOf, wavesOf } from "./waves.ts";

/** Applies the changes of a plan, and nothing else. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  return new Run(plan, options).run();
}

class Run {
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  /** The keys of menus that the plan creates. */
  readonly #created: ReadonlySet<string>;
  /** The keys of menus that the plan shows as unknown. */
  readonly #unknown: ReadonlySet<string>;
  readonly #results = new Map<string, Result>();
  readonly #unrecorded: Unrecorded[] = [];
  /** The keys of new menus that the run looked for in a list. */
  readonly #sought = new Set<string>();
  /** The results of the creates that an update completes. */
  readonly #completed = new Map<string, Result>();
  readonly #recorder: Recorder;
  readonly #lists: Lists;

  constructor(plan: Plan, options: ApplyOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#created = new Set(plan.changes.filter(isCreating).map(({ key }) => key));
    this.#unknown = new Set(
      plan.changes.flatMap(({ key, action }) => (action === "unknown" ? key : [])),
    );
    this.#recorder = new Recorder(options.session, options.halt);
    this.#lists = new Lists(options, this.#recorder);
    // Every request in flight listens to it.
    setMaxListeners(0, options.stop);
  }

  async run(): Promise<Applied> {
    const { changes } = this.#plan;
    await this.#begin();
    await this.#recordWithoutRequest();
    await this.#send();
    await this.#recorder.finish();
    for (const change of changes.filter((one) => this.#isIncomplete(one))) {
      this.#leaveIncomplete(change);
    }
    const bound = await this.#bindAll();
    await this.#deleteAll();
    await this.#recorder.finish();
    this.#recorder.throwBug();
    const results = changes.map((change) =>
      withBinds(this.#results.get(change.key) ?? resultOf(change), bound.get(change.key)),
    );
    return {
      results:
        this.#plan.list === undefined
          ? results
          : results.map((one) => withId(one, one.id ?? this.#idOf(one.key))),
      problem: this.#recorder.problem,
      unrecorded: this.#unrecorded,
      listProblem: this.#lists.menus.problem,
      numbersProblem: this.#lists.numbers.problem,
      unidentified:
        this.#options.list === undefined
          ? []
          : results.flatMap(({ key, outcome }) =>
              outcome === "created" && this.#idOf(key) === undefined
                ? { key, why: this.#whyUnidentified(key) }
                : [],
            ),
    };
  }

  #whyUnidentified(key: string): Unidentified["why"] {
    if (this.#sought.has(key)) return "not-found";
    return this.#options.halt.aborted ? "interrupted" : "stopped";
  }

  /** Binds the phone numbers, after all menus that they lead to exist. */
  #bindAll(): Promise<Bound> {
    return bindNumbers({
      changes: this.#plan.changes,
      recorder: this.#recorder,
      options: this.#options,
      resultOf: (key) => this.#results.get(key),
      lists: this.#lists,
    });
  }

  #idOf(key: string): string | undefined {
    return this.#options.session.state.keys.get(key)?.current?.identified?.id;
  }

  /** Records the first event of a state that has none. */
  async #begin(): Promise<void> {
    const { environment, address } = this.#plan;
    if (isIdle(this.#plan) || this.#options.session.state.origin !== null) return;
    if (!this.#recorder.halt.aborted) await this.#recorder.record(begun(environment, address));
  }

  /** Records the changes that need no request. */
  async #recordWithoutRequest(): Promise<void> {
    const changes = this.#plan.changes.filter((change) => eventsOf(change).length > 0);
    const events = eventsWithoutRequest(this.#plan);
    if (events.length === 0 || this.#recorder.halt.aborted) return;
    if (!(await this.#recorder.record(...events))) return;
    for (const change of changes) {
      this.#finish({ ...resultOf(change), outcome: outcomeWithoutRequest(change) });
    }
  }

  /** Sends all creates, and then all updates. Reads the list before, between and after them. */
  async #send(): Promise<void> {
    const { changes } = this.#plan;
    const creates = changes.filter(isCreating);
    if (!changes.some(isSending)) return;
    if (this.#options.list === undefined) {
      return this.#inTurn(creates, (change) => this.#create(change, change.after, undefined));
    }
    let live = await this.#lists.menus.now();
    for (const wave of wavesOf(creates)) {
      if (live === undefined) return;
      const before = live;
      await this.#inTurn(wave, async (change) => {
        const content = this.#withIds(change, firstOf(change));
        if (content !== undefined) await this.#create(change, content, before);
      });
      live = await this.#learn();
    }
    if (live !== undefined) await this.#updateAll(live);
  }

  /** Sends all updates, also those that complete new menus. */
  async #updateAll(live: LiveMenus): Promise<void> {
    const updates = this.#plan.changes.flatMap((change) => {
      if (change.action === "update") return change;
      if (!this.#isIncomplete(change)) return [];
      const update = completing(change, this.#options.session.state, live);
      const created = this.#results.get(change.key);
      if (update !== undefined && created) this.#completed.set(change.key, created);
      return update ?? [];
    });
    await this.#inTurn(updates, async (change) => {
      const content = this.#withIds(change, change.after);
      if (content !== undefined) await this.#update(change, content);
    });
    await this.#recorder.finish();
    const hasUnknown = updates.some(({ key }) => this.#results.get(key)?.outcome === "unknown");
    if (hasUnknown) await this.#learn();
  }

  /** Deletes menus, one after the other, when everything else is done. */
  async #deleteAll(): Promise<void> {
    const changes = this.#plan.changes.filter(isDeleting);
    if (changes.length === 0 || this.#recorder.halt.aborted) return;
    const live = await this.#lists.menus.now();
    const numbers = live && (await this.#lists.numbers.now());
    if (live === undefined || numbers === undefined) return;
    const deletes = new Deletes(changes, this.#plan, this.#options.session, { live, numbers });
    for (const change of deletes.inOrder) {
      await this.#delete(change, deletes).catch((error: unknown) =>
        this.#recorder.stopByBug(error),
      );
      await this.#recorder.finish();
      deletes.ended(change, this.#results.get(change.key)?.outcome === "deleted");
    }
    const hasUnknown = changes.some(({ key }) => this.#results.get(key)?.outcome === "unknown");
    if (hasUnknown) await this.#learn();
  }

  /** Whether a menu was created, and the update that adds its links has no result. */
  #isIncomplete(change: Change): change is Creating {
    const { key, action } = change;
    const result = this.#results.get(key);
    const isCreated = result?.outcome === "created" && result.incomplete === undefined;
    const isUpdated = this.#completed.has(key) && this.#completed.get(key) !== result;
    return action === "create" && change.first !== undefined && isCreated && !isUpdated;
  }

  #leaveIncomplete(change: Creating): void {
    const { key } = change;
    const isKnown = this.#idOf(key) !== undefined;
    const message = isKnown ? "the update was not sent" : `the id of ${key} is not known yet`;
    const created = this.#results.get(key) ?? resultOf(change);
    this.#results.set(key, { ...created, incomplete: { status: null, message } });
  }

  /** The content with the ids of the menus that it leads to. Undefined if one is not known. */
  #withIds(change: Sending, content: MenuContent): MenuContent | undefined {
    const ids = knownIds(content, this.#options.session.state);
    const missing = referencesIn(content).find((key) => !ids.has(key) || !this.#isMade(key));
    if (missing === undefined) return withIds(content, ids);
    const message = `the id of ${missing} is not known yet`;
    this.#finish({ ...resultOf(change), message, changed: [] });
    return undefined;
  }

  /** Whether the menu of a key has the id that it has after the plan. */
  #isMade(key: string): boolean {
    const isCreated = this.#results.get(key)?.outcome === "created" || this.#completed.has(key);
    return !this.#created.has(key) || isCreated;
  }

  #inTurn<T extends Sending>(
    changes: readonly T[],
    send: (change: T) => Promise<void>,
  ): Promise<void> {
    return inTurn(changes, this.#options.concurrency, this.#recorder, send);
  }

  /** A result with the names of what was changed on the console. */
  #withNames(result: Result): Result {
    const { session, agents } = this.#options;
    const { changed = [] } = result;
    if (changed.length === 0) return result;
    const both = changed.flatMap((one) => [one, { ...one, after: one.before }]);
    return { ...result, naming: namingOf(both, agents, session.state) };
  }

  /** Reads the list, and records the ids and outcomes that it proves. */
  async #learn(): Promise<LiveMenus | undefined> {
    await this.#recorder.finish();
    const live = await this.#lists.menus.now();
    if (live === undefined) return undefined;
    const lesson = learn(this.#options.session.state, live);
    const events = lesson.events.filter((event) => !this.#isLeftUnknown(event));
    if (events.length > 0 && !(await this.#recorder.record(...events))) return undefined;
    for (const key of this.#results.keys()) this.#sought.add(key);
    for (const event of events) {
      if (event.kind !== "resolved") continue;
      const result = this.#results.get(event.follow_up ?? event.key);
      if (result === undefined) continue;
      const { as, evidence: message } = event;
      const isDone = as === "created" || as === "updated" || as === "deleted";
      const outcome = isDone ? as : "failed";
      this.#finish({ ...result, outcome, status: null, message });
    }
    return live;
  }

  /** Whether the plan shows a key as unknown. The next plan reads the list, and plans what follows from it. */
  #isLeftUnknown(event: StateEvent): boolean {
    if ((event.kind !== "resolved" && event.kind !== "identified") || event.follow_up) return false;
    return this.#unknown.has(event.key);
  }

  #create(change: Creating, content: MenuContent, live: LiveMenus | undefined): Promise<void> {
    const { service, stop } = this.#options;
    const listed = live?.named(content.payload.name);
    return this.#attempt(change, "created", content.digest, {
      intents: (one) => intentsOf(change, { ...one, content, listed }),
      send: async (permit) => {
        const outcome = await service.create(content.payload, change.key, stop, permit);
        return outcome.kind === "created" ? { ...outcome, kind: "done" } : outcome;
      },
    });
  }

  /** Updates a menu, if the service still has what the plan was compared with. */
  #update(change: Updating, content: MenuContent): Promise<void> {
    const { service, stop: signal } = this.#options;
    const { key, id } = change;
    return this.#attempt(change, "updated", content.digest, {
      check: async () => {
        const live = await this.#lists.menus.recent();
        return this.#refused(change, live && changedSince(change, live));
      },
      intents: (one) => intentsOf(change, { ...one, content }),
      send: (permit) => service.updateMenu(id, content.payload, { key, signal, permit }),
    });
  }

  #delete(change: Deleting, deletes: Deletes): Promise<void> {
    const { service, stop: signal } = this.#options;
    const { key, id, before } = change;
    return this.#attempt(change, "deleted", before.digest, {
      check: async () => {
        const listed = await this.#lists.recent();
        return this.#refused(change, listed && deletes.refusal(change, listed));
      },
      intents: ({ until }) => [deleteIntent(change, until)],
      send: (permit) => service.deleteMenu(id, { key, signal, permit }),
    });
  }

  #refused(
    change: Updating | Deleting,
    refusal: Refusal | undefined,
  ): Awaited<ReturnType<NonNullable<Writing["check"]>>> {
    return refusal && ((attempts) => this.#finish({ ...resultOf(change), ...refusal, attempts }));
  }

  #attempt(
    change: Sending | Deleting,
    done: Done,
    digest: string,
    request: Pick<Writing, "check" | "intents" | "send">,
  ): Promise<void> {
    const { key } = change;
    const followUpOf = "followUpOf" in change ? change.followUpOf : undefined;
    const subject = subjectOf({ key, followUpOf });
    return attempt(
      {
        key,
        ...request,
        eventOf: (outcome) => outcomeEvent(subject, sentOutcome(outcome, done)),
        finished: ({ kind, status, message }, attempts) => {
          const outcome = kind === "done" ? done : kind;
          this.#finish({ ...resultOf(change), outcome, status, message, attempts });
        },
        unrecorded: (attempted, attempts) => {
          const outcome = sentOutcome(attempted, done);
          this.#unrecorded.push({ key, followUpOf, digest, outcome, attempts });
          this.#results.set(key, unrecordedResult(change, outcome, attempts));
        },
      },
      this.#recorder,
      this.#options,
    );
  }

  #finish(finished: Result): void {
    const result = this.#withNames(finished);
    // The update that completes a new menu is a part of its create.
    const created = this.#completed.get(result.key);
    this.#results.set(result.key, created ? completedBy(created, result) : result);
    this.#options.watcher.finished(result);
  }
}
