import type { StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { StoreBusy, defaultMaxWait } from "../retry.ts";
import { State, type StateView } from "../state.ts";
import { type Claim, type Lock, StateProblem, describeLock } from "../lock.ts";
import type { CommitLog } from "./commit-log.ts";
import { type LoadedLog, type LogPlace, askLog, idsAt, load } from "./loaded-log.ts";
import { Session, freshness, nextEntries, readClock } from "./session.ts";

export interface StoreOptions extends Omit<LogPlace, "log"> {
  /** Milliseconds that a session waits for a store that is unavailable. */
  readonly maxWait?: number;
}

export interface Reading {
  readonly state: StateView;
  /** The lock. The next run takes over that of a dead one. */
  readonly lock: Lock | null;
  /** The lock of a run that may be alive. */
  readonly holder: Lock | null;
  /** Warnings for the user. */
  readonly notes: readonly StateProblem[];
}

export type Locked =
  | { readonly kind: "locked"; readonly session: Session; readonly notes: readonly StateProblem[] }
  | {
      readonly kind: "held";
      readonly lock: Lock;
      /** What `hasEnded` knows about the holder. */
      readonly isOver: boolean | undefined;
    };

/** Milliseconds between the first two attempts to take the lock. */
const firstPause = 100;
/** The longest pause. It is longer if each attempt also asks a forge, which limits requests. */
const longestPause = 1000;
const longestForgePause = 10_000;

/**
 * Where the state of one environment is stored. Every store keeps these promises, and the
 * conformance suite (test/state/conformance.ts) tests each store for them:
 *
 * - **History.** A state is the result of its events. Events are only added, each with the
 *   next number, and never changed or removed.
 * - **Id.** The first event names the id of the state, which never changes. ivrctl.yaml names it
 *   too, and it is part of the place, so two states never share a log. Two histories with the same
 *   id began as one. They may differ later, if one was restored from a backup.
 * - **Serial.** The number of the last event. It only rises.
 * - **Head.** A hash of all events up to the serial (see `link`). Two states with the same
 *   head have the same history.
 * - **Lock.** Only the holder of the lock adds events, and there is one holder at a time.
 *   A lock names its holder, time and place. It ends with `close`, with `unlock`, or when
 *   its holder is certainly dead. The end of a lock changes no event.
 * - **Fencing.** A session that has lost the lock adds nothing more, and its calls reject.
 *   It also must not act on events that it added before: see `confirm`.
 * - **Durable.** When `append` resolves, its events survive a crash of the process and of
 *   the machine. If it rejects, at most a first part of its events was added, in order.
 *   After `append` has rejected once, the session adds nothing more. There is one exception:
 *   an intent that is rejected because there is no space for its outcome. Then nothing of
 *   that call is added, but the session can still add outcomes.
 * - **Order.** Events are added in the order of the calls of `append`. A call need not wait
 *   for the one before it. Only an intent that has to wait for space is added later.
 * - **Intent and outcome.** A store treats both as events, except that it may reserve space
 *   for the outcome when it adds the intent. The cost of adding an event does not depend on
 *   the number of menus.
 * - **Reading** takes no lock, changes nothing, and returns all events up to some number.
 * - **Moving.** Entries can be copied to another store unchanged, with their numbers, authors
 *   and heads, so it is the same history there. A copy counts completely or not at all. A state
 *   that was moved away cannot be read or changed until it comes back. Its old history can still
 *   be read.
 *
 * The state is a log of blocks. Taking the lock adds a block, and so does everything that its
 * holder does. Whoever wants to add a block has to know the one before it, so a run that has lost
 * the lock finds its next number taken.
 */
export class StateStore {
  /** The address of the store, as messages show it. */
  readonly place: string;
  /** The id that ivrctl.yaml names. Undefined if the state begins on its own. */
  readonly id: string | undefined;
  readonly #place: LogPlace;
  readonly #maxWait: number;
  /** How many calls and sessions use the log. */
  #users = 0;

  constructor(log: CommitLog, { maxWait = defaultMaxWait, ...options }: StoreOptions) {
    this.place = log.place;
    this.id = options.id;
    this.#place = { log, ...options };
    this.#maxWait = maxWait;
  }

  /** What a person should do to keep the store safe, if there is something. Call it after the store was read. */
  get advice(): string | undefined {
    return this.#place.log.advice;
  }

  /** The ids of all states of the environment at this place. */
  ids(): Promise<readonly string[]> {
    return this.#using(() => idsAt(this.#place));
  }

  /** Begins the state: adds its first event, without a lock. */
  begin(event: StateEvent, claim: Pick<Claim, "id">): Promise<void> {
    return this.#using(async () => {
      const { host } = this.#place;
      await this.#probe();
      const { loaded } = await load(this.#place);
      const linked = nextEntries(new State(loaded.state), [event], host, claim);
      if (!(await loaded.add(host.uuid(), { kind: "entries", linked })))
        throw new Error("The id of a new state is taken.");
      await loaded.keepEnd();
    });
  }

  read(): Promise<Reading> {
    return this.#using(async () => {
      const { loaded, notes } = await load(this.#place);
      await loaded.refuse();
      const { lock = null } = loaded.held ?? {};
      const holder = lock && this.#place.host.isDead(lock) ? null : lock;
      return { state: loaded.state, notes, lock, holder };
    });
  }

  /** Every entry, verified, the oldest first. A state that was moved away keeps its history. */
  history(): Promise<readonly Linked[]> {
    return this.#using(async () => {
      const { loaded, entries } = await load(this.#place, "completely");
      await loaded.refuse(["moved"]);
      return entries;
    });
  }

  /** Ends the lock if it has this id. Returns the current lock, even of a dead holder; null if there is none. */
  unlock(id: string): Promise<Lock | null> {
    return this.#using(async () => {
      const { host } = this.#place;
      const races = new Races(this.place);
      for (;;) {
        const { loaded } = await load(this.#place);
        const { lock = null } = loaded.held ?? {};
        if (lock?.id !== id) return lock;
        races.refuseStale(loaded.number);
        const released = { kind: "released", by: host.whoami() } as const;
        // If not, the holder has added a block meanwhile.
        if (await loaded.add(host.uuid(), released)) {
          // Only now the end stands still: a block may have been deleted since the log was read.
          await load(this.#place);
          await loaded.keepEnd();
          return lock;
        }
      }
    });
  }

  /** Waits for the lock, and for its turn in a busy store, as long as `claim` says. */
  lock(claim: Claim): Promise<Locked> {
    return this.#using(async () => {
      const { host } = this.#place;
      const { wait, signal, onWait, hasEnded, watcher } = claim;
      const deadline = host.clock.elapsed() + wait;
      const longest = hasEnded === undefined ? longestPause : longestForgePause;
      const released: StateProblem[] = [];
      const session = host.uuid();
      let races = new Races(this.place);
      const told = new Set<string>();
      let pause = firstPause;
      const rest = async (why: "held" | "busy", tell: () => void) => {
        const left = deadline - host.clock.elapsed();
        if (left <= 0) return false;
        if (!told.has(why)) tell();
        told.add(why);
        // A signal ends the wait, and is reported below.
        await host.clock.sleep(Math.min(left, pause), signal).catch(() => {});
        pause = Math.min(2 * pause, longest);
        return true;
      };
      for (;;) {
        signal?.throwIfAborted();
        try {
          const { loaded } = await load(this.#place);
          await loaded.refuse(claim.accepts);
          const { lock } = loaded.held ?? {};
          const isFree =
            lock === undefined || host.isDead(lock) || loaded.held?.session === session;
          const isOver = isFree ? undefined : await hasEnded?.(lock.id);
          signal?.throwIfAborted();
          if (isFree) {
            races.refuseStale(loaded.number);
            const locked = await this.#take(loaded, claim, session);
            if (locked !== undefined) return { ...locked, notes: [...released, ...locked.notes] };
            pause = firstPause;
          } else if (isOver) {
            await this.unlock(lock.id);
            const what = `Released the lock of ${describeLock(lock)}: that run has ended.`;
            released.push(ended(what));
          } else if (!(await rest("held", () => onWait?.(lock, wait / 1000)))) {
            return { kind: "held", lock, isOver };
          }
        } catch (error) {
          const isOurTurnLater =
            error instanceof StoreBusy &&
            (await rest("busy", () => watcher?.lost(error.message, wait / 1000)));
          if (!isOurTurnLater) throw error;
          // The log is as long as before, and this run lost no race.
          races = new Races(this.place);
        }
      }
    });
  }

  /** Takes the lock, which nobody holds, or whose holder is gone. Undefined: another run was faster. */
  async #take(before: LoadedLog, claim: Claim, session: string) {
    const { host } = this.#place;
    // An attempt that seemed to fail may have taken it.
    const isTaken = before.held?.session === session;
    const held = isTaken ? null : before.held;
    await this.#probe();
    const { id, by = host.whoami(), command } = claim;
    const since = host.clock.now().toISOString();
    const lock = { id, by, command, since, ...host.identity() };
    if (!isTaken && !(await before.add(session, { kind: "locked", lock }))) return undefined;
    try {
      // Only now the end stands still: blocks may have come and been deleted since it was read.
      const confirmed = readClock(host.clock);
      const { loaded: log, notes } = await load(this.#place);
      if (log.held?.session !== session) return undefined;
      await log.refuse(claim.accepts);
      if (held !== null) await log.keepEnd();
      // The run that lost its lock may have confirmed it a moment ago, and may still send.
      if (log.isForced) {
        await host.clock.sleep(freshness, claim.signal).catch(() => {});
        claim.signal?.throwIfAborted();
      }
      const all = [
        ...(held === null
          ? []
          : [ended(`Took over the lock of ${describeLock(held.lock)}: that process has ended.`)]),
        ...notes,
        ...(await this.#holes(log.number)),
      ];
      const whenClosed = () => this.#leave();
      const options = { log, id: session, claim, confirmed, maxWait: this.#maxWait, whenClosed };
      const opened = new Session(options);
      this.#users += 1;
      return { kind: "locked", session: opened, notes: all } as const;
    } catch (error) {
      // Without a snapshot: if the end of the log is lost, the older snapshot shows it.
      await before.release(session);
      throw error;
    }
  }

  async #probe(): Promise<void> {
    await askLog(this.#place, async (log) => log.probe?.());
  }

  /** Warns of blocks that are missing before the snapshot: the state is complete, its history is not. */
  async #holes(end: number): Promise<readonly StateProblem[]> {
    const { log } = this.#place;
    const there = new Set(await askLog(this.#place, () => log.numbers()));
    for (let n = 1; n < end; n += 1) {
      if (there.has(n)) continue;
      const what = `${log.name(n)} is missing. The state is complete, but its history is not.`;
      return [new StateProblem("IVR605", what, await log.restoreHint())];
    }
    return [];
  }

  /** Ends the use of the log by a call or by a session. Later processes then know its end. */
  async #leave(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#place.witness.flush();
    await this.#place.log.close();
  }

  async #using<T>(act: () => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await act();
    } finally {
      await this.#leave();
    }
  }
}

/** Counts the attempts to append a block to a log whose list grows no longer: a cache may answer. */
class Races {
  readonly #place: string;
  #number = -1;
  #lost = 0;

  constructor(place: string) {
    this.#place = place;
  }

  /** Called before each attempt. After a lost race, the log must be longer. */
  refuseStale(number: number): void {
    this.#lost = number > this.#number ? 0 : this.#lost + 1;
    this.#number = number;
    if (this.#lost < maxLost) return;
    throw new StateProblem(
      "IVR676",
      `${this.#place} reports that block ${number + 1} exists, but does not list it. A cache may answer the requests.`,
      "Use an address of the store without a cache. If there is none, wait until the list is up to date, and run the command again.",
    );
  }
}

/** How often a race may be lost without a longer log. */
const maxLost = 5;

/** Tells the user that a lock was left behind. */
function ended(what: string): StateProblem {
  return new StateProblem("IVR605", what);
}
