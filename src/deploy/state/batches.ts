import { setImmediate as nextTurn } from "node:timers/promises";
import type { Linked } from "./entries.ts";

/** An item of the queue: entries to commit, or another task. */
type Waiting =
  | { readonly kind: "entries"; readonly linked: readonly Linked[]; readonly call: Call<void> }
  | { readonly kind: "task"; readonly run: () => Promise<void>; readonly call: Call<never> };

interface Call<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The queue of a session. It runs one item at a time, in the order of the calls. Entries
 * that wait one after another become one commit. After a failure, every later call rejects
 * with the same error.
 */
export class Batches {
  readonly #commit: (linked: readonly Linked[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(commit: (linked: readonly Linked[]) => Promise<void>) {
    this.#commit = commit;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  append(linked: readonly Linked[]): Promise<void> {
    return this.#wait<void>((call) => ({ kind: "entries", linked, call }));
  }

  /** Runs a task after all earlier calls. */
  act<T>(task: () => Promise<T>): Promise<T> {
    return this.#wait<T>((call) => ({
      kind: "task",
      run: async () => call.resolve(await task()),
      call,
    }));
  }

  /** Resolves when the queue is empty. */
  async drained(): Promise<void> {
    await this.#working;
  }

  #wait<T>(waiting: (call: Call<T>) => Waiting): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => {
      this.#waiting.push(waiting({ resolve, reject }));
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      // Wait a turn, so that calls made at the same time join the batch.
      await nextTurn();
      const batch = this.#next();
      if (batch.length === 0) break;
      try {
        await this.#do(batch);
      } catch (error) {
        this.#failure = { error };
        for (const { call } of [...batch, ...this.#waiting]) call.reject(error);
        this.#waiting = [];
        break;
      }
    }
    this.#working = undefined;
  }

  async #do(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    if (first?.kind === "task") return first.run();
    const entries = batch.filter((one) => one.kind === "entries");
    await this.#commit(entries.flatMap(({ linked }) => linked));
    for (const { call } of entries) call.resolve();
  }

  /** Takes all entries up to the next task, or that task if it is first. */
  #next(): readonly Waiting[] {
    const task = this.#waiting.findIndex(({ kind }) => kind === "task");
    const count = task === -1 ? this.#waiting.length : Math.max(task, 1);
    return this.#waiting.splice(0, count);
  }
}
