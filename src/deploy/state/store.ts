import type { StateEvent } from "../../schema/state.ts";
import type { Code } from "../../diagnostics/codes.ts";
import type { FilePlace } from "../../diagnostics/diagnostic.ts";
import { utc } from "../../util/time.ts";
import type { Linked } from "./entries.ts";
import type { StateView } from "./state.ts";
import type { Hint } from "../../util/suggest.ts";

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
 *   and heads, so it is the same history there. A copy counts completely or not at all. A state that was moved away cannot be read
 *   or changed until it comes back. Its old history can still be read.
 */
export interface StateStore {
  /** The address of the store, as messages show it. */
  readonly place: string;
  /** The id that ivrctl.yaml names. Undefined if the state begins on its own. */
  readonly id: string | undefined;
  /** What a person should do to keep the store safe, if there is something. */
  readonly advice?: string;
  /** The ids of all states of the environment at this place. */
  others(): Promise<readonly string[]>;
  /** Begins the state: adds its first event, without a lock. */
  begin(event: StateEvent, claim: Pick<Claim, "id" | "by">): Promise<void>;
  read(): Promise<Reading>;
  /** Every entry, verified, the oldest first. */
  history(): Promise<readonly Linked[]>;
  /** Waits for the lock as long as `claim` says. */
  lock(claim: Claim): Promise<Locked>;
  /** Returns the current lock. Null if there is none, or if its holder is certainly dead. */
  holder(): Promise<Lock | null>;
  /** Returns the lock that a run left behind when it died; null if there is none. The next run takes it over. */
  leftLock(): Promise<Lock | null>;
  /** Ends the lock if it has this id. Returns the current lock, even of a dead holder; null if there is none. */
  unlock(id: string): Promise<Lock | null>;
}

/**
 * What a store reads: the state, which can start from a snapshot, or every entry, which needs the
 * whole history.
 */
export type Extent = "the state" | "every entry";

export interface Reading {
  readonly state: StateView;
  readonly notes: readonly Note[];
}

/** A warning for the user, for example that a checkpoint was edited. A `StateProblem` also has a code and a place. */
export type Note = string | StateProblem;

/** Who wants the lock, what for, and how long to wait for it. */
export interface Claim {
  readonly id: string;
  /** The author, for the lock and for the history. */
  readonly by: string;
  /** The command that needs the lock, for example `apply`. */
  readonly command: string;
  /** Milliseconds to wait for another run to release the lock. */
  readonly wait: number;
  /** Ends the waiting: `lock` rejects with its reason and leaves no lock. */
  readonly signal?: AbortSignal;
  /** Ends the waiting for a store that is unavailable. The session then records nothing more. */
  readonly stop?: AbortSignal;
  /** Notified if the store becomes unavailable during the session. */
  readonly watcher?: StoreWatcher;
  /** Take the lock even if the state was moved away, or is not there. */
  readonly accepts?: readonly ("moved" | "missing")[];
}

/** Callbacks for a store that becomes unavailable during a session, and for its return. */
export interface StoreWatcher {
  /** The store is unavailable. The session waits for it this many seconds more. */
  lost(why: string, seconds: number): void;
  back(): void;
}

/** A lock, for messages and JSON. */
export interface Lock {
  readonly id: string;
  readonly by: string;
  readonly command: string;
  readonly since: string;
  readonly host: string;
  readonly pid: number | null;
}

/** Says who holds a lock, what for, where and since when. */
export function describeLock({ id, by, command, since, host, pid }: Lock): string {
  const process = pid === null ? "" : `, process ${pid}`;
  return `${by} (${command} on ${host}${process}, since ${utc(since)}; lock ${id})`;
}

export type Locked =
  | { readonly kind: "locked"; readonly session: Session; readonly notes: readonly Note[] }
  | { readonly kind: "held"; readonly lock: Lock };

/** The right to change the state while the lock is held. */
export interface Session {
  /** The state after the last durable event. */
  readonly state: StateView;
  /**
   * Adds events, and returns their entries. If one contradicts the events before it, rejects and
   * adds nothing. Rejects with `NotRecorded` if they may have been added.
   */
  append(...events: readonly StateEvent[]): Promise<readonly Linked[]>;
  /**
   * Whether the store confirmed a moment ago that this session holds the lock. Every added
   * event confirms it too. While a process is suspended or the machine sleeps, someone may
   * release the lock and resolve its outcomes by hand. So if this is false, call `confirm`
   * before anything is sent.
   */
  readonly isConfirmed: boolean;
  /** Asks the store whether this session holds the lock, unless it is confirmed. Rejects if not. */
  confirm(): Promise<void>;
  /** The store that the state was moved to, or null if it is here. */
  readonly movedTo: string | null;
  /** Adds entries from another place unchanged, all or none. The state is then live here. */
  receive(entries: readonly Linked[]): Promise<void>;
  /** Marks the state as moved to another place. Null: it is here again. */
  moveTo(to: string | null): Promise<void>;
  /** Releases the lock after all earlier calls. Never rejects, and may be called again. */
  close(): Promise<void>;
}

/** A problem with the state that a person can fix. */
export class StateProblem extends Error {
  readonly code: Code;
  readonly hint: Hint | undefined;
  /** The file with the problem. Undefined: the store as a whole. */
  readonly at: FilePlace | undefined;

  constructor(code: Code, message: string, hint?: Hint, at?: FilePlace) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}

/** The problem of a session whose last entries may have been added or not. */
export class NotRecorded extends StateProblem {
  readonly entries: readonly Linked[];

  constructor({ code, message, hint, at }: StateProblem, entries: readonly Linked[]) {
    super(code, message, hint, at);
    this.entries = entries;
  }
}

/** A setting of a store that cannot be used. The message never shows a part that may be a secret. */
export class SettingProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
