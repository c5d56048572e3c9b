import type { StateEvent } from "../../schema/state.ts";
import { Batches, type Gathering } from "./batches.ts";
import type { Linked } from "./entries.ts";
import { type Marks, notCopied } from "./marks.ts";
import { StoreUnavailable, retry } from "./retry.ts";
import { Sequencer } from "./sequencer.ts";
import type { State, StateView } from "./state.ts";
import { type Claim, type Filling, type Session, StateProblem } from "./store.ts";
import type { Clock } from "../../util/host.ts";

/**
 * What a session needs from its store. Each call makes one durable change under the lock.
 *
 * The session makes one call at a time. While the store is unavailable (`StoreUnavailable`),
 * it repeats the same change. After any other error it calls only `close`.
 */
export interface SessionBackend {
  /** The store's address in messages. */
  readonly place: string;
  /** Set if commits are so slow that they wait for more entries. */
  readonly gathering?: Gathering;
  /**
   * Makes sure that there is space for outcomes, if one of these events is an intent. They are
   * appended next. Returns undefined if there is enough space already. Rejects if there is none,
   * which does not end the session.
   */
  reserveSpace?(events: readonly StateEvent[]): Promise<void> | undefined;
  /** Adds entries, and takes them into the session's state once they are durable. */
  append(linked: readonly Linked[]): Change;
  /** Rejects if this session has lost the lock. */
  check(): Promise<void>;
  /** Sets the mark of a fill, and deletes the staged entries of an earlier fill. */
  fill(filling: Filling): Change;
  /** Writes entries to the staging area, which is separate from the history. */
  stage(linked: readonly Linked[]): Change;
  /** Reads the staged entries back, and verifies that they continue the history. */
  staged(): Promise<readonly Linked[]>;
  /** Replaces the mark. Staged entries stay. */
  seal(filling: Filling): Change;
  /**
   * Adds the staged entries to the history and to the session's state, and removes both
   * marks. Readers see all of this or nothing.
   */
  open(): Change;
  /** Deletes the staged entries, then removes the mark. */
  discard(): Change;
  /** Marks the state as moved. */
  relocate(to: string): Change;
  /** Registers a function to call when the store loses the connection that keeps the lock alive. */
  whenLost?(lost: () => void): void;
  /** Releases the lock. Never rejects. `hasFailed`: the session could not record something. */
  close(hasFailed: boolean): Promise<void>;
}

/** Makes a prepared change. It can be called again to complete the same change. */
export type Change = () => Promise<void>;

interface SessionOptions {
  readonly environment: string;
  readonly claim: Claim;
  readonly clock: Clock;
  /** Milliseconds to wait for a store that is unavailable. */
  readonly maxWait: number;
}

/** How often to ask a store whose answers come too late. */
const maxAsks = 5;

/**
 * The session of every store. It turns events into entries (`Sequencer`), queues them
 * (`Batches`), and repeats changes while the store is unavailable (`retry`).
 */
