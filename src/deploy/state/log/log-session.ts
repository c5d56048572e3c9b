import type { StateEvent } from "../../../schema/state.ts";
import type { Clock } from "../../../util/host.ts";
import { Batches } from "../batches.ts";
import type { Linked } from "../entries.ts";
import { type WaitOptions, StoreUnavailable, retry, withoutWaiting } from "../retry.ts";
import { Sequencer } from "../sequencer.ts";
import type { StateView } from "../state.ts";
import { type Claim, NotRecorded, type Session, StateProblem } from "../store.ts";
import type { Block } from "./block.ts";
import type { LogState } from "./log-state.ts";
import type { VerifiedLog } from "./verified-log.ts";

/** Milliseconds for which a confirmation of the lock is valid. */
export const freshness = 5000;

/** How often to ask a store whose answers come too late. */
const maxAsks = 5;

type Change = Block extends infer B ? (B extends Block ? Omit<B, "session"> : never) : never;

/** What a session needs from its store. */
interface SessionPlace {
  readonly log: VerifiedLog;
  /** Milliseconds to wait for a store that is unavailable. */
  readonly maxWait: number;
  readonly whenClosed: () => Promise<void>;
  /** From when on it is known that the lock is held. */
  readonly confirmed: Moment;
}

/**
 * The right to change the state while the lock is held. It turns events into entries
 * (`Sequencer`), and adds those that wait as one block (`Batches`). It has one request in flight
 * at a time, and repeats it while the store is unavailable.
 */
export class LogSession implements Session {
  readonly state: StateView;
  readonly #log: VerifiedLog;
  readonly #view: LogState;
  readonly #id: string;
  readonly #wait: WaitOptions;
  readonly #whenClosed: () => Promise<void>;
  readonly #sequencer: Sequencer;
  readonly #batches: Batches;
  /** Aborted when the session closes and no call waits for the store. */
  readonly #over = new AbortController();
  /** The number of calls that are queued or wait for the store. */
  #calls = 0;
  /** From when on it is known that this session holds the lock. */
  #confirmed: Moment;
  #confirming: Promise<void> | undefined;
  #reserving: Promise<void> | undefined;
  #isLost = false;
  #closed: Promise<void> | undefined;

