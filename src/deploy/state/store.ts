import type { StateEvent } from "../../schema/state.ts";
import type { Code } from "../../diagnostics/codes.ts";
import type { FilePlace } from "../../diagnostics/diagnostic.ts";
import type { Linked } from "./entries.ts";
import type { StateView } from "./state.ts";

/**
 * Where the state of one environment is stored. Every store keeps these promises, and the
 * conformance suite (test/deploy/state/conformance.ts) tests each store for them:
 *
 * - **History.** A state is the result of its events. Events are only added, each with the
 *   next number, and never changed or removed.
 * - **Lineage.** The first event names a lineage, which never changes. Two states with the
 *   same lineage began as one history. They may differ since, if one was restored from a
 *   backup or comes from another branch.
 * - **Serial.** The number of the last event. It only rises.
 * - **Head.** A hash of all events up to the serial (see `link`). Two states with the same
 *   head have the same history.
 * - **Lock.** Only the holder of the lock adds events, and there is one holder at a time.
 *   A lock names its holder, time and place. It ends with `close`, with `unlock`, or when
 *   its holder is certainly dead. The end of a lock changes no event.
 * - **Fencing.** A session that has lost the lock adds nothing more, and its calls reject.
 *   Once it knows, it does not act on what it added before either (`confirm`).
 * - **Durable.** When `append` resolves, its events survive a crash of the process and of
 *   the machine. If it rejects, at most a first part of its events was added, in order.
 *   After `append` has rejected once, the session adds nothing more. The exception is an
 *   intent that is rejected because there is no room for its outcome: nothing of that call
 *   is added, and outcomes still are.
 * - **Order.** Events are added in the order of the calls of `append`; a call need not wait
 *   for the one before it. Only an intent that has to wait for room is added later.
 * - **Intent and outcome.** To a store both are events. It may only reserve room for the
 *   outcome when it adds the intent. Adding an event costs the same however many menus
 *   there are.
 * - **Reading** takes no lock, changes nothing, and returns all events up to some number.
 * - **Moving.** Entries can be copied to another store as they are, with their numbers,
 *   authors and heads: it is the same history there. A state that was moved away can be
 *   neither read nor changed until it comes back. Its history up to then can be read.
 * - **Filling.** A history that comes from another place is copied in portions, and counts
 *   as a whole or not at all. `fill` marks the state durably before the first portion. From
 *   then on `read`, `history` and `lock` refuse the state (IVR677) for everyone. Portions
 *   are staged beside the history. `open` adds all of them in one step and removes the
 *   mark; `discard` drops them and removes the mark.
 */
export interface StateStore {
  /** The address of the store, as messages show it. */
  readonly place: string;
  /** The file of the lock, if it has one. */
  readonly lockFile?: string;
  read(): Promise<Reading>;
  /** Every entry, verified, the oldest first. */
  history(): Promise<readonly Linked[]>;
  /** Waits for the lock as long as `claim` says. */
  lock(claim: Claim): Promise<Locked>;
  /** The current lock; null also if its holder is certainly dead. */
  holder(): Promise<Lock | null>;
  /** Returns the current lock, even of a dead holder, and ends it if it has this id. Null if there is none. */
  unlock(id: string): Promise<Lock | null>;
}

export interface Reading {
  readonly state: StateView;
  readonly notes: readonly Note[];
}

/**
 * What a person should know, for example that a checkpoint was edited. A problem is a note
 * with a place, or one that keeps the state from being changed.
 */
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
  /** Ends the waiting for a lost store: the session then records nothing more. */
  readonly stop?: AbortSignal;
  /** Is notified if the store is lost during the session. */
  readonly watcher?: StoreWatcher;
  /** Also takes the lock of a state that was moved away, that is being filled, or whose newest events may be missing. */
  readonly accepts?: readonly ("moved" | "filling" | "unwitnessed")[];
}

/** Marks a state that is being filled from elsewhere. */
export interface Filling {
  /** The complete command that fills it, for a person to run again. */
  readonly command: string;
  /** Where the history comes from, as messages show it. */
  readonly source: string;
  readonly by: string;
  readonly since: string;
  /**
   * The head of the history, once all of it is staged and was read back; null before.
   * From then on the source may be marked as moved, so the fill cannot be discarded.
   */
  readonly head: string | null;
}

/** Is notified when a session loses its store and when the store is back. */
export interface StoreWatcher {
  /** The store is lost. The session waits for it this many seconds more. */
  lost(why: string, seconds: number): void;
  back(): void;
}

/** A lock as messages show it. */
export interface Lock {
  readonly id: string;
  readonly by: string;
  readonly command: string;
  readonly since: string;
  readonly host: string;
  readonly pid: number | null;
}

/** Who holds a lock, what for, where and since when. */
export function describeLock({ id, by, command, since, host, pid }: Lock): string {
  const process = pid === null ? "" : `, process ${pid}`;
  return `${by} (${command} on ${host}${process}, since ${since}; lock ${id})`;
}

export type Locked =
  | { readonly kind: "locked"; readonly session: Session; readonly notes: readonly Note[] }
  | { readonly kind: "held"; readonly lock: Lock };

/** The right to change the state while the lock is held. */
export interface Session {
  /** The state after the last durable event. */
  readonly state: StateView;
  /** Rejects an event that contradicts those before it; then nothing of its call is added. */
  append(...events: readonly StateEvent[]): Promise<void>;
  /**
   * Whether the store confirmed a moment ago that this session holds the lock, as it does
   * with every event it adds. If that was long ago, because the process was suspended or
   * the machine slept, somebody may have released the lock and resolved by hand what was
   * recorded under it. Then nothing may be sent before `confirm`.
   */
  readonly isConfirmed: boolean;
  /** Asks the store, unless it is confirmed. Rejects if the lock is lost. */
  confirm(): Promise<void>;
  /** The store that the state was moved to, or null if it is here. */
  readonly movedTo: string | null;
  /** The mark of an unfinished fill, of this session or of an interrupted one. */
  readonly filling: Filling | null;
  /** Begins a fill, and drops what an interrupted one staged. */
  fill(filling: Omit<Filling, "head">): Promise<void>;
  /** Stages the next entries of the same history, as they are. Only after `fill`. */
  copy(linked: readonly Linked[]): Promise<void>;
  /** Reads back what is staged, and marks the fill as complete if it ends with this head; rejects otherwise. */
  seal(head: string): Promise<void>;
  /** Adds everything that is staged, in one step. The state is live here from then on, even if it was moved away before. */
  open(): Promise<void>;
  /** Drops what is staged: the state is what it was before the fill. Rejects after `seal`. */
  discard(): Promise<void>;
  /** Marks the state as moved. The state must have begun. */
  relocate(to: string): Promise<void>;
  /** Ends the lock, after the calls before it. Never rejects, and may be called again. */
  close(): Promise<void>;
}

/** A problem of the state that a person can fix: the code says what it is, the message where and how. */
export class StateProblem extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  /** The file that it is about. Undefined: the store as a whole. */
  readonly at: FilePlace | undefined;

  constructor(code: Code, message: string, hint?: string, at?: FilePlace) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}
