import { setImmediate as nextTurn } from "node:timers/promises";
import type { Linked } from "./entries.ts";

type Waiting =
  | { readonly kind: "entries"; readonly linked: readonly Linked[]; readonly call: Call<void> }
  | { readonly kind: "deed"; readonly run: () => Promise<void>; readonly call: Call<never> };

interface Call<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The queue of a session. It does one thing at a time, in the order of the calls. All
 * entries that wait together become one commit. After a failure it does nothing more,
 * and every later call rejects with the same error.
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

  /** Does something else in its turn. */
  act<T>(deed: () => Promise<T>): Promise<T> {
    return this.#wait<T>((call) => ({
      kind: "deed",
      run: async () => call.resolve(await deed()),
      call,
    }));
  }

  /** Resolves when nothing is waiting any more. */
  async settled(): Promise<void> {
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
      // Calls of this turn, and of callers that were just answered, join the batch.
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
    if (first?.kind === "deed") return first.run();
    const entries = batch.filter((one) => one.kind === "entries");
    await this.#commit(entries.flatMap(({ linked }) => linked));
    for (const { call } of entries) call.resolve();
  }

  /** The entries up to the next deed, or the deed that comes first. */
  #next(): readonly Waiting[] {
    const deed = this.#waiting.findIndex(({ kind }) => kind === "deed");
    const count = deed === -1 ? this.#waiting.length : Math.max(deed, 1);
    return this.#waiting.splice(0, count);
  }
}
