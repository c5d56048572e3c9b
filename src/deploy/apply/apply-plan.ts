import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateEvent } from "../../schema/state.ts";
import type { Attempted } from "../service/outcome.ts";
import { type NotProcessed, givenUp, maxAttempts, maxWaiting, waitAfter } from "./pace.ts";
import { learn } from "../plan/learn.ts";
import { idsOnRecord, referencesIn, withIds } from "../plan/links.ts";
import type { LiveMenus } from "../plan/live.ts";
import {
  type Change,
  type Creating,
  type MenuContent,
  type Plan,
  type Sending,
  type Updating,
  begun,
  eventsOf,
  eventsWithoutRequest,
  intentsOf,
  isCreating,
  isSending,
} from "../plan/plan.ts";
import type { Permit } from "../service/exchange.ts";
import { StateProblem } from "../state/store.ts";
import type { ApplyOptions } from "./options.ts";
import { completing, firstOf, wavesOf } from "./waves.ts";
import { changedSince } from "./changed-since.ts";
import {
  type Applied,
  type Result,
  type SentOutcome,
  type Unrecorded,
  isIdle,
  outcomeWithoutRequest,
  asCreate,
  incomplete,
  outcomeWords,
  resultOf,
  withId,
} from "./results.ts";

/** Applies the changes of a plan, and nothing else. */
export function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  return new Run(plan, options).run();
}

class Run {
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #results = new Map<string, Result>();
  readonly #unrecorded: Unrecorded[] = [];
  /** The new menus that an update completes. */
  readonly #completed = new Set<string>();
  /** The digest of what was sent last, by key. */
  readonly #digests = new Map<string, string>();
  /** Outcomes that are being recorded. */
  readonly #recording = new Set<Promise<void>>();
  /** Aborted by the run itself when nothing new may be sent. */
  readonly #halted = new AbortController();
  readonly #halt: AbortSignal;
  /** Prevents requests after the lock is lost, even if their intents are recorded. */
  readonly #permit: Permit;
  #problem: StateProblem | undefined;
  #listProblem: string | undefined;
  /** An unexpected error. It is thrown after all other creates have ended. */
  #bug: { readonly error: unknown } | undefined;

  constructor(plan: Plan, options: ApplyOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#halt = AbortSignal.any([options.halt, this.#halted.signal]);
    // Every create in flight listens to both signals.
    setMaxListeners(0, this.#halt, options.stop);
    const { session } = options;
    this.#permit = {
      isGood: () => session.isConfirmed,
      renew: () => this.#orHalt(() => session.confirm()),
    };
  }

