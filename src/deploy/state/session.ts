import type { StateEvent } from "../../schema/state.ts";
import { Batches } from "./batches.ts";
import type { Linked } from "./entries.ts";
import { type Marks, notCopied } from "./marks.ts";
import { ConnectionLost, persist } from "./persist.ts";
import { Sequencer } from "./sequencer.ts";
import type { State, StateView } from "./state.ts";
import { type Claim, type Filling, type Session, StateProblem } from "./store.ts";

/**
 * What a session needs from its store: each change by itself, made durable under the lock.
 *
 * The session asks for one thing at a time. While the store is lost (`ConnectionLost`), it
 * repeats the same change. After any other error it asks for nothing more but `close`.
 */
export interface SessionBackend {
  /** As messages show it. */
  readonly place: string;
  /**
   * Reserves room for the outcome of each intent among these events, which are appended
   * next. Returns undefined if there is room already. Rejects if there is none, which
   * does not end the session.
   */
  makeRoom?(events: readonly StateEvent[]): Promise<void> | undefined;
  /** Adds entries, and takes them into the session's state once they are durable. */
  append(linked: readonly Linked[]): Change;
  /** Rejects if the lock is no longer this session's. */
  check(): Promise<void>;
  /** Marks the state durably with this, and drops the staged entries of an earlier fill. */
  fill(filling: Filling): Change;
  /** Keeps entries durably beside the history. */
  stage(linked: readonly Linked[]): Change;
  /** Reads back what is staged, and verifies it against the history before it. */
  staged(): Promise<readonly Linked[]>;
  /** Replaces the mark. Staged entries stay. */
  seal(filling: Filling): Change;
  /**
   * Adds what is staged and removes the marks of filling and of moving, in one step for
   * every reader. Takes the entries into the session's state.
   */
  open(): Change;
  /** Drops what is staged, then removes the mark. */
  discard(): Change;
  /** Marks the state durably as moved. */
  relocate(to: string): Change;
  /** Calls this whenever a connection that shows that the holder is alive is lost. */
  whenLost?(lost: () => void): void;
  /** Ends the lock. Never rejects. `hasFailed`: the session could not record something. */
  close(hasFailed: boolean): Promise<void>;
}

/** Makes a change that was prepared in its turn. Called again, it completes the same change. */
export type Change = () => Promise<void>;

interface SessionOptions {
  readonly environment: string;
  readonly claim: Claim;
  readonly now: () => Date;
  /** Milliseconds to wait for a lost store. */
  readonly patience: number;
}

/** How often to ask a store that answers too late. */
const mostAsks = 5;

/**
 * The session of any store. Events become entries here (`Sequencer`), wait for their turn
 * (`Batches`), and are repeated while the store is lost (`persist`).
 */
export class WritingSession implements Session {
  readonly state: StateView;
  readonly #backend: SessionBackend;
  readonly #sequencer: Sequencer;
  readonly #options: SessionOptions;
  readonly #batches = new Batches((linked) => this.#make(this.#backend.append(linked)));
  /** Aborted when no call waits for the store any more. */
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  #marks: Marks;
  #fills = false;
  /** How many calls wait for their turn or for the store. */
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
    const { environment, claim, now } = options;
    this.state = state;
    this.#backend = backend;
    this.#marks = { movedTo, filling };
    this.#options = options;
    this.#sequencer = new Sequencer(state, environment, claim, now);
    this.#stop = AbortSignal.any([this.#over.signal, ...(claim.stop ? [claim.stop] : [])]);
    backend.whenLost?.(() => this.#restore());
  }

  async append(...events: readonly StateEvent[]): Promise<void> {
    this.#refuseEnded();
    if (this.#fills || this.filling !== null) {
      throw new Error("A session that fills a state adds nothing else.");
    }
    const room = this.#backend.makeRoom?.(events);
    if (room !== undefined) {
      await room;
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
    const confirmed = this.#confirmed;
    return this.#batches.failure === undefined && confirmed !== undefined && !isOld(confirmed);
  }

  async confirm(): Promise<void> {
    for (let asks = 0; !this.isConfirmed; asks += 1) {
      this.#refuseEnded();
      if (asks === mostAsks) throw tooSlow(this.#backend.place);
      // Calls at the same time share one answer.
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
    // If no call waits, nothing needs a lost store to come back.
    if (this.#calls === 0) this.#over.abort();
    await this.#batches.drained();
    await this.#backend.close(this.#batches.failure !== undefined);
  }

  /** Staged entries that were damaged can be copied again, so they do not end the session. */
  async #staged(): Promise<readonly Linked[]> {
    const read = () =>
      this.#backend.staged().catch((error: unknown) => {
        if (error instanceof StateProblem && error.code === "IVR675") return error;
        throw error;
      });
    const found = await this.#counted(this.#batches.act(() => this.#persist(read)));
    if (found instanceof StateProblem) throw found;
    return found;
  }

  /** Prepares a change in its turn, and makes it. */
  #change(prepare: () => Change): Promise<void> {
    return this.#counted(this.#batches.act(() => this.#make(prepare())));
  }

  async #make(change: Change): Promise<void> {
    const asked = moment();
    let attempts = 0;
    await this.#persist(() => {
      attempts += 1;
      return change();
    });
    // An earlier attempt may have made it long ago, and the lock may have ended since.
    this.#confirmed = attempts === 1 ? asked : undefined;
  }

  #check(): Promise<void> {
    const check = async () => {
      const asked = moment();
      await this.#backend.check();
      this.#confirmed = asked;
    };
    return this.#batches.act(() => this.#persist(check));
  }

  /** Replaces a lost connection at once and not with the next call, because its end frees the lock. */
  #restore(): void {
    if (this.#closed === undefined) this.#check().catch(() => {});
  }

  async #persist<T>(act: () => Promise<T>): Promise<T> {
    const { patience, claim } = this.#options;
    try {
      return await persist(act, { patience, stop: this.#stop, watcher: claim.watcher });
    } catch (error) {
      throw error instanceof ConnectionLost ? error.givenUp : error;
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

/** A reading of this machine's clocks. */
interface Moment {
  readonly clock: number;
  readonly running: number;
}

/** Milliseconds for which a confirmation of the lock is valid. */
const freshness = 5000;

function moment(): Moment {
  return { clock: Date.now(), running: performance.now() };
}

/**
 * Either clock decides. `performance.now()` continues while the process is suspended, and
 * nobody can set it. On Linux it stops while the machine sleeps, which `Date.now()` does
 * not. If somebody sets the clock, the worst is one question too many.
 */
function isOld({ clock, running }: Moment): boolean {
  return Date.now() - clock > freshness || performance.now() - running > freshness;
}

function tooSlow(place: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${place} takes too long to confirm that this run still holds the lock, so nothing more is sent.`,
  );
}
