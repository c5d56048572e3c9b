import type { StateEvent } from "../../schema/state.ts";
import type { Linked } from "../state/entries.ts";
import { outcomeEvent } from "../state/records.ts";
import type { Permit } from "../service/exchange.ts";
import type { Attempted, Outcome } from "../service/outcome.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { type NotProcessed, givenUp, maxAttempts, maxWaiting, waitAfter } from "../service/pace.ts";
import type { Recorder } from "./recorder.ts";

/** A request that changes something on the service, and what is recorded about it. */
export interface Writing {
  /** What the progress of the run calls it. */
  readonly key: string;
  /**
   * Looks at the service before each attempt. If the request must not be sent any more, returns a
   * function that reports why, after that many attempts.
   */
  check?(): Promise<((attempts: number) => void) | undefined>;
  /** The events that are recorded before the request leaves. The last one is its intent. */
  intents(attempt: { readonly isFirst: boolean; readonly until: string }): readonly StateEvent[];
  send(permit: Permit): Promise<Attempted>;
  finished(outcome: FinalOutcome, attempts: number): void;
  /** Called if the outcome could not be recorded. In the state it is unknown. */
  unrecorded(intent: Linked, outcome: Outcome, attempts: number): void;
}

type FinalOutcome = Exclude<Outcome, NotProcessed>;

type SendingOptions = Pick<ApplyOptions, "clock" | "pace" | "timeout" | "watcher">;

/**
 * Records the intent, sends the request, and repeats both while the service does not process it.
 * Resolves when the next request may start. Its own outcome may still be being recorded then.
 */
export async function attempt(
  writing: Writing,
  recorder: Recorder,
  { clock, pace, timeout, watcher }: SendingOptions,
): Promise<void> {
  const { key } = writing;
  const { halt } = recorder;
  let last: Attempt | undefined;
  for (let attempts = 1, waited = 0; ; attempts += 1) {
    await pace.turn(halt).catch(() => {});
    const refused = await writing.check?.();
    if (halt.aborted) return stopTrying(writing, last);
    if (refused !== undefined) return refused(attempts - 1);
    const until = new Date(clock.now().getTime() + timeout * 1000).toISOString();
    const events = writing.intents({ isFirst: attempts === 1, until });
    const { isRecorded, intent } = await recorder.recordIntent(...events);
    if (intent === undefined) return stopTrying(writing, last);
    // The intent may be recorded or not, but the request was not sent.
    if (!isRecorded) return writing.unrecorded(intent, unsent, last?.attempts ?? 0);
    // It can take long to record an intent.
    const late = await writing.check?.();
    if (late === undefined) await pace.depart(halt).catch(() => {});
    if (halt.aborted || late !== undefined) return withdraw(writing, recorder, intent, last, late);
    watcher.sending(key);
    const outcome = await writing.send(recorder.permit);
    if (outcome.kind === "withheld") return withdraw(writing, recorder, intent, last);
    if (outcome.kind !== "not-processed") {
      return recordOutcome(writing, recorder, intent, outcome, attempts);
    }
    last = { outcome, attempts };
    const wait = waitAfter(outcome, attempts);
    if (attempts === maxAttempts || waited + wait > maxWaiting) {
      const last = givenUp(outcome, attempts, wait);
      return recordOutcome(writing, recorder, intent, last, attempts);
    }
    if (!(await recorder.record(answerEvent(intent, outcome)))) {
      return writing.unrecorded(intent, outcome, attempts);
    }
    if (!halt.aborted) watcher.waiting(key, wait, outcome);
    await clock.sleep(wait * 1000, halt).catch(() => {});
    waited += wait;
  }
}

/** Sends requests in their order, some of them at the same time. */
export async function inTurn<T>(
  items: readonly T[],
  concurrency: number,
  recorder: Recorder,
  send: (item: T) => Promise<void>,
): Promise<void> {
  // All workers share one iterator, so requests start in the order of the items.
  const rest = items.values();
  const workers = Array.from({ length: concurrency }, async () => {
    for (const item of rest) {
      await send(item).catch((error: unknown) => recorder.stopByBug(error));
    }
  });
  await Promise.all(workers);
}

type Attempt = Readonly<{ outcome: NotProcessed; attempts: number }>;

const unsent: NotProcessed = {
  kind: "not-processed",
  status: null,
  message: "the request was not sent",
  retryAfter: null,
};

const outcomes = {
  done: "done",
  failed: "not-done",
  "not-processed": "not-done",
  unknown: "unknown",
} as const;

/** The event that records the answer to a request. Only `unknown` leaves it open. */
export function answerEvent({ entry }: Linked, outcome: Outcome) {
  const { kind, status, message } = outcome;
  const { event, seq } = entry;
  const batch = kind === "done" && outcome.batch !== undefined ? { batch: outcome.batch } : {};
  if (event.kind !== "intent") throw new Error("The last event before a request is its intent.");
  return outcomeEvent(
    { ...event, intent: seq },
    { how: "answer", as: outcomes[kind], status, message, ...batch },
  );
}

/** Records that the request was not sent, although its intent is recorded. */
async function withdraw(
  writing: Writing,
  recorder: Recorder,
  intent: Linked,
  last: Attempt | undefined,
  refused?: (attempts: number) => void,
): Promise<void> {
  const attempts = last?.attempts ?? 0;
  if (!(await recorder.record(answerEvent(intent, unsent)))) {
    writing.unrecorded(intent, unsent, attempts);
  } else if (refused === undefined) stopTrying(writing, last);
  else refused(attempts);
}

/** Ends the attempts when the run is halted: as failed if there was one, else as not attempted. */
function stopTrying(writing: Writing, last: Attempt | undefined): void {
  if (last === undefined) return;
  const { status, message } = last.outcome;
  const why = `${message}; stopped before the next attempt`;
  writing.finished({ kind: "failed", status, message: why, stop: false }, last.attempts);
}

/**
 * Records an outcome without waiting for it. The next request may start at once, because its intent
 * is recorded after this outcome.
 */
function recordOutcome(
  writing: Writing,
  recorder: Recorder,
  intent: Linked,
  outcome: FinalOutcome,
  attempts: number,
): void {
  if (outcome.kind === "failed" && outcome.stop) recorder.stop();
  recorder.recordMeanwhile(answerEvent(intent, outcome), (isRecorded) => {
    if (isRecorded) writing.finished(outcome, attempts);
    else writing.unrecorded(intent, outcome, attempts);
  });
}
