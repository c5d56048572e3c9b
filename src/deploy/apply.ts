import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type StateEvent, stateVersion } from "../schema/state.ts";
import type { Outcome } from "./outcome.ts";
import type { Pace } from "./pace.ts";
import { type Action, type Change, type Plan, type Sending, isSending } from "./plan/plan.ts";
import type { Service } from "./service.ts";
import { type Session, StateProblem } from "./state/store.ts";

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
  /** What the service answered and could not be recorded: a person must. */
  readonly unrecorded: readonly { readonly key: string; readonly outcome: Outcome }[];
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

const maxAttempts = 5;
/** Seconds of waiting between the attempts of one create, in all. */
const maxWaiting = 30;

/** Carries a plan out: what it says, and nothing else. */
export function applyPlan(plan: Plan, options: Options): Promise<Applied> {
  return new Run(plan, options).run();
}

class Run {
  readonly #plan: Plan;
  readonly #options: Options;
  readonly #results = new Map<string, Result>();
  readonly #unrecorded: { key: string; outcome: Outcome }[] = [];
  readonly #recording = new Set<Promise<void>>();
  readonly #halted = new AbortController();
  readonly #halt: AbortSignal;
  #problem: StateProblem | undefined;

  constructor(plan: Plan, options: Options) {
    this.#plan = plan;
    this.#options = options;
    this.#halt = AbortSignal.any([options.halt, this.#halted.signal]);
    // As many wait for them as there are creates in flight.
    setMaxListeners(0, this.#halt, options.stop);
  }

  async run(): Promise<Applied> {
    const { changes } = this.#plan;
    await this.#begin();
    await this.#settleInState();
    const creates = changes.filter(isSending).values();
    const workers = Array.from({ length: this.#options.concurrency }, async () => {
      // One iterator for all of them: each takes the next, so they start in the order of keys.
      for (const change of creates) await this.#create(change);
    });
    await Promise.all(workers);
    await Promise.all(this.#recording);
    return {
      results: changes.map((change) => this.#results.get(change.key) ?? resultOf(change)),
      problem: this.#problem,
      unrecorded: this.#unrecorded,
    };
  }

  /** A state begins with the first thing there is to record. */
  async #begin(): Promise<void> {
    const { environment, address, changes } = this.#plan;
    const idle = changes.every(({ action }) => action === "unknown");
    if (idle || this.#halt.aborted || this.#options.session.state.origin !== null) return;
    await this.#record(begun(environment, address));
  }

  /** What needs no request. */
  async #settleInState(): Promise<void> {
    const settled: Change[] = [];
    const events: StateEvent[] = [];
    for (const change of this.#plan.changes) {
      const event = eventOf(change);
      if (event === undefined) continue;
      settled.push(change);
      events.push(event);
    }
    if (events.length === 0 || this.#halt.aborted) return;
    if (!(await this.#record(...events))) return;
    for (const change of settled) this.#settle({ ...resultOf(change), outcome: done(change) });
  }

  async #create(change: Sending): Promise<void> {
    const { service, pace, stop, watcher } = this.#options;
    let last: Attempt | undefined;
    for (let attempt = 1, waited = 0; ; attempt += 1) {
      await pace.turn(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#notAgain(change, last);
      if (!(await this.#record(...this.#intents(change, attempt === 1)))) {
        return this.#notAgain(change, last);
      }
      if (this.#halt.aborted) {
        return this.#withdraw(change, last);
      }
      watcher.sending(change.key);
      const outcome = await service.create(change.after.payload, change.key, stop);
      if (outcome.kind !== "not-processed") return this.#outcome(change, outcome, attempt);
      last = { outcome, attempt };
      const wait = outcome.retryAfter ?? backoff(attempt);
      if (attempt === maxAttempts || waited + wait > maxWaiting) {
        return this.#outcome(change, givenUp(outcome, attempt, wait), attempt);
      }
      const { status, message } = outcome;
      await this.#record({ kind: "not-processed", key: change.key, status, message });
      if (!this.#halt.aborted) watcher.waiting(change.key, wait, message);
      await sleep(wait * 1000, undefined, { signal: this.#halt }).catch(() => {});
      waited += wait;
    }
  }

  #intents(change: Sending, first: boolean): StateEvent[] {
    const { key, action, after } = change;
    const { payload, digest, naming } = after;
    const until = new Date(Date.now() + this.#options.timeout * 1000).toISOString();
    const intent: StateEvent = { kind: "intent", key, action, payload, digest, naming, until };
    return first && change.action === "replace" && change.movedFrom !== null
      ? [{ kind: "moved", key, from: change.movedFrom }, intent]
      : [intent];
  }

  /** Its intent is on record, but it was not sent. */
  async #withdraw(change: Sending, last: Attempt | undefined): Promise<void> {
    const message = "Interrupted before it was sent";
    await this.#record({ kind: "not-processed", key: change.key, status: null, message });
    this.#notAgain(change, last);
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
    const about = { ...resultOf(change), status, attempts };
    const recorded = this.#record(event).then((onRecord) => {
      this.#recording.delete(recorded);
      if (onRecord) this.#settle({ ...about, outcome: kind, message });
      else {
        this.#unrecorded.push({ key, outcome });
        const told = `The service answered (${kind}: ${message}), but that could not be recorded`;
        this.#results.set(key, { ...about, outcome: "unknown", message: told });
      }
    });
    this.#recording.add(recorded);
  }

  #settle(result: Result): void {
    this.#results.set(result.key, result);
    this.#options.watcher.settled(result);
  }

  /** False where it could not be recorded: then nothing further is begun. */
  async #record(...events: readonly StateEvent[]): Promise<boolean> {
    try {
      await this.#options.session.append(...events);
      return true;
    } catch (error) {
      if (!(error instanceof StateProblem)) throw error;
      this.#problem ??= error;
      this.#halted.abort();
      return false;
    }
  }
}

type NotProcessed = Extract<Outcome, { kind: "not-processed" }>;

interface Attempt {
  readonly outcome: NotProcessed;
  readonly attempt: number;
}

/** The event that a state starts with. */
export function begun(environment: string, address: string): StateEvent {
  return { kind: "begun", version: stateVersion, lineage: randomUUID(), environment, address };
}

/** As long as nothing has come of it. */
function resultOf(change: Change): Result {
  const { key, name, action } = change;
  const untouched = { key, name, action, status: null, message: null, attempts: 0 };
  if (change.action !== "unknown") return { ...untouched, outcome: "not_attempted" };
  const { seen } = change.pending;
  return {
    ...untouched,
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "No outcome was recorded",
  };
}

function eventOf(change: Change): StateEvent | undefined {
  const { key } = change;
  switch (change.action) {
    case "move":
      return { kind: "moved", key, from: change.movedFrom };
    case "forget":
      return { kind: "removed", key };
    case "restore":
      return { kind: "restored", key, follow_up: change.followUp.id };
    case "create":
    case "replace":
    case "unknown":
      return undefined;
  }
}

function done({ action }: Change): ResultOutcome {
  return action === "move" ? "moved" : action === "forget" ? "forgotten" : "restored";
}

function givenUp(
  { status, message, retryAfter }: NotProcessed,
  attempt: number,
  wait: number,
): Extract<Outcome, { kind: "failed" }> {
  const why =
    attempt === maxAttempts
      ? `tried ${maxAttempts} times`
      : retryAfter === null
        ? `tried ${attempt} times in ${maxWaiting} s`
        : `it asks to wait ${wait} s, too long`;
  return { kind: "failed", status, message: `${message} (${why})`, stop: false };
}

/** Seconds before the next attempt: doubling, and not the same for all who wait. */
function backoff(attempt: number): number {
  return 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}