  constructor(place: SessionPlace, view: LogState, id: string, claim: Claim) {
    const { log: verified, maxWait, whenClosed, confirmed } = place;
    const { environment, log, host } = verified;
    const { clock } = host;
    const { stop, watcher } = claim;
    this.state = view.state;
    this.#log = verified;
    this.#view = view;
    this.#id = id;
    this.#whenClosed = whenClosed;
    this.#confirmed = confirmed;
    this.#sequencer = new Sequencer(view.state, environment, claim, () => clock.now());
    const commit = (linked: readonly Linked[]) => this.#add({ kind: "entries", linked });
    this.#batches = new Batches(commit, clock, log.gathering);
    this.#wait = {
      // Without a watcher, the user does not learn that the disk is full, so waiting is useless.
      maxWait: log.reserve !== undefined && watcher === undefined ? 0 : maxWait,
      stop: AbortSignal.any([this.#over.signal, ...(stop ? [stop] : [])]),
      watcher,
      clock,
    };
  }

  async append(...events: readonly StateEvent[]): Promise<readonly Linked[]> {
    this.#refuseEnded();
    const reserving = events.some(isIntent) ? this.#reserve() : undefined;
    if (reserving !== undefined) {
      await reserving;
      this.#refuseEnded();
    }
    const linked = this.#sequencer.next(events);
    await this.#counted(this.#batches.append(linked)).catch((error: unknown) => {
      throw error instanceof StateProblem ? new NotRecorded(error, linked) : error;
    });
    return linked;
  }

  get movedTo(): string | null {
    return this.#view.movedTo;
  }

  /** Adds entries from another place unchanged, all in one block. The state is then live here. */
  async receive(entries: readonly Linked[]): Promise<void> {
    this.#refuseEnded();
    const linked = this.#sequencer.follow(entries);
    await this.#change({ kind: "entries", linked, arrives: true });
  }

  /** Marks the state as moved to another place. Null: it is here again. */
  async moveTo(to: string | null): Promise<void> {
    this.#refuseEnded();
    await this.#change({ kind: "moved", to });
  }

  get isConfirmed(): boolean {
    return this.#batches.failure === undefined && !this.#isOld(this.#confirmed);
  }

  async confirm(): Promise<void> {
    for (let asks = 0; !this.isConfirmed; asks += 1) {
      this.#refuseEnded();
      if (asks === maxAsks) throw tooSlow(this.#log.log.place);
      // Concurrent calls share one answer.
      this.#confirming ??= this.#counted(this.#batches.act(() => this.#check())).finally(
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
    // After a failure the store may be gone, so try once.
    const hasFailed = this.#batches.failure !== undefined;
    const wait = hasFailed ? { ...this.#log.brief, maxWait: 0 } : this.#log.brief;
    if (!this.#isLost && (await this.#log.release(this.#view, this.#id, wait))) {
      await this.#log.keepEnd(this.#view);
    }
    await this.#whenClosed();
  }

  #change(change: Change): Promise<void> {
    return this.#counted(this.#batches.act(() => this.#add(change)));
  }

  async #add(change: Change): Promise<void> {
    // While this process was suspended, another run may have come, and its blocks may be lost since.
    if (!this.isConfirmed) await this.#check();
    // The block cannot be older than this moment, however often it is sent.
    const asked = this.#moment();
    const block = { ...change, session: this.#id };
    const isAdded = await reported(this.#log.add(this.#view, block, this.#wait));
    if (!isAdded) throw await this.#lose();
    this.#confirmed = asked;
  }

  /** Asks whether the log ends with the last block of this session, and never reached further. */
  async #check(): Promise<void> {
    const asked = this.#moment();
    if (!(await reported(this.#log.isEnd(this.#view, this.#wait)))) throw await this.#lose();
    this.#confirmed = asked;
  }

  async #lose(): Promise<StateProblem> {
    this.#isLost = true;
    return this.#log.lost();
  }

  /** Outcomes do not wait for an intent that waits for space. Concurrent intents wait together. */
  #reserve(): Promise<void> | undefined {
    const { log } = this.#log;
    if (this.#reserving !== undefined) return this.#reserving;
    try {
      log.reserve?.();
      return undefined;
    } catch {
      this.#reserving = retry(async () => log.reserve?.(), this.#wait)
        .catch((error: unknown) => {
          throw withoutWaiting(error);
        })
        .finally(() => (this.#reserving = undefined));
      return this.#reserving;
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

  #refuseEnded(): void {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    if (this.#batches.failure !== undefined) throw this.#batches.failure.error;
  }

  #moment(): Moment {
    return readClock(this.#log.host.clock);
  }

  /**
   * Whether the confirmation is too old by either clock. The elapsed time continues while the
   * process is suspended, and nobody sets it. But on Linux it stops while the machine sleeps; the
   * other one does not. If somebody sets that, the store is asked once too often at worst.
   */
  #isOld({ now, elapsed }: Moment): boolean {
    const at = this.#moment();
    return at.now - now > freshness || at.elapsed - elapsed > freshness;
  }
}

/** The time on both clocks of this machine. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function readClock(clock: Clock): Moment {
  return { now: clock.now().getTime(), elapsed: clock.elapsed() };
}

/** Reports a store that did not come back in time. */
async function reported<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreUnavailable ? error.afterWaiting : error;
  }
}

function isIntent({ kind }: StateEvent): boolean {
  return kind === "intent";
}

function tooSlow(place: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${place} takes too long to confirm that this run still holds the lock, so nothing more is sent.`,
  );
}
