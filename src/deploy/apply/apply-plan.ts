import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, Pending, StateEvent } from "../../schema/state.ts";
import { type NotProcessed, givenUp, maxAttempts, maxWaiting, waitAfter } from "./retry.ts";
import type { Outcome } from "../service/outcome.ts";
import type { Pace } from "./pace.ts";
import { begun, eventOf, eventsInState, intentsOf } from "../plan/events.ts";
import { type Action, type Change, type Plan, type Sending, isSending } from "../plan/plan.ts";
import type { Permit } from "../service/exchange.ts";
import type { Service } from "../service/service.ts";
import type { StateView } from "../state/state.ts";
import { type Session, StateProblem } from "../state/store.ts";

/** What came of one change, as it was recorded. */
export interface Result {
  readonly key: string;
  readonly name: string;
  readonly action: Action;
  readonly outcome: ResultOutcome;
  /** The HTTP status, where there was one. */
  readonly status: number | null;
  readonly message: string | null;
  /** How often the request was begun in this run. */
  readonly attempts: number;
}

export const resultOutcomes = [
  "created",
  "failed",
  "unknown",
  "not_attempted",
  "moved",
  "forgotten",
  "restored",
] as const;
export type ResultOutcome = (typeof resultOutcomes)[number];

export interface Applied {
  /** Of every change, in the order of the plan. */
  readonly results: readonly Result[];
  /** Why nothing more could be recorded, where that is so. */
  readonly problem: StateProblem | undefined;
  /** What is known, and as far as is known could not be recorded: a person must. */
  readonly unrecorded: readonly Unrecorded[];
}

export interface Unrecorded {
  readonly key: string;
  /** Of what was sent. */
  readonly digest: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** What the state says instead, where somebody recorded it as absent and it was created. */
  readonly denied?: Absent;
}

/** It is on record as not created. */
export interface Absent {
  readonly kind: "absent";
  readonly key: string;
  readonly intent: Intent;
  /** What says so. */
  readonly by: Entry;
  /** What gave the key another record since, or is about to. */
  readonly another: Entry | undefined;
}

type Intent = Entry & { readonly event: Extract<StateEvent, { kind: "intent" }> };

/** What there is to say of a plan that was not applied; the state may have moved on from it. */
export function untouched({ changes }: Plan, { keys }: StateView): Result[] {
  return changes.map((change) => {
    const pending = keys.get(change.key)?.pending;
    return pending ? { ...resultOf(change), ...openResult(pending) } : resultOf(change);
  });
}

/** Nothing is left for apply to do; for a person there may be. */
export function isIdle({ changes, named }: Plan): boolean {
  return named.length === 0 && changes.every(({ action }) => action === "unknown");
}

/** Told of what happens while it happens. */
export interface Watcher {
  sending(key: string): void;
  /** The service did not process it; it is sent again later. */
  waiting(key: string, seconds: number, message: string): void;
  /** It is settled, and on record. */
  settled(result: Result): void;
}

interface Options {
  readonly session: Session;
  readonly service: Service;
  /** Creates in flight at the most. */
  readonly concurrency: number;
  readonly pace: Pace;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly watcher: Watcher;
  /** When aborted, nothing new is started, and what is in flight ends as it ends. */
  readonly halt: AbortSignal;
  /** When aborted, what is in flight is given up. */
  readonly stop: AbortSignal;
}

/** Carries a plan out: what it says, and nothing else. */
export function applyPlan(plan: Plan, options: Options): Promise<Applied> {
  return new Run(plan, options).run();
}

class Run {
  readonly #plan: Plan;
  readonly #options: Options;
  readonly #results = new Map<string, Result>();
  readonly #unrecorded: Unrecorded[] = [];
  readonly #recording = new Set<Promise<void>>();
  readonly #halted = new AbortController();
  readonly #halt: AbortSignal;
  /** Whoever lost the lock sends nothing, whatever is on record. */
  readonly #permit: Permit;
  #problem: StateProblem | undefined;
  /** A bug: told once everything else has come to its end. */
  #bug: { readonly error: unknown } | undefined;

