import { EventSchema, type StateEvent } from "../../../schema/state.ts";
import type { Clock } from "../../../util/host.ts";
import { type Linked, chainHash, link } from "../entries.ts";
import type { LogHost } from "../process-identity.ts";
import { Contradiction } from "../records.ts";
import { type WaitOptions, briefWait, retry } from "../retry.ts";
import { State, type StateView } from "../state.ts";
import { type Claim, StateProblem } from "../lock.ts";
import type { Block } from "./block.ts";
import type { CommitLog } from "./commit-log.ts";
import { type LoadedLog, lostLock } from "./loaded-log.ts";

/** Milliseconds for which a confirmation of the lock is valid. */
export const freshness = 5000;

/** How often to ask a store whose answers come too late. */
const maxAsks = 5;

/** The problem of a session whose last entries may have been added or not. */
export class NotRecorded extends StateProblem {
  readonly entries: readonly Linked[];

  constructor({ code, message, hint, at }: StateProblem, entries: readonly Linked[]) {
    super(code, message, hint, at);
    this.entries = entries;
  }
}

/** Entries that become one block when their turn comes. */
interface Batch {
  readonly linked: Linked[];
  readonly added: Promise<void>;
}

/** What a session needs from its store. */
interface SessionOptions {
  /** The log up to the block with the lock. */
  readonly log: LoadedLog;
  readonly id: string;
  readonly claim: Claim;
  /** Milliseconds to wait for a store that is unavailable. */
  readonly maxWait: number;
  /** From when on it is known that the lock is held. */
  readonly confirmed: ClockReading;
  readonly whenClosed: () => Promise<void>;
}

/**
 * The right to change the state while the lock is held. It has one request in flight at a time, and
 * repeats it while the store is unavailable. Entries that wait meanwhile become one block. After a
 * failure, every later call rejects with the same error.
 */
