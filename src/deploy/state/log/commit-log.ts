import type { Hint } from "../../../util/suggest.ts";
import { StateProblem } from "../lock.ts";
import type { Seen } from "./witness.ts";

/**
 * A log of immutable, numbered blocks: everything that a store does. The first block is 1. Locks,
 * fences, batches, copies and repair are written once above it (`StateStore`).
 *
 * Every call throws `StoreUnavailable` if there is no answer, and another `StateProblem` if the
 * store refuses. It connects when it is first used, and again if it is used after `close`.
 */
export interface CommitLog {
  /** The address, as messages show it. */
  readonly place: string;
  /** What a person should do to keep the store safe, if there is something. */
  readonly advice?: string | undefined;
  /** Whether old snapshots take space forever. */
  readonly keepsAll?: boolean;
  /** Milliseconds to wait for more entries before a block is appended, if that is slow. */
  readonly pause?: number;
  /** Names a block in messages. */
  name(n: number): string;
  /**
   * Says how a person brings back blocks that are missing or were changed. Starts with a verb. `seen`
   * is the lost block that this machine remembers.
   */
  restoreHint(seen?: Seen): Promise<Hint>;
  /** Remembers the log as it was just read, because it is the one that this machine expects. */
  accept?(): Promise<void>;
  /** Where a state with this id is instead, if the project has moved without it. */
  elsewhere?(): string | undefined;
  /** The ids of all states of the environment at this place. */
  ids?(): Promise<readonly string[]>;
  /** The numbers of all blocks, in ascending order. */
  numbers(): Promise<readonly number[]>;
  /** The blocks after this number, in order. Refuses a gap. */
  read(after: number, limit?: number): Promise<readonly Buffer[]>;
  /**
   * Creates block n if there is none: durable, all or nothing. `taken` also means that what is
   * there is durable. After `StoreUnavailable` the block may exist, or may appear later. After
   * another `StateProblem` this call has not created it. `summary` describes the block for people.
   */
  append(n: number, bytes: Buffer, summary: string): Promise<"added" | "taken">;
  /** The snapshot with the highest number. */
  snapshot(): Promise<KeptSnapshot | undefined>;
  /** The snapshot with the lowest number, if people can copy blocks and snapshots of different histories into one place. */
  oldest?(): Promise<KeptSnapshot | undefined>;
  /**
   * Keeps a snapshot of the state after block n, which is durable. Never replaces one with a
   * higher number. It makes reading fast, and shows every machine how far the log reached.
   */
  keep(n: number, snapshot: Buffer): Promise<void>;
  /** Refuses a store that cannot keep these promises. Called before a lock is taken. */
  probe?(): Promise<void>;
  /** Makes sure that outcomes can be written if the store fills up. Called before an intent. */
  reserve?(): void;
  /** Ends connections that are idle. Never rejects. */
  close(): Promise<void>;
}

export interface KeptSnapshot {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Refuses numbers that are not consecutive after this one. */
export async function refuseGap(
  log: Pick<CommitLog, "name" | "restoreHint">,
  after: number,
  numbers: readonly number[],
): Promise<void> {
  const at = numbers.findIndex((number, index) => number !== after + 1 + index);
  if (at === -1) return;
  throw await damaged(log, after + 1 + at, "is missing, but later blocks exist");
}

/** Returns the problem of a block that is missing or was changed. */
export async function damaged(
  log: Pick<CommitLog, "name" | "restoreHint">,
  n: number,
  how: string,
): Promise<StateProblem> {
  return new StateProblem("IVR603", `${log.name(n)} ${how}.`, await log.restoreHint());
}
