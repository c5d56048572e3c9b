import type { Linked } from "./entries.ts";
import type { Clock } from "../../util/host.ts";

/** An item of the queue: entries to commit, or another task. */
type Waiting =
  | { readonly kind: "entries"; readonly linked: readonly Linked[]; readonly call: Call<void> }
  | { readonly kind: "task"; readonly run: () => Promise<void>; readonly call: Call<never> };

interface Call<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a commit waits for more entries, in a store where commits are slow. */
export interface Gathering {
  /** A commit with this many intents waits no longer. */
  readonly intents: number;
  /** Milliseconds to wait for more intents. */
  readonly forMore: number;
  /** Milliseconds to wait for an intent when there are only other entries. */
  readonly forIntent: number;
}

/** Whether somebody waits for this entry. Nobody waits for answers: the next create starts without them. */
function isUrgent({ entry: { event } }: Linked): boolean {
  return event.kind !== "intent" && !(event.kind === "outcome" && event.how === "answer");
}

/**
 * The queue of a session. It runs one item at a time, in the order of the calls. Entries
 * that wait one after another become one commit. After a failure, every later call rejects
 * with the same error.
 */
export class Batches {
  readonly #commit: (linked: readonly Linked[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #gathering: Gathering | undefined;
  /** Called when something is added to the queue. */
  #notice = () => {};
  #isDraining = false;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    commit: (linked: readonly Linked[]) => Promise<void>,
    clock: Clock,
    gathering?: Gathering,
  ) {
    this.#clock = clock;
    this.#commit = commit;
    this.#gathering = gathering;
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
    this.#isDraining = true;
    this.#notice();
    await this.#working;
  }

  #wait<T>(waiting: (call: Call<T>) => Waiting): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => {
      this.#waiting.push(waiting({ resolve, reject }));
      this.#notice();
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      // Wait a turn, so that calls made at the same time join the batch.
      await this.#clock.sleep(0);
      await this.#gather();
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

  /** Waits for entries that can share the commit. */
  async #gather(): Promise<void> {
    if (this.#gathering === undefined) return;
    const { forIntent, forMore } = this.#gathering;
    if (this.#intents() === 0) await this.#pause(forIntent, () => this.#intents() > 0);
    if (this.#intents() > 0) await this.#pause(forMore, () => false);
  }

  /** Waits until something happens that is worth a commit, or the time is over. */
  async #pause(milliseconds: number, isEnough: () => boolean): Promise<void> {
    if (this.#waiting.length === 0 || this.#isComplete()) return;
    const over = new AbortController();
    this.#notice = () => {
      if (this.#isComplete() || isEnough()) over.abort();
    };
    await this.#clock.sleep(milliseconds, over.signal).catch(() => {});
    this.#notice = () => {};
  }

  /** Whether nothing is gained by waiting for more entries. */
  #isComplete(): boolean {
    if (this.#gathering === undefined || this.#isDraining) return true;
    if (this.#intents() >= this.#gathering.intents) return true;
    return this.#waiting.some((one) => one.kind === "task" || one.linked.some(isUrgent));
  }

  #intents(): number {
    const entries = this.#waiting.flatMap((one) => (one.kind === "entries" ? one.linked : []));
    return entries.filter(({ entry }) => entry.event.kind === "intent").length;
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