  constructor(plan: Plan, options: Options) {
    this.#plan = plan;
    this.#options = options;
    this.#halt = AbortSignal.any([options.halt, this.#halted.signal]);
    // As many wait for them as there are creates in flight.
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
    await this.#settleInState();
    const creates = changes.filter(isSending).values();
    const workers = Array.from({ length: this.#options.concurrency }, async () => {
      // One iterator for all of them: each takes the next, so they start in the order of keys.
      for (const change of creates) {
        await this.#create(change).catch((error: unknown) => this.#broke(error));
      }
    });
    await Promise.all(workers);
    await Promise.all(this.#recording);
    if (this.#bug !== undefined) throw this.#bug.error;
    return {
      results: changes.map((change) => this.#results.get(change.key) ?? resultOf(change)),
      problem: this.#problem,
      unrecorded: this.#unrecorded,
    };
  }

  /** A state begins with the first thing there is to record. */
  async #begin(): Promise<void> {
    const { environment, address } = this.#plan;
    if (isIdle(this.#plan) || this.#options.session.state.origin !== null) return;
    if (!this.#halt.aborted) await this.#record(begun(environment, address));
  }

  /** What needs no request. */
  async #settleInState(): Promise<void> {
    const settled = this.#plan.changes.filter((change) => eventOf(change) !== undefined);
    const events = eventsInState(this.#plan);
    if (events.length === 0 || this.#halt.aborted) return;
    if (!(await this.#record(...events))) return;
    for (const change of settled) this.#settle({ ...resultOf(change), outcome: done(change) });
  }

  async #create(change: Sending): Promise<void> {
    const { service, pace, stop, watcher } = this.#options;
    const { key } = change;
    let last: Attempt | undefined;
    for (let attempt = 1, waited = 0; ; attempt += 1) {
      await pace.turn(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#notAgain(change, last);
      if (!(await this.#record(...this.#intents(change, attempt === 1)))) {
        // It may be on record or not; it was not sent.
        return this.#lost(change, unsent, last?.attempt ?? 0);
      }
      await pace.depart(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#withdraw(change, last);
      watcher.sending(key);
      const outcome = await service.create(change.after.payload, key, stop, this.#permit);
      if (outcome.kind === "withheld") return this.#withdraw(change, last);
      if (outcome.kind !== "not-processed") return this.#outcome(change, outcome, attempt);
      last = { outcome, attempt };
      const wait = waitAfter(outcome, attempt);
      if (attempt === maxAttempts || waited + wait > maxWaiting) {
        return this.#outcome(change, givenUp(outcome, attempt, wait), attempt);
      }
      const { status, message } = outcome;
      if (!(await this.#record({ kind: "not-processed", key, status, message }))) {
        return this.#lost(change, outcome, attempt);
      }
      if (!this.#halt.aborted) watcher.waiting(key, wait, message);
      await sleep(wait * 1000, undefined, { signal: this.#halt }).catch(() => {});
      waited += wait;
    }
  }

  #intents(change: Sending, first: boolean): StateEvent[] {
    const until = new Date(Date.now() + this.#options.timeout * 1000).toISOString();
    return intentsOf(change, first, until);
  }

  /** Its intent is on record, but it was not sent. */
  async #withdraw(change: Sending, last: Attempt | undefined): Promise<void> {
    const { key } = change;
    const { status, message } = unsent;
    if (await this.#record({ kind: "not-processed", key, status, message })) {
      this.#notAgain(change, last);
    } else this.#lost(change, unsent, last?.attempt ?? 0);
  }

  #notAgain(change: Sending, last: Attempt | undefined): void {
    if (last === undefined) return;
    const { status, message } = last.outcome;
    this.#settle({
      ...resultOf(change),
      outcome: "failed",
      status,
      message: `${message}; not tried again`,
      attempts: last.attempt,
    });
  }

  /** The next create need not wait for the record of this one: its own intent stands behind it. */
  #outcome(change: Sending, outcome: Exclude<Outcome, NotProcessed>, attempts: number): void {
    const { kind, status, message } = outcome;
    if (kind === "failed" && outcome.stop) this.#halted.abort();
    const { key } = change;
    const event: StateEvent =
      kind === "created"
        ? { kind, key, status: outcome.status, message }
        : { kind, key, status, message };
    const recorded = this.#record(event).then((onRecord) => {
      this.#recording.delete(recorded);
      if (onRecord) {
        this.#settle({ ...resultOf(change), outcome: kind, status, message, attempts });
      } else this.#lost(change, outcome, attempts);
    });
    this.#recording.add(recorded);
  }

  /** What is known of it could not be recorded, so that the state has it as unknown. */
  #lost(change: Sending, outcome: Outcome, attempts: number): void {
    const { key } = change;
    const { kind, status, message } = outcome;
    this.#unrecorded.push({ key, digest: change.after.digest, outcome, attempts });
    this.#results.set(key, {
      ...resultOf(change),
      outcome: "unknown",
      status,
      message: `${words[kind]} (${message}), but that could not be recorded`,
      attempts,
    });
  }

  #settle(result: Result): void {
    this.#results.set(result.key, result);
    this.#options.watcher.settled(result);
  }

  /** False where it could not be recorded. */
  #record(...events: readonly StateEvent[]): Promise<boolean> {
    return this.#orHalt(() => this.#options.session.append(...events));
  }

  /** False where it failed: then nothing further is begun. */
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

  #broke(error: unknown): void {
    this.#bug ??= { error };
    this.#halted.abort();
  }
}

const words: Readonly<Record<Outcome["kind"], string>> = {
  created: "The service created it",
  failed: "The service refused it",
  "not-processed": "It was not processed",
  unknown: "Its outcome is unknown",
};

const unsent: NotProcessed = {
  kind: "not-processed",
  status: null,
  message: "it was not sent",
  retryAfter: null,
};

interface Attempt {
  readonly outcome: NotProcessed;
  readonly attempt: number;
}

/** As long as nothing has come of it. */
function resultOf(change: Change): Result {
  const { key, name, action } = change;
  const untouched = { key, name, action, status: null, message: null, attempts: 0 };
  return change.action === "unknown"
    ? { ...untouched, ...openResult(change.pending) }
    : { ...untouched, outcome: "not_attempted" };
}

function openResult({ seen }: Pending): Pick<Result, "outcome" | "status" | "message"> {
  return {
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "No outcome was recorded",
  };
}

function done({ action }: Change): ResultOutcome {
  return action === "move" ? "moved" : action === "forget" ? "forgotten" : "restored";
}
