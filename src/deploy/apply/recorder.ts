import { setMaxListeners } from "node:events";
import type { StateEvent } from "../../schema/state.ts";
import type { Permit } from "../service/exchange.ts";
import type { Linked } from "../state/entries.ts";
import { StateProblem } from "../state/lock.ts";
import { NotRecorded, type Session } from "../state/log/session.ts";

/** Records the events of a run. If that fails, the run starts nothing new. */
export class Recorder {
  /** Aborted when nothing new may be sent. */
  readonly halt: AbortSignal;
  /** Prevents requests after the lock is lost, even if their intents are recorded. */
  readonly permit: Permit;
  readonly #session: Session;
  /** Aborted by the run itself. */
  readonly #halted = new AbortController();
  /** Events that are being recorded while the run continues. */
  readonly #recording = new Set<Promise<void>>();
  #problem: StateProblem | undefined;
  #bug: { readonly error: unknown } | undefined;

  constructor(session: Session, halt: AbortSignal) {
    this.#session = session;
    this.halt = AbortSignal.any([halt, this.#halted.signal]);
    // Every request in flight listens to it.
    setMaxListeners(0, this.halt);
    this.permit = {
      isGood: () => session.isConfirmed,
      renew: () => this.#orHalt(() => session.confirm()),
    };
  }

  /** Why recording failed, if it did. */
  get problem(): StateProblem | undefined {
    return this.#problem;
  }

  /** Returns false if the events could not be recorded. */
  async record(...events: readonly StateEvent[]): Promise<boolean> {
    return (await this.#append(events)).isRecorded;
  }

  /** Records events that end with an intent. Returns its entry; undefined if it was certainly not recorded. */
  async recordIntent(
    ...events: readonly StateEvent[]
  ): Promise<{ readonly isRecorded: boolean; readonly intent: Linked | undefined }> {
    const { isRecorded, entries } = await this.#append(events);
    return { isRecorded, intent: entries.at(-1) };
  }

  /** Records an event without waiting for it. Events that are recorded later come after it. */
  recordMeanwhile(event: StateEvent, then: (isRecorded: boolean) => void): void {
    const recorded = this.record(event).then((isRecorded) => {
      this.#recording.delete(recorded);
      then(isRecorded);
    });
    this.#recording.add(recorded);
  }

  /** Resolves when everything is recorded, or could not be. */
  async finish(): Promise<void> {
    await Promise.all(this.#recording);
  }

  stop(): void {
    this.#halted.abort();
  }

  /** Stops the run because of an unexpected error, which `throwBug` throws when all requests have ended. */
  stopByBug(error: unknown): void {
    this.#bug ??= { error };
    this.stop();
  }

  throwBug(): void {
    if (this.#bug !== undefined) throw this.#bug.error;
  }

  async #append(
    events: readonly StateEvent[],
  ): Promise<{ readonly isRecorded: boolean; readonly entries: readonly Linked[] }> {
    let entries: readonly Linked[] = [];
    const isRecorded = await this.#orHalt(async () => {
      try {
        entries = await this.#session.append(...events);
      } catch (error) {
        if (error instanceof NotRecorded) ({ entries } = error);
        throw error;
      }
    });
    return { isRecorded, entries };
  }

  /** Returns false if `act` fails. */
  async #orHalt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof StateProblem) this.#problem ??= error;
      else this.#bug ??= { error };
      this.stop();
      return false;
    }
  }
}
