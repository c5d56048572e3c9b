import type { StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { type Attempt, shownLock, movedAway, takeLock } from "../lock.ts";
import { defaultMaxWait, retry, withoutWaiting } from "../retry.ts";
import { Sequencer } from "../sequencer.ts";
import {
  type Claim,
  type Lock,
  type Locked,
  type Note,
  type Reading,
  StateProblem,
  type StateStore,
  describeLock,
} from "../store.ts";
import type { CommitLog } from "./commit-log.ts";
import { LogSession, type Moment, freshness, readClock } from "./log-session.ts";
import type { LogState } from "./log-state.ts";
import { type Loaded, type NamedLog, VerifiedLog } from "./verified-log.ts";

export interface LogOptions extends NamedLog {
  /** Milliseconds that a session waits for a store that is unavailable. */
  readonly maxWait?: number;
}

interface Taken {
  readonly view: LogState;
  readonly session: string;
  readonly notes: readonly Note[];
  /** From when on it is known that the lock is held. */
  readonly confirmed: Moment;
}

/** The most milliseconds between two attempts to take the lock. */
const longestPause = 1000;

/** How often to try to release the lock while its holder adds to the log. */
const maxTries = 200;

/**
 * The state of one environment in a log of blocks. Taking the lock adds a block, and so does
 * everything that its holder does. Whoever wants to add a block has to know the one before it,
 * so a run that has lost the lock finds its next number taken.
 */
export class LogStore implements StateStore {
  readonly #log: VerifiedLog;
  readonly #maxWait: number;
  /** How many calls and sessions use the log. */
  #users = 0;

  constructor(log: CommitLog, options: LogOptions) {
    const { maxWait = defaultMaxWait } = options;
    this.#log = new VerifiedLog(log, options);
    this.#maxWait = maxWait;
  }

  get place(): string {
    return this.#log.log.place;
  }

  get id(): string | undefined {
    return this.#log.id;
  }

  get advice(): string {
    return this.#log.log.advice ?? "";
  }

  others(): Promise<readonly string[]> {
    return this.#using(() => this.#log.others());
  }

  begin(event: StateEvent, claim: Pick<Claim, "id" | "by">): Promise<void> {
    return this.#using(async () => {
      const { environment, host } = this.#log;
      await retry(async () => this.#log.log.probe?.(), this.#log.brief);
      const { view } = await this.#log.load("the state");
      const now = () => host.clock.now();
      const linked = new Sequencer(view.state, environment, claim, now).next([event]);
      const block = { kind: "entries", session: host.uuid(), linked } as const;
      if (!(await this.#log.add(view, block))) throw new Error("The id of a new state is taken.");
      await this.#log.keepEnd(view);
    });
  }

  read(): Promise<Reading> {
    return this.#using(async () => {
      const { view, notes } = await this.#log.load("the state");
      await this.#refuse(view);
      return { state: view.state, notes };
    });
  }

  /** A state that was moved away keeps its history. */
  history(): Promise<readonly Linked[]> {
    return this.#using(async () => {
      const { view, entries } = await this.#log.load("every entry");
      await this.#refuse(view, ["moved"]);
      return entries;
    });
  }

  holder(): Promise<Lock | null> {
    return this.#using(async () => {
      const { held } = (await this.#log.load("the state")).view;
      return held === null || (await this.#left(held)) !== undefined ? null : shownLock(held.lock);
    });
  }

  leftLock(): Promise<Lock | null> {
    return this.#using(async () => {
      const { held } = (await this.#log.load("the state")).view;
      return held !== null && (await this.#left(held)) !== undefined ? shownLock(held.lock) : null;
    });
  }

  unlock(id: string): Promise<Lock | null> {
    return this.#using(async () => {
      const { view } = await this.#log.load("the state");
      for (let tries = 1; tries <= maxTries; tries += 1) {
        const { held } = view;
        if (held === null) return null;
        if (held.lock.id !== id) return shownLock(held.lock);
        if (!(await this.#overtake(view))) continue;
        // Only now the end stands still: a block may have been deleted since the log was read.
        await this.#log.load("the state");
        await this.#log.keepEnd(view);
        return shownLock(held.lock);
      }
      throw new StateProblem(
        "IVR604",
        `The lock ${id} could not be released in ${maxTries} attempts: its run is still writing to the log.`,
        "Stop that run, or try to release the lock again.",
      );
    });
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    return this.#using(async () => {
      const tried = await this.#take(claim);
      if (tried.kind === "held") return tried;
      const { view, session, notes, confirmed } = tried.taken;
      this.#users += 1;
      const whenClosed = () => this.#leave();
      const place = { log: this.#log, maxWait: this.#maxWait, whenClosed, confirmed };
      return { kind: "locked", session: new LogSession(place, view, session, claim), notes };
    });
  }

  #take(claim: Claim) {
    let known: Loaded | undefined;
    const attempt = async (): Promise<Attempt<Taken>> => {
      if (known === undefined) known = await this.#log.load("the state");
      else await this.#log.catchUp(known.view);
      const { view } = known;
      claim.signal?.throwIfAborted();
      await this.#refuse(view, claim.accepts);
      const { held: before } = view;
      const left = before === null ? undefined : await this.#left(before);
      if (before !== null && left === undefined)
        return { kind: "held", lock: shownLock(before.lock) };
      await retry(async () => this.#log.log.probe?.(), this.#log.brief);
      const session = this.#log.host.uuid();
      await this.#log.log.sessions?.connect(session);
      const { id, by, command } = claim;
      const since = this.#log.host.clock.now().toISOString();
      const lock = { id, by, command, since, ...this.#log.host.identity() };
      if (!(await this.#log.add(view, { kind: "locked", session, lock }))) return { kind: "again" };
      try {
        // Only now the end stands still: blocks may have come and been deleted since it was read.
        const confirmed = readClock(this.#log.host.clock);
        known = await this.#log.load("the state");
        if (known.view.held?.session !== session) return { kind: "again" };
        await this.#refuse(known.view, claim.accepts);
        if (before !== null) await this.#log.keepEnd(known.view);
        // The run that lost its lock may have confirmed it a moment ago, and may still send.
        if (known.view.isForced || left === "disconnected") {
          await this.#log.host.clock.sleep(freshness, claim.signal).catch(() => {});
          claim.signal?.throwIfAborted();
        }
        const notes = [
          ...(before === null || left === undefined ? [] : [takenOver(before.lock, left)]),
          ...known.notes,
          ...(await this.#holes(known.view.number)),
        ];
        return { kind: "taken", taken: { view: known.view, session, notes, confirmed } };
      } catch (error) {
        // Without a snapshot: if the end of the log is lost, the older snapshot shows it.
        await this.#log.release(view, session);
        throw error;
      }
    };
    return takeLock<Taken>(claim, this.#log.host.clock, attempt, longestPause);
  }

  /**
   * Releases the lock while its holder may be adding blocks. It reads the block with the next
   * number in the same moment, so that the next attempt is not too late again.
   */
  async #overtake(view: LogState): Promise<boolean> {
    const by = this.#log.host.whoami();
    const released = { kind: "released", session: this.#log.host.uuid(), by } as const;
    const reading = this.#log.log.read(view.number, 1).catch((): readonly Buffer[] => []);
    if (await this.#log.add(view, released, this.#log.brief, reading)) return true;
    const [next] = await reading;
    if (next === undefined) await this.#log.catchUp(view);
    else await view.follow(next, this.#log.log);
    return false;
  }

  /** Why the holder of a lock is certainly gone. Undefined: it may be alive. */
  async #left({
    session,
    lock,
  }: NonNullable<LogState["held"]>): Promise<"dead" | "disconnected" | undefined> {
    if (this.#log.host.isDead(lock)) return "dead";
    const { sessions } = this.#log.log;
    if (sessions === undefined) return undefined;
    const isConnected = await retry(() => sessions.isConnected(session), this.#log.brief);
    return isConnected ? undefined : "disconnected";
  }

  /** Warns of blocks that are missing before the snapshot: the state is complete, its history is not. */
  async #holes(end: number): Promise<readonly Note[]> {
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
    throw movedAway(this.#log.environment, this.#log.log.place, movedTo);
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
    } catch (error) {
      throw withoutWaiting(error);
    } finally {
      await this.#leave();
    }
  }
}

function takenOver(lock: Lock, left: "dead" | "disconnected"): string {
  const why = left === "dead" ? "that process has ended" : "its connection to the store has ended";
  return `Took over the lock of ${describeLock(lock)}: ${why}.`;
}
