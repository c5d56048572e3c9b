import { setImmediate as nextTurn } from "node:timers/promises";
import type { Linked } from "./chain.ts";

interface Waiting {
  /** To be added; undefined where it is something else that is to be done. */
  readonly linked: readonly Linked[] | undefined;
  readonly deed: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Brings entries together that are to be added: whatever is waiting goes into one
 * commit, so that many callers pay for one of them together. One is under way at
 * a time, and after one has failed there is no other.
 */
export class Batches {
  readonly #commit: (linked: readonly Linked[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(commit: (linked: readonly Linked[]) => Promise<void>) {
    this.#commit = commit;
  }

  /** The first one, which every later call meets too. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  append(linked: readonly Linked[]): Promise<void> {
    return this.#wait(linked, async () => {});
  }

  /** Something else, in its turn. */
  act(deed: () => Promise<void>): Promise<void> {
    return this.#wait(undefined, deed);
  }

  /** Resolves when nothing is waiting any more. */
  async settled(): Promise<void> {
    await this.#working;
  }

  #wait(linked: Waiting["linked"], deed: Waiting["deed"]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ linked, deed, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      // Who asks in this turn, and who was answered in the last one, comes along.
      await nextTurn();
      const batch = this.#next();
      if (batch.length === 0) break;
      try {
        const [first] = batch;
        if (first?.linked === undefined) await first?.deed();
        else await this.#commit(batch.flatMap(({ linked = [] }) => linked));
      } catch (error) {
        this.#failure = { error };
        for (const { reject } of [...batch, ...this.#waiting]) reject(error);
        this.#waiting = [];
        break;
      }
      for (const { resolve } of batch) resolve();
    }
    this.#working = undefined;
  }

  /** As many as can be added at once, or the one thing that is to be done first. */
  #next(): readonly Waiting[] {
    const deed = this.#waiting.findIndex(({ linked }) => linked === undefined);
    const count = deed === -1 ? this.#waiting.length : Math.max(deed, 1);
    return this.#waiting.splice(0, count);
  }
}
