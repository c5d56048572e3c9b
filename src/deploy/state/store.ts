import type { StateEvent } from "../../schema/state.ts";
import type { Code } from "../../diagnostics/codes.ts";
import type { FilePlace } from "../../diagnostics/diagnostic.ts";
import type { Linked } from "./chain.ts";
import type { StateView } from "./state.ts";

/**
 * Where the state of one environment is kept. What every store holds to, and
 * the conformance suite (test/deploy/state/conformance.ts) proves of each:
 *
 * - **History.** A state is the sum of its events. Events are only ever added,
 *   each with the next number, and never changed or taken away.
 * - **Lineage.** The first event names a lineage, which never changes. Two
 *   states with one lineage began as one history; where one of them was restored
 *   from a backup, or is of another branch, they may have parted since.
 * - **Serial.** The number of the last event. It rises, and orders the moments
 *   of one history.
 * - **Head.** The sum that chains all events up to the serial (`link`): two
 *   states with one head have the same history. Whoever saw a head and sees it
 *   again has missed nothing.
 * - **Lock.** Only who holds the lock adds events, and one holds it at a time.
 *   A lock says who holds it, since when and where. It ends with `close`, with
 *   `unlock`, or where its holder is known for certain to be dead. The end of a
 *   lock changes no event.
 * - **Fencing.** Who lost the lock adds nothing any more, and is told so;
 *   nor does it act upon what it added, once it knows (`confirm`).
 * - **Durable.** When `append` resolves, its events outlive a crash of the
 *   process and of the machine. All of one call are added, in order, or, when
 *   it rejects, a first part of them at the most. After it has rejected once,
 *   the session adds nothing any more; but where it rejects an intent because
 *   there is no room for the outcome, nothing of that call is added, and
 *   outcomes still are.
 * - **Order.** Events are added in the order in which `append` was called; a
 *   call need not wait for the one before it. Only an intent that has to wait
 *   for room is added after what was appended meanwhile.
 * - **Intent and outcome.** A store knows nothing of either, but that it may
 *   keep room for the second once it has the first: they are events.
 *   Adding one costs the same however many menus there are.
 * - **Reading** takes no lock, changes nothing, and sees a moment of the
 *   history: all events up to some number.
 * - **Moving.** Entries can be copied into another store as they are, with their
 *   numbers, authors and heads: it is the same history there. A state that was
 *   moved away is neither read nor changed any more, until it comes back; its
 *   history up to then can still be looked at.
 * - **Filling.** A history that comes from elsewhere is copied in portions, and
 *   counts as a whole or not at all. `fill` marks the state durably before the
 *   first portion; from then on `read`, `history` and `lock` refuse it (IVR677),
 *   whoever asks. Portions are staged beside the history. `open` adds all of them
 *   in one step and removes the mark; `discard` drops them and removes the mark.
 */
export interface StateStore {
  /** As people are told it. */
  readonly place: string;
  /** Where the lock is, if it has a file of its own. */
  readonly lockFile?: string;
  read(): Promise<Reading>;
  /** Every entry, the oldest first, each verified. */
  history(): Promise<readonly Linked[]>;
  /** Waits for the lock as long as `claim` says; `held` tells who kept it. */
  lock(claim: Claim): Promise<Locked>;
  /** The lock at this moment; null also where its holder is known to be dead. */
  holder(): Promise<Lock | null>;
  /** Returns the lock that is there, also of a dead holder, and ends it if it has this id; null where there is none. */
  unlock(id: string): Promise<Lock | null>;
}

export interface Reading {
  readonly state: StateView;
  readonly notes: readonly Note[];
}

/**
 * What a person should know: a checkpoint that was edited, say. A problem is one that
 * keeps the state from being changed, or a note that says where it belongs.
 */
export type Note = string | StateProblem;

export interface Claim {
  readonly id: string;
  /** Who, for the lock and for the history. */
  readonly by: string;
  /** What for: `apply`. */
  readonly command: string;
  /** Milliseconds to wait for another to end. */
  readonly wait: number;
  /** Ends the waiting: `lock` then rejects with its reason, and no lock is left. */
  readonly signal?: AbortSignal;
  /** Ends the waiting for a store that has gone away meanwhile: nothing more is recorded then. */
  readonly stop?: AbortSignal;
  /** Told of a store that has gone away meanwhile. */
  readonly watcher?: StoreWatcher;
  /** Takes the lock also of a state that was moved away, that is being filled, or whose newest events may be missing. */
  readonly accepts?: readonly ("moved" | "filling" | "unwitnessed")[];
}

/** Marks a state that is being filled from elsewhere. */
export interface Filling {
  /** The command that fills it, complete, for a person to run again. */
  readonly command: string;
  /** Where the history comes from, as people know it. */
  readonly source: string;
  readonly by: string;
  readonly since: string;
  /**
   * The head of the history, once all of it is staged and was read back; null before.
   * From then on the source may be marked as moved, so it is not discarded any more.
   */
  readonly head: string | null;
}

export interface StoreWatcher {
  /** What waits to be recorded waits for so many seconds more. */
  lost(why: string, seconds: number): void;
  back(): void;
}

export interface Lock {
  readonly id: string;
  readonly by: string;
  readonly command: string;
  readonly since: string;
  readonly host: string;
  readonly pid: number | null;
}

export type Locked =
  | { readonly kind: "locked"; readonly session: Session; readonly notes: readonly Note[] }
  | { readonly kind: "held"; readonly lock: Lock };

/** The right to change the state, as long as the lock is held. */
export interface Session {
  /** Follows the events as they become durable. */
  readonly state: StateView;
  /** Rejects an event that contradicts those before it; nothing of its call is then added. */
  append(...events: readonly StateEvent[]): Promise<void>;
  /**
   * The store said a moment ago that the lock is this session's, as it does with every
   * event that it adds. Where that is long ago, because the process was stopped or the
   * machine slept, somebody may have released the lock and settled by hand what was
   * recorded under it: then nothing may be sent for it before `confirm`.
   */
  readonly isConfirmed: boolean;
  /** Asks the store, unless it is confirmed; rejects where the lock is another's. */
  confirm(): Promise<void>;
  /** Where the state goes on, if it was moved away from here. */
  readonly movedTo: string | null;
  /** The mark of an unfinished fill: of this session, or of an earlier one that was interrupted. */
  readonly filling: Filling | null;
  /** Begins a fill. What an interrupted one staged is dropped. */
  fill(filling: Omit<Filling, "head">): Promise<void>;
  /** Stages the next entries of this very history, as they are. Only after `fill`. */
  copy(linked: readonly Linked[]): Promise<void>;
  /** Reads back what is staged, and marks the fill as complete if it ends with this head; rejects otherwise. */
  seal(head: string): Promise<void>;
  /** Adds everything that is staged, in one step. The state is live here from then on, also if it was moved away before. */
  open(): Promise<void>;
  /** Drops what is staged. The state is what it was before the fill. Rejects after `seal`. */
  discard(): Promise<void>;
  /** Marks the state as moved. Only of a state that has begun. */
  relocate(to: string): Promise<void>;
  /** Ends the lock, once what was asked for is added. Never rejects, and may be called again. */
  close(): Promise<void>;
}

/** Something about the state that a person can mend: its code says what, its message where and how. */
export class StateProblem extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  /** The file that it is about; undefined: the store as a whole. */
  readonly at: FilePlace | undefined;

  constructor(code: Code, message: string, hint?: string, at?: FilePlace) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}