export class WritingSession implements Session {
  readonly state: StateView;
  readonly #backend: SessionBackend;
  readonly #sequencer: Sequencer;
  readonly #options: SessionOptions;
  readonly #batches: Batches;
  /** Aborted when the session closes and no call waits for the store. */
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  #marks: Marks;
  #fills = false;
  /** The number of calls that are queued or wait for the store. */
  #calls = 0;
  /** When the store last confirmed that this session holds the lock. Undefined: ask again. */
  #confirmed: Moment | undefined;
  #confirming: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    backend: SessionBackend,
    { state, movedTo, filling }: Marks & { readonly state: State },
    options: SessionOptions,
  ) {
    const { environment, claim, clock } = options;
    this.state = state;
    this.#backend = backend;
    this.#batches = new Batches(
      (linked) => this.#make(backend.append(linked)),
      options.clock,
      backend.gathering,
    );
    this.#marks = { movedTo, filling };
    this.#options = options;
    this.#sequencer = new Sequencer(state, environment, claim, () => clock.now());
    this.#stop = AbortSignal.any([this.#over.signal, ...(claim.stop ? [claim.stop] : [])]);
    backend.whenLost?.(() => this.#restore());
  }

  async append(...events: readonly StateEvent[]): Promise<void> {
    this.#refuseEnded();
    if (this.#fills || this.filling !== null) {
      throw new Error("A session that fills a state adds nothing else.");
    }
    const reserving = this.#backend.reserveSpace?.(events);
    if (reserving !== undefined) {
      await reserving;
      this.#refuseEnded();
    }
    await this.#counted(this.#batches.append(this.#sequencer.next(events)));
  }

  get movedTo(): string | null {
    return this.#marks.movedTo;
  }

  get filling(): Filling | null {
    return this.#marks.filling;
  }

  async fill(begun: Omit<Filling, "head">): Promise<void> {
    this.#refuseEnded();
    this.#fills = true;
    const filling = { ...begun, head: null };
    await this.#change(() => this.#backend.fill(filling));
    this.#marks = { ...this.#marks, filling };
  }

  async copy(linked: readonly Linked[]): Promise<void> {
    this.#refuseEnded();
    this.#requireFilling();
    const next = this.#sequencer.follow(linked);
    await this.#change(() => this.#backend.stage(next));
  }

  async seal(head: string): Promise<void> {
    this.#refuseEnded();
    const filling = { ...this.#requireFilling(), head };
    const staged = await this.#staged();
    if ((staged.at(-1)?.head ?? this.state.head) !== head) throw notCopied(this.#backend.place);
    await this.#change(() => this.#backend.seal(filling));
    this.#marks = { ...this.#marks, filling };
  }

  async open(): Promise<void> {
    this.#refuseEnded();
    if (this.#requireFilling().head === null) throw new Error("The fill is not sealed.");
    this.#fills = true;
    await this.#change(() => this.#backend.open());
    this.#marks = { movedTo: null, filling: null };
  }

  async discard(): Promise<void> {
    this.#refuseEnded();
    if (this.#requireFilling().head !== null) throw new Error("A sealed fill is not discarded.");
    await this.#change(() => this.#backend.discard());
    this.#marks = { ...this.#marks, filling: null };
  }

  async relocate(movedTo: string): Promise<void> {
    this.#refuseEnded();
    await this.#change(() => this.#backend.relocate(movedTo));
    this.#marks = { ...this.#marks, movedTo };
  }

  get isConfirmed(): boolean {
    const { clock } = this.#options;
    const confirmed = this.#confirmed;
    return (
      this.#batches.failure === undefined && confirmed !== undefined && !isOld(confirmed, clock)
    );
  }

  async confirm(): Promise<void> {
    for (let asks = 0; !this.isConfirmed; asks += 1) {
      this.#refuseEnded();
      if (asks === maxAsks) throw tooSlow(this.#backend.place);
      // Concurrent calls share one answer.
      this.#confirming ??= this.#counted(this.#check()).finally(
        () => (this.#confirming = undefined),
      );
      await this.#confirming;
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    // If no call waits, do not wait for a store that is unavailable.
    if (this.#calls === 0) this.#over.abort();
    await this.#batches.drained();
    await this.#backend.close(this.#batches.failure !== undefined);
  }

  /** Reads the staged entries. Damaged ones can be copied again, so they do not end the session. */
  async #staged(): Promise<readonly Linked[]> {
    const read = () =>
      this.#backend.staged().catch((error: unknown) => {
        if (error instanceof StateProblem && error.code === "IVR675") return error;
        throw error;
      });
    const found = await this.#counted(this.#batches.act(() => this.#retry(read)));
    if (found instanceof StateProblem) throw found;
    return found;
  }

  /** Prepares and makes a change when it is first in the queue. */
  #change(prepare: () => Change): Promise<void> {
    return this.#counted(this.#batches.act(() => this.#make(prepare())));
  }

  async #make(change: Change): Promise<void> {
    const asked = moment(this.#options.clock);
    let attempts = 0;
    await this.#retry(() => {
      attempts += 1;
      return change();
    });
    // An earlier attempt may have succeeded long ago, and the lock may be lost since.
    this.#confirmed = attempts === 1 ? asked : undefined;
  }

  #check(): Promise<void> {
    const check = async () => {
      const asked = moment(this.#options.clock);
      await this.#backend.check();
      this.#confirmed = asked;
    };
    return this.#batches.act(() => this.#retry(check));
  }

  /** Replaces a lost connection at once, because other runs can take the lock while there is none. */
  #restore(): void {
    if (this.#closed === undefined) this.#check().catch(() => {});
  }

  async #retry<T>(act: () => Promise<T>): Promise<T> {
    const { clock, maxWait, claim } = this.#options;
    try {
      return await retry(act, { clock, maxWait, stop: this.#stop, watcher: claim.watcher });
    } catch (error) {
      throw error instanceof StoreUnavailable ? error.afterWaiting : error;
    }
  }

  async #counted<T>(call: Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call;
    } finally {
      this.#calls -= 1;
    }
  }

  #requireFilling(): Filling {
    if (this.filling === null) throw new Error("Nothing is being filled.");
    return this.filling;
  }

  #refuseEnded(): void {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    if (this.#batches.failure !== undefined) throw this.#batches.failure.error;
  }
}

/** The time on two clocks of this machine. */
interface Moment {
  readonly time: number;
  readonly running: number;
}

/** Milliseconds for which a confirmation of the lock is valid. */
const freshness = 5000;

function moment(clock: Clock): Moment {
  return { time: clock.now().getTime(), running: clock.elapsed() };
}

/**
 * Whether the confirmation is too old by either clock. `elapsed` continues while
 * the process is suspended, and setting the clock does not change it. But on Linux it stops
 * while the machine sleeps; the time of day does not. If someone sets the clock, the store is
 * asked once too often at worst.
 */
function isOld({ time, running }: Moment, clock: Clock): boolean {
  const now = moment(clock);
  return now.time - time > freshness || now.running - running > freshness;
}

function tooSlow(place: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${place} takes too long to confirm that this run still holds the lock, so nothing more is sent.`,
  );
}