  async run(): Promise<Applied> {
    const { changes } = this.#plan;
    await this.#begin();
    await this.#recordWithoutRequest();
    await this.#send();
    await Promise.all(this.#recording);
    for (const change of changes.filter((one) => this.#isIncomplete(one))) {
      this.#finish({ ...resultOf(change), outcome: "failed", message: incomplete });
    }
    if (this.#bug !== undefined) throw this.#bug.error;
    const results = changes.map((change) => this.#results.get(change.key) ?? resultOf(change));
    return {
      results:
        this.#plan.list === undefined
          ? results
          : results.map((one) => withId(one, this.#idOf(one.key))),
      problem: this.#problem,
      unrecorded: this.#unrecorded,
      listProblem: this.#listProblem,
      unidentified:
        this.#options.list === undefined
          ? []
          : results.flatMap(({ key, outcome }) =>
              outcome === "created" && this.#idOf(key) === undefined ? key : [],
            ),
    };
  }

  #idOf(key: string): string | undefined {
    return this.#options.session.state.keys.get(key)?.current?.identified?.id;
  }

  /** Records the first event of a state that has none. */
  async #begin(): Promise<void> {
    const { environment, address } = this.#plan;
    if (isIdle(this.#plan) || this.#options.session.state.origin !== null) return;
    if (!this.#halt.aborted) await this.#record(begun(environment, address));
  }

  /** Records the changes that need no request. */
  async #recordWithoutRequest(): Promise<void> {
    const changes = this.#plan.changes.filter((change) => eventsOf(change).length > 0);
    const events = eventsWithoutRequest(this.#plan);
    if (events.length === 0 || this.#halt.aborted) return;
    if (!(await this.#record(...events))) return;
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
    let live = await this.#list();
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
      if (update !== undefined) this.#completed.add(change.key);
      return update ?? [];
    });
    await this.#inTurn(updates, async (change) => {
      const content = this.#withIds(change, change.after);
      if (content !== undefined) await this.#update(change, content, live);
    });
    await Promise.all(this.#recording);
    const hasUnknown = updates.some(({ key }) => this.#results.get(key)?.outcome === "unknown");
    if (hasUnknown) await this.#learn();
  }

  /** Whether a menu was created, and the update that adds its links was not started. */
  #isIncomplete(change: Change): change is Creating {
    const { key, action } = change;
    const isMade = this.#results.get(key)?.outcome === "created" && !this.#completed.has(key);
    return action === "create" && change.first !== undefined && isMade;
  }

  /** The content with the ids of the menus that it leads to. Undefined if one is not known. */
  #withIds(change: Sending, content: MenuContent): MenuContent | undefined {
    const ids = idsOnRecord(this.#options.session.state);
    const missing = referencesIn(content).find((key) => !ids.has(key));
    if (missing === undefined) return withIds(content, ids);
    const message = `the id of ${missing} is not known yet`;
    this.#finish({ ...resultOf(change), message, changed: [] });
    return undefined;
  }

  async #inTurn<T extends Sending>(
    changes: readonly T[],
    send: (change: T) => Promise<void>,
  ): Promise<void> {
    // All workers share one iterator, so requests start in the order of their keys.
    const rest = changes.values();
    const workers = Array.from({ length: this.#options.concurrency }, async () => {
      for (const change of rest) {
        await send(change).catch((error: unknown) => this.#haltByBug(error));
      }
    });
    await Promise.all(workers);
  }

  /** Reads the list. If that fails, nothing more is sent. */
  async #list(): Promise<LiveMenus | undefined> {
    const read = await this.#options.list?.(this.#halt);
    if (typeof read !== "string") return read;
    if (!this.#halt.aborted) this.#listProblem = read;
    this.#halted.abort();
    return undefined;
  }

  /** Reads the list, and records the ids and outcomes that it proves. */
  async #learn(): Promise<LiveMenus | undefined> {
    await Promise.all(this.#recording);
    const live = this.#halt.aborted ? undefined : await this.#list();
    if (live === undefined) return undefined;
    const { events } = learn(this.#options.session.state, live);
    if (events.length > 0 && !(await this.#record(...events))) return undefined;
    for (const event of events) {
      const result = "key" in event ? this.#results.get(event.key) : undefined;
      if (event.kind !== "resolved" || result === undefined) continue;
      const { as, evidence: message } = event;
      const outcome = as === "created" || as === "updated" ? as : "failed";
      this.#finish({ ...result, outcome, status: null, message });
    }
    return live;
  }

  #create(change: Creating, content: MenuContent, live: LiveMenus | undefined): Promise<void> {
    const { service, stop } = this.#options;
    const { key } = change;
    const listed = live?.named(content.payload.name);
    return this.#attempt(change, { content, listed }, () =>
      service.create(content.payload, key, stop, this.#permit),
    );
  }

  /** Updates a menu, if the service still has what the plan was compared with. */
  async #update(change: Updating, content: MenuContent, live: LiveMenus): Promise<void> {
    const { service, stop: signal } = this.#options;
    const { key, id } = change;
    const changed = changedSince(change, live);
    if (changed !== undefined) {
      this.#finish({ ...resultOf(change), ...changed });
      return;
    }
    await this.#attempt(change, { content }, async () => {
      const request = { key, signal, permit: this.#permit };
      const outcome = await service.updateMenu(id, content.payload, request);
      return outcome.kind === "done" ? { ...outcome, kind: "updated" } : outcome;
    });
  }

  /** Records the intent, sends the request, and repeats both while the service does not process it. */
  async #attempt(
    change: Sending,
    { content, listed }: Sent,
    send: () => Promise<Attempted<"created" | "updated">>,
  ): Promise<void> {
    const { pace, timeout, watcher } = this.#options;
    const { key } = change;
    let last: Attempt | undefined;
    this.#digests.set(key, content.digest);
    for (let attempt = 1, waited = 0; ; attempt += 1) {
      await pace.turn(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#stopTrying(change, last);
      const until = new Date(Date.now() + timeout * 1000).toISOString();
      const intents = intentsOf(change, { isFirst: attempt === 1, until, content, listed });
      if (!(await this.#record(...intents))) {
        // The intent may be recorded or not, but the request was not sent.
        return this.#keepUnrecorded(change, unsent, last?.attempt ?? 0);
      }
      await pace.depart(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#withdraw(change, last);
      watcher.sending(key);
      const outcome = await send();
      if (outcome.kind === "withheld") return this.#withdraw(change, last);
      if (outcome.kind !== "not-processed") return this.#recordOutcome(change, outcome, attempt);
      last = { outcome, attempt };
      const wait = waitAfter(outcome, attempt);
      if (attempt === maxAttempts || waited + wait > maxWaiting) {
        return this.#recordOutcome(change, givenUp(outcome, attempt, wait), attempt);
      }
      const { status, message } = outcome;
      if (!(await this.#record({ kind: "not-processed", key, status, message }))) {
        return this.#keepUnrecorded(change, outcome, attempt);
      }
      if (!this.#halt.aborted) watcher.waiting(key, wait, outcome);
      await sleep(wait * 1000, undefined, { signal: this.#halt }).catch(() => {});
      waited += wait;
    }
  }

  /** Records that the request was not sent, although its intent is recorded. */
  async #withdraw(change: Sending, last: Attempt | undefined): Promise<void> {
    const { key } = change;
    const { status, message } = unsent;
    if (await this.#record({ kind: "not-processed", key, status, message })) {
      this.#stopTrying(change, last);
    } else this.#keepUnrecorded(change, unsent, last?.attempt ?? 0);
  }

  /**
   * Finishes a change when the run is halted: as failed if it was tried before, else as not
   * attempted.
   */
  #stopTrying(change: Sending, last: Attempt | undefined): void {
    if (last === undefined) return;
    const { status, message } = last.outcome;
    this.#finish({
      ...resultOf(change),
      outcome: "failed",
      status,
      message: `${message}; stopped before another attempt`,
      attempts: last.attempt,
    });
  }

  /**
   * Records an outcome without waiting for it. The next create may start at once, because
   * its intent is recorded after this outcome.
   */
  #recordOutcome(
    change: Sending,
    outcome: Exclude<SentOutcome, NotProcessed>,
    attempts: number,
  ): void {
    const { kind, status, message } = outcome;
    if (kind === "failed" && outcome.stop) this.#halted.abort();
    const { key } = change;
    const event: StateEvent =
      kind === "created" || kind === "updated"
        ? { kind, key, status: outcome.status, message }
        : { kind, key, status, message };
    const recorded = this.#record(event).then((onRecord) => {
      this.#recording.delete(recorded);
      if (onRecord) {
        this.#finish({ ...resultOf(change), outcome: kind, status, message, attempts });
      } else this.#keepUnrecorded(change, outcome, attempts);
    });
    this.#recording.add(recorded);
  }

  /** Keeps an outcome that could not be recorded. In the state it is unknown. */
  #keepUnrecorded(change: Sending, outcome: SentOutcome, attempts: number): void {
    const { key } = change;
    const { kind, status, message } = outcome;
    const digest = this.#digests.get(key) ?? change.after.digest;
    this.#unrecorded.push({ key, digest, outcome, attempts });
    this.#results.set(key, {
      ...resultOf(change),
      outcome: "unknown",
      status,
      message: `${outcomeWords(change.action, kind)} (${message}), but this could not be recorded`,
      attempts,
    });
  }

  #finish(result: Result): void {
    // The update that completes a new menu is a part of its create.
    const isPart = this.#completed.has(result.key);
    this.#results.set(result.key, isPart ? asCreate(result) : result);
    this.#options.watcher.finished(result);
  }

  /** Returns false if the events could not be recorded. */
  #record(...events: readonly StateEvent[]): Promise<boolean> {
    return this.#orHalt(() => this.#options.session.append(...events));
  }

  /** Returns false if `act` fails. Then the run starts nothing new. */
  async #orHalt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof StateProblem) this.#problem ??= error;
      else this.#bug ??= { error };
      this.#halted.abort();
      return false;
    }
  }

  #haltByBug(error: unknown): void {
    this.#bug ??= { error };
    this.#halted.abort();
  }
}

const unsent: NotProcessed = {
  kind: "not-processed",
  status: null,
  message: "the request was not sent",
  retryAfter: null,
};

/** What a request sends, and the ids of the menus with this name before it. */
type Sent = Readonly<{ content: MenuContent; listed?: readonly string[] | undefined }>;

type Attempt = Readonly<{ outcome: NotProcessed; attempt: number }>;