export class Session {
  /** The state after the last durable event. */
  readonly state: StateView;
  readonly #options: SessionOptions;
  readonly #log: LoadedLog;
  readonly #store: CommitLog;
  readonly #clock: Clock;
  readonly #wait: WaitOptions;
  /** The state with the entries that wait, so that a contradiction is refused before it is written. */
  readonly #ahead: State;
  #confirmed: ClockReading;
  /** What entries can still join. */
  #batch: Batch | undefined;
  /** The last call that adds or asks something. Once one has failed, it fails for the same reason. */
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #reserving: Promise<void> | undefined;
  #isLost = false;
  #closed: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    const { log, claim, maxWait, confirmed } = options;
    const { stop, watcher } = claim;
    this.state = log.state;
    this.#options = options;
    this.#log = log;
    this.#store = log.place.log;
    this.#clock = log.place.host.clock;
    this.#ahead = new State(log.state);
    this.#confirmed = confirmed;
    // Without a watcher, the user does not learn that the disk is full, so waiting is useless.
    const isUnseen = this.#store.reserve !== undefined && watcher === undefined;
    this.#wait = { maxWait: isUnseen ? 0 : maxWait, stop, watcher, clock: this.#clock };
  }

  /**
   * Adds events, and returns their entries. If one contradicts the events before it, rejects and
   * adds nothing. Rejects with `NotRecorded` if they may have been added.
   */
  async append(...events: readonly StateEvent[]): Promise<readonly Linked[]> {
    this.#refuseEnded();
    const reserving = events.some(({ kind }) => kind === "intent") ? this.#reserve() : undefined;
    if (reserving !== undefined) {
      await reserving;
      this.#refuseEnded();
    }
    const linked = this.#orFail(() =>
      nextEntries(this.#ahead, events, this.#log.place.host, this.#options.claim),
    );
    this.#batch ??= this.#newBatch();
    this.#batch.linked.push(...linked);
    await this.#batch.added.catch((error: unknown) => {
      throw error instanceof StateProblem ? new NotRecorded(error, linked) : error;
    });
    return linked;
  }

  /** The store that the state was moved to, or null if it is here. */
  get movedTo(): string | null {
    return this.#log.movedTo;
  }

  /** Adds entries from another place unchanged, all in one block. The state is then live here. */
  async receive(linked: readonly Linked[]): Promise<void> {
    this.#refuseEnded();
    this.#orFail(() => {
      for (const { entry, text, head } of linked) {
        if (chainHash(this.#ahead.head, text) !== head) {
          throw new Contradiction(`event ${entry.seq} belongs to a different history`);
        }
        this.#ahead.take(entry, head);
      }
    });
    await this.#inTurn(() => this.#add({ kind: "entries", linked, arrives: true }));
  }

  /** Marks the state as moved to another place. Null: it is here again. */
  async moveTo(to: string | null): Promise<void> {
    this.#refuseEnded();
    await this.#inTurn(() => this.#add({ kind: "moved", to }));
  }

  /**
   * Whether the store confirmed a moment ago that this session holds the lock. Every added
   * event confirms it too. While a process is suspended or the machine sleeps, someone may
   * release the lock and resolve its outcomes by hand. So if this is false, call `confirm`
   * before anything is sent.
   *
   * A confirmation is too old by either clock. The elapsed time continues while the process is
   * suspended, and nobody sets it. But on Linux it stops while the machine sleeps; the other one
   * does not. If somebody sets that, the store is asked once too often at worst.
   */
  get isConfirmed(): boolean {
    const { now, elapsed } = this.#moment();
    const isOld =
      now - this.#confirmed.now > freshness || elapsed - this.#confirmed.elapsed > freshness;
    return this.#failure === undefined && !isOld;
  }

  /** Asks the store whether this session holds the lock, unless it is confirmed. Rejects if not. */
  async confirm(): Promise<void> {
    for (let asks = 0; !this.isConfirmed; asks += 1) {
      this.#refuseEnded();
      if (asks === maxAsks) throw tooSlow(this.#store.place);
      // Concurrent calls share one answer.
      await this.#inTurn(async () => (this.isConfirmed ? undefined : this.#check()));
    }
  }

  /** Releases the lock after all earlier calls. Never rejects, and may be called again. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#last.catch(() => {});
    const { id, whenClosed } = this.#options;
    // After a failure the store may be gone, so try once.
    const brief = briefWait(this.#clock);
    const wait = this.#failure === undefined ? brief : { ...brief, maxWait: 0 };
    const end = this.#isLost ? undefined : await this.#log.release(id, wait);
    await end?.keepEndIfUseful();
    await whenClosed();
  }

  /** Calls that are made before its turn, and while a slow store pauses, join the block. */
  #newBatch(): Batch {
    const linked: Linked[] = [];
    const added = this.#inTurn(async () => {
      await this.#clock.sleep(this.#store.pause ?? 0);
      if (this.#batch?.linked === linked) this.#batch = undefined;
      await this.#add({ kind: "entries", linked });
    });
    return { linked, added };
  }

  /** Calls `act` when all earlier calls have succeeded. Later entries come after it. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#batch = undefined;
    const turn = this.#last.then(act);
    turn.catch((error: unknown) => (this.#failure ??= { error }));
    this.#last = turn;
    return turn;
  }

  async #add(block: Block): Promise<void> {
    // While this process was suspended, another run may have come, and its blocks may be lost since.
    if (!this.isConfirmed) await this.#check();
    // The block cannot be older than this moment, however often it is sent.
    const asked = this.#moment();
    const isAdded = await this.#log.add(this.#options.id, block, this.#wait);
    if (!isAdded) throw await this.#lose();
    this.#confirmed = asked;
  }

  /** Asks whether the log ends with the last block of this session, and never reached further. */
  async #check(): Promise<void> {
    const asked = this.#moment();
    if (!(await this.#log.isEnd(this.#wait))) throw await this.#lose();
    this.#confirmed = asked;
  }

  async #lose(): Promise<StateProblem> {
    this.#isLost = true;
    return lostLock(this.#log.place);
  }

  /** Outcomes do not wait for an intent that waits for space. Concurrent intents wait together. */
  #reserve(): Promise<void> | undefined {
    if (this.#reserving !== undefined) return this.#reserving;
    try {
      this.#store.reserve?.();
      return undefined;
    } catch {
      this.#reserving = retry(async () => this.#store.reserve?.(), this.#wait).finally(
        () => (this.#reserving = undefined),
      );
      return this.#reserving;
    }
  }

  /** The first events of a refused call may be in `#ahead` already, so nothing is added after it. */
  #orFail<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #refuseEnded(): void {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #moment(): ClockReading {
    return readClock(this.#clock);
  }
}

/** Turns events into the next entries: numbered, with time, run and author. Adds them to the state. */
export function nextEntries(
  state: State,
  events: readonly StateEvent[],
  host: LogHost,
  { id: run, by = host.whoami() }: Pick<Claim, "id" | "by">,
): readonly Linked[] {
  const at = host.clock.now().toISOString();
  return events.map((event) => {
    // An event cannot be removed later, so one that could not be read back is refused. Intents are large and
    // many, and all are made in one place, from content that was validated before.
    if (event.kind !== "intent") EventSchema.parse(event);
    const linked = link(state.head, { seq: state.serial + 1, at, run, by, event });
    state.take(linked.entry, linked.head);
    return linked;
  });
}

/** The time on both clocks of this machine. */
export interface ClockReading {
  readonly now: number;
  readonly elapsed: number;
}

export function readClock(clock: Clock): ClockReading {
  return { now: clock.now().getTime(), elapsed: clock.elapsed() };
}

function tooSlow(place: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${place} takes too long to confirm that this run still holds the lock, so nothing more is sent.`,
  );
}
