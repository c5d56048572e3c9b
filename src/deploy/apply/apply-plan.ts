import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { WaitsFor } from "../../schema/plan.ts";
import type { Pending, StateEvent } from "../../schema/state.ts";
import type { Outcome } from "../service/outcome.ts";
import {
  type NotProcessed,
  type Pace,
  givenUp,
  maxAttempts,
  maxWaiting,
  waitAfter,
} from "./pace.ts";
import {
  type Action,
  type Change,
  type Plan,
  type Sending,
  begun,
  eventsOf,
  eventsWithoutRequest,
  intentsOf,
  isSending,
  needsPerson,
} from "../plan/plan.ts";
import type { Permit } from "../service/exchange.ts";
import type { Service } from "../service/service.ts";
import type { Absent } from "../state/rescue.ts";
import type { StateView } from "../state/state.ts";
import { type Session, StateProblem } from "../state/store.ts";

/** The result of one change, as it was recorded. */
export interface Result {
  readonly key: string;
  readonly name: string;
  readonly action: Action;
  readonly outcome: ResultOutcome;
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  readonly message: string | null;
  /** How many times the request was sent in this run. */
  readonly attempts: number;
  /** The menus whose ids it waits for. Only if it waits. */
  readonly waitsFor?: readonly WaitsFor[];
}

export const resultOutcomes = [
  "created",
  "failed",
  "unknown",
  "not_attempted",
  "waiting",
  "moved",
  "forgotten",
  "restored",
] as const;
export type ResultOutcome = (typeof resultOutcomes)[number];

export interface Applied {
  /** One for every change, in the order of the plan. */
  readonly results: readonly Result[];
  /** Why recording failed, if it did. */
  readonly problem: StateProblem | undefined;
  /** Outcomes that are known but could not be recorded, as far as this run knows. */
  readonly unrecorded: readonly Unrecorded[];
}

export interface Unrecorded {
  readonly key: string;
  /** The digest of the payload that was sent. */
  readonly digest: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** Set if the menu was created but someone has recorded it as absent. */
  readonly denied?: Absent;
}

/** The results of a plan that was not applied. The state may have changed since it was made. */
export function untouched({ changes }: Plan, { keys }: StateView): Result[] {
  return changes.map((change) => {
    const pending = keys.get(change.key)?.pending;
    return pending ? { ...resultOf(change), ...openResult(pending) } : resultOf(change);
  });
}

/** Whether apply has nothing to do. Only a person can resolve an unknown outcome or record an id. */
export function isIdle({ changes, named }: Plan): boolean {
  return named.length === 0 && changes.every(needsPerson);
}

/** Callbacks for the progress of an apply. */
export interface Watcher {
  sending(key: string): void;
  /** The service did not process the request. It is sent again after `seconds`. */
  waiting(key: string, seconds: number, reason: Pick<Result, "status" | "message">): void;
  /** The result is final and recorded. */
  finished(result: Result): void;
}

interface Options {
  readonly session: Session;
  readonly service: Service;
  /** The most creates in flight at the same time. */
  readonly concurrency: number;
  readonly pace: Pace;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly watcher: Watcher;
  /** When aborted, nothing new is sent, and requests in flight may finish. */
  readonly halt: AbortSignal;
  /** When aborted, requests in flight are abandoned. */
  readonly stop: AbortSignal;
}

/** Applies the changes of a plan, and nothing else. */
export function applyPlan(plan: Plan, options: Options): Promise<Applied> {
  return new Run(plan, options).run();
}

class Run {
  readonly #plan: Plan;
  readonly #options: Options;
  readonly #results = new Map<string, Result>();
  readonly #unrecorded: Unrecorded[] = [];
  /** Outcomes that are being recorded. */
  readonly #recording = new Set<Promise<void>>();
  /** Aborted by the run itself when nothing new may be sent. */
  readonly #halted = new AbortController();
  readonly #halt: AbortSignal;
  /** Prevents requests after the lock is lost, even if their intents are recorded. */
  readonly #permit: Permit;
  #problem: StateProblem | undefined;
  /** An unexpected error. It is thrown after all other creates have ended. */
  #bug: { readonly error: unknown } | undefined;

  constructor(plan: Plan, options: Options) {
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
    const creates = changes.filter(isSending).values();
    const workers = Array.from({ length: this.#options.concurrency }, async () => {
      // All workers share one iterator, so creates start in the order of their keys.
      for (const change of creates) {
        await this.#create(change).catch((error: unknown) => this.#haltByBug(error));
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

  /** Records the intent, sends the request, and repeats both while the service does not process it. */
  async #create(change: Sending): Promise<void> {
    const { service, pace, stop, watcher } = this.#options;
    const { key } = change;
    let last: Attempt | undefined;
    for (let attempt = 1, waited = 0; ; attempt += 1) {
      await pace.turn(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#stopTrying(change, last);
      if (!(await this.#record(...this.#intents(change, attempt === 1)))) {
        // The intent may be recorded or not, but the request was not sent.
        return this.#keepUnrecorded(change, unsent, last?.attempt ?? 0);
      }
      await pace.depart(this.#halt).catch(() => {});
      if (this.#halt.aborted) return this.#withdraw(change, last);
      watcher.sending(key);
      const outcome = await service.create(change.after.payload, key, stop, this.#permit);
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

  #intents(change: Sending, first: boolean): StateEvent[] {
    const until = new Date(Date.now() + this.#options.timeout * 1000).toISOString();
    return intentsOf(change, first, until);
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
  #recordOutcome(change: Sending, outcome: Exclude<Outcome, NotProcessed>, attempts: number): void {
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
        this.#finish({ ...resultOf(change), outcome: kind, status, message, attempts });
      } else this.#keepUnrecorded(change, outcome, attempts);
    });
    this.#recording.add(recorded);
  }

  /** Keeps an outcome that could not be recorded. In the state it is unknown. */
  #keepUnrecorded(change: Sending, outcome: Outcome, attempts: number): void {
    const { key } = change;
    const { kind, status, message } = outcome;
    this.#unrecorded.push({ key, digest: change.after.digest, outcome, attempts });
    this.#results.set(key, {
      ...resultOf(change),
      outcome: "unknown",
      status,
      message: `${words[kind]} (${message}), but this could not be recorded`,
      attempts,
    });
  }

  #finish(result: Result): void {
    this.#results.set(result.key, result);
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

const words: Readonly<Record<Outcome["kind"], string>> = {
  created: "the service created it",
  failed: "the service did not create it",
  "not-processed": "the service did not process it",
  unknown: "the outcome is unknown",
};

const unsent: NotProcessed = {
  kind: "not-processed",
  status: null,
  message: "the request was not sent",
  retryAfter: null,
};

interface Attempt {
  readonly outcome: NotProcessed;
  readonly attempt: number;
}

/** The result of a change before anything was done for it. */
function resultOf(change: Change): Result {
  const { key, name, action } = change;
  const untouched = { key, name, action, status: null, message: null, attempts: 0 };
  if (change.action === "unknown") return { ...untouched, ...openResult(change.pending) };
  return change.action === "waiting"
    ? { ...untouched, outcome: "waiting", waitsFor: change.waitsFor }
    : { ...untouched, outcome: "not_attempted" };
}

function openResult({ seen }: Pending): Pick<Result, "outcome" | "status" | "message"> {
  return {
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "no outcome was recorded",
  };
}

function outcomeWithoutRequest({ action }: Change): ResultOutcome {
  return action === "move" ? "moved" : action === "forget" ? "forgotten" : "restored";
}
