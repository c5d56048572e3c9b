import type { StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { defaultMaxWait, retry } from "../retry.ts";
import { State, type StateView } from "../state.ts";
import { type Claim, type Lock, StateProblem, describeLock } from "../store.ts";
import type { CommitLog } from "./commit-log.ts";
import type { LogState } from "./log-state.ts";
import { Session, freshness, nextEntries, readClock } from "./session.ts";
import { type NamedLog, VerifiedLog } from "./verified-log.ts";

export interface StoreOptions extends NamedLog {
  /** Milliseconds that a session waits for a store that is unavailable. */
  readonly maxWait?: number;
}

export interface Reading {
  readonly state: StateView;
  /** The lock of a run that may be alive. The next run takes over that of a dead one. */
  readonly holder: Lock | null;
  /** Warnings for the user. */
  readonly notes: readonly StateProblem[];
}

export type Locked =
  | { readonly kind: "locked"; readonly session: Session; readonly notes: readonly StateProblem[] }
  | { readonly kind: "held"; readonly lock: Lock };

/** Milliseconds between the first two attempts to take the lock, and at most. */
const firstPause = 100;
const longestPause = 1000;

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
  /** What a person should do to keep the store safe, if there is something. */
  readonly advice: string | undefined;
  readonly #log: VerifiedLog;
  readonly #maxWait: number;
  /** How many calls and sessions use the log. */
  #users = 0;

  constructor(log: CommitLog, options: StoreOptions) {
    this.place = log.place;
    this.id = options.id;
    this.advice = log.advice;
    this.#log = new VerifiedLog(log, options);
    this.#maxWait = options.maxWait ?? defaultMaxWait;
  }

  /** The ids of all states of the environment at this place. */
  ids(): Promise<readonly string[]> {
    return this.#using(() => this.#log.ids());
  }

  /** Begins the state: adds its first event, without a lock. */
  begin(event: StateEvent, claim: Pick<Claim, "id" | "by">): Promise<void> {
    return this.#using(async () => {
      const { host } = this.#log;
      await this.#probe();
      const { view } = await this.#log.load();
      const linked = nextEntries(new State(view.state), [event], claim, host.clock);
      const block = { kind: "entries", linked } as const;
      if (!(await this.#log.add(view, host.uuid(), block)))
        throw new Error("The id of a new state is taken.");
      await this.#log.keepEnd(view);
    });
  }

  read(): Promise<Reading> {
    return this.#using(async () => {
      const { view, notes } = await this.#log.load();
      await this.#refuse(view);
      const { lock = null } = view.held ?? {};
      const holder = lock && this.#log.host.isDead(lock) ? null : lock;
      return { state: view.state, notes, holder };
    });
  }

  /** Every entry, verified, the oldest first. A state that was moved away keeps its history. */
  history(): Promise<readonly Linked[]> {
    return this.#using(async () => {
      const { view, entries } = await this.#log.load("completely");
      await this.#refuse(view, ["moved"]);
      return entries;
    });
  }

  /** Ends the lock if it has this id. Returns the current lock, even of a dead holder; null if there is none. */
  unlock(id: string): Promise<Lock | null> {
    return this.#using(async () => {
      const { host } = this.#log;
      const { view } = await this.#log.load();
      for (;;) {
        const { held } = view;
        if (held === null) return null;
        if (held.lock.id !== id) return held.lock;
        const released = { kind: "released", by: host.whoami() } as const;
        if (await this.#log.add(view, host.uuid(), released)) {
          // Only now the end stands still: a block may have been deleted since the log was read.
          await this.#log.load();
          await this.#log.keepEnd(view);
          return held.lock;
        }
        // The holder has added a block meanwhile.
        await this.#log.catchUp(view);
      }
    });
  }

  /** Waits for the lock as long as `claim` says. */
  lock(claim: Claim): Promise<Locked> {
    return this.#using(async () => {
      const { clock } = this.#log.host;
      const deadline = clock.elapsed() + claim.wait;
      let view: LogState | undefined;
      for (let pause = firstPause; ;) {
        claim.signal?.throwIfAborted();
        if (view === undefined) ({ view } = await this.#log.load());
        else await this.#log.catchUp(view);
        claim.signal?.throwIfAborted();
        await this.#refuse(view, claim.accepts);
        const { held } = view;
        if (held === null || this.#log.host.isDead(held.lock)) {
          const locked = await this.#take(view, claim);
          if (locked !== undefined) return locked;
          view = undefined;
          pause = firstPause;
          continue;
        }
        const remaining = deadline - clock.elapsed();
        if (remaining <= 0) return { kind: "held", lock: held.lock };
        // A signal ends the wait, and is reported above.
        await clock.sleep(Math.min(remaining, pause), claim.signal).catch(() => {});
        pause = Math.min(2 * pause, longestPause);
      }
    });
  }

  /** Takes the lock, which nobody holds, or whose holder is gone. Undefined: another run was faster. */
  async #take(before: LogState, claim: Claim): Promise<Locked | undefined> {
    const { host } = this.#log;
    const { held } = before;
    await this.#probe();
    const session = host.uuid();
    const { id, by, command } = claim;
    const since = host.clock.now().toISOString();
    const lock = { id, by, command, since, ...host.identity() };
    if (!(await this.#log.add(before, session, { kind: "locked", lock }))) return undefined;
    try {
      // Only now the end stands still: blocks may have come and been deleted since it was read.
      const confirmed = readClock(host.clock);
      const { view, notes } = await this.#log.load();
      if (view.held?.session !== session) return undefined;
      await this.#refuse(view, claim.accepts);
      if (held !== null) await this.#log.keepEnd(view);
      // The run that lost its lock may have confirmed it a moment ago, and may still send.
      if (view.isForced) {
        await host.clock.sleep(freshness, claim.signal).catch(() => {});
        claim.signal?.throwIfAborted();
      }
      const all = [
        ...(held === null ? [] : [takenOver(held.lock)]),
        ...notes,
        ...(await this.#holes(view.number)),
      ];
      const about = { view, id: session, claim, confirmed, maxWait: this.#maxWait };
      const whenClosed = () => this.#leave();
      const opened = new Session({ log: this.#log, ...about, whenClosed });
      this.#users += 1;
      return { kind: "locked", session: opened, notes: all };
    } catch (error) {
      // Without a snapshot: if the end of the log is lost, the older snapshot shows it.
      await this.#log.release(before, session);
      throw error;
    }
  }

  async #probe(): Promise<void> {
    await retry(async () => this.#log.log.probe?.(), this.#log.brief);
  }

  /** Warns of blocks that are missing before the snapshot: the state is complete, its history is not. */
  async #holes(end: number): Promise<readonly StateProblem[]> {
    const { log } = this.#log;
    const there = new Set(await retry(() => log.numbers(), this.#log.brief));
    for (let n = 1; n < end; n += 1) {
      if (there.has(n)) continue;
      const what = `${log.name(n)} is missing. The state is complete, but its history is not.`;
      return [new StateProblem("IVR605", what, await log.restoreHint())];
    }
    return [];
  }

  /** Refuses a state that is not there, is not the one that ivrctl.yaml names, or was moved away. */
  async #refuse(view: LogState, accepts: Claim["accepts"] = []): Promise<void> {
    const { state, movedTo } = view;
    if (!accepts.includes("missing")) await this.#log.refuseOther(state);
    if (movedTo === null || accepts.includes("moved")) return;
    throw movedAway(this.#log.environment, this.place, movedTo);
  }

  /** Ends the use of the log by a call or by a session. */
  async #leave(): Promise<void> {
    this.#users -= 1;
    if (this.#users === 0) await this.#log.close();
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

function takenOver(lock: Lock): StateProblem {
  const what = `Took over the lock of ${describeLock(lock)}: that process has ended.`;
  return new StateProblem("IVR605", what);
}

/** Returns the problem of a state that was moved to a different store. */
export function movedAway(environment: string, from: string, to: string): StateProblem {
  return new StateProblem(
    "IVR674",
    `The state of ${environment} was moved from ${from} to ${to}.`,
    'Name the new store under `state:` in ivrctl.yaml. If that store is lost, see "Migrate to a different store" in docs/state.md.',
  );
}
