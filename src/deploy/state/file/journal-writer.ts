import {
  closeSync,
  constants,
  copyFileSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Entry, StateEvent } from "../../../schema/state.ts";
import { failedWith, syncFolder } from "../../../util/disk.ts";
import type { Linked } from "../entries.ts";
import { StoreUnavailable, type WaitOptions, retry, withoutWaiting } from "../retry.ts";
import type { Change } from "../session.ts";
import { StateProblem } from "../store.ts";
import { problemOf } from "./disk.ts";
import { type Journal, encodeLine } from "./journal.ts";

const sync = promisify(fdatasync);

interface JournalPlace {
  readonly path: string;
  readonly shown: string;
  /** Throws if the lock is lost. */
  readonly fence: () => void;
}

/**
 * Appends to the journal.
 *
 * Before it writes an intent, it reserves space for the outcome with zeros at the end of the
 * file. So if the disk fills up later, the outcomes of requests in flight can still be
 * written. This does not help on a file system that never overwrites in place.
 *
 * The writer checks the lock before a write, and again before it reports the write as
 * durable. Together with `renewJournal`, this means that a line counts only if the lock was
 * held all the time.
 */
export class JournalWriter {
  readonly #place: JournalPlace;
  readonly #maxWait: WaitOptions;
  readonly #reserved = new ReservedSpace();
  #growing: Promise<void> | undefined;
  #file: number | undefined;
  #inode: bigint | undefined;
  /** The size that the file should have. */
  #size = 0;
  /** Where the durable lines end. */
  #end = 0;
  /** Where the written lines end. */
  #written = 0;
  #isUnterminated = false;
  /** Whether an incomplete batch was removed, and the disk may not know it yet. */
  #isCut = false;

  constructor(place: JournalPlace, journal: Journal, maxWait: WaitOptions) {
    this.#place = place;
    this.#maxWait = maxWait;
    this.continueWith(journal);
  }

  /** Continues with this file, which may have replaced another one. */
  continueWith(journal: Journal): void {
    this.close();
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#written = journal.end;
    this.#isUnterminated = journal.unterminated;
  }

  append(linked: readonly Linked[]): Change {
    const first = linked[0]?.entry.seq ?? 0;
    const lines = Buffer.from(linked.map((one) => encodeLine(first, one)).join(""));
    this.#reserved.take(linked.map(({ entry }) => entry));
    return () => this.#onDisk(() => this.#add(lines));
  }

  /** See `SessionBackend`. Outcomes do not wait for an intent that waits for space. */
  reserveSpace(events: readonly StateEvent[]): Promise<void> | undefined {
    if (!this.#reserved.expect(events)) return undefined;
    try {
      this.#grow();
      return undefined;
    } catch {
      return this.#waitForSpace(events);
    }
  }

  /** Throws if the lock is lost, or if another process changed the journal. */
  check(): void {
    this.#place.fence();
    const found = statSync(this.#place.path, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === this.#inode && Number(found?.size ?? 0) === this.#size) return;
    throw new StateProblem(
      "IVR603",
      `Another process changed ${this.#place.shown} while this run was writing to it. This run records nothing more.`,
      "Do not change the state files during a run. `git checkout` and `git stash` change them too.",
      { file: this.#place.shown },
    );
  }

  /** Removes reserved space and incomplete lines after the durable lines. */
  trim(): void {
    if (this.#file === undefined || this.#size === this.#end) return;
    this.check();
    ftruncateSync(this.#file, this.#end);
    this.#size = this.#end;
  }

  /** Closes the file. Never throws: everything that was reported as durable is synced. */
  close(): void {
    try {
      if (this.#file !== undefined) closeSync(this.#file);
    } catch {
      // A disk may report an earlier error again.
    }
    this.#file = undefined;
  }

  async #add(lines: Buffer): Promise<void> {
    this.check();
    const file = (this.#file ??= this.#open());
    const text = this.#isUnterminated ? Buffer.concat([Buffer.from("\n"), lines]) : lines;
    const end = this.#from + text.length;
    try {
      writeAll(file, text, this.#from);
      this.#written = end;
      this.#size = Math.max(this.#size, end);
      await sync(file);
    } catch (error) {
      this.#written = this.#from;
      if (isFull(error)) this.#size = fstatSync(file).size;
      else this.#undo();
      throw error;
    }
    this.#end = end;
    this.#isUnterminated = false;
    this.check();
  }

  /** Where the next write begins. If the last line has no newline, the write adds it. */
  get #from(): number {
    return this.#isUnterminated ? this.#end - 1 : this.#end;
  }

  get #hasSpace(): boolean {
    return this.#file !== undefined && this.#size - this.#written >= this.#reserved.bytes;
  }

  /** Adds zeros at the end of the file. This does not disturb a write in progress. */
  #grow(): void {
    if (this.#hasSpace) return;
    this.check();
    const file = (this.#file ??= this.#open());
    const size = this.#written + this.#reserved.bytes + spare;
    try {
      writeAll(file, Buffer.alloc(Math.max(0, size - this.#size)), this.#size);
      this.#size = Math.max(this.#size, size);
    } catch (error) {
      this.#size = fstatSync(file).size;
      if (!isFull(error) || !this.#hasSpace) throw error;
    }
  }

  async #waitForSpace(events: readonly StateEvent[]): Promise<void> {
    try {
      do {
        // Concurrent calls wait together.
        this.#growing ??= retry(
          () => this.#onDisk(async () => this.#grow()),
          this.#maxWait,
        ).finally(() => (this.#growing = undefined));
        await this.#growing;
      } while (!this.#hasSpace);
    } catch (error) {
      this.#reserved.drop(events);
      throw withoutWaiting(error);
    }
  }

  /** Calls `act`. Reports a full disk as `StoreUnavailable`, because someone may free space. */
  async #onDisk(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const problem = problemOf(error, this.#place.shown, "written");
      if (isFull(error) && problem instanceof StateProblem) {
        const help = "Free space on that disk, then run the command again.";
        const full = new StateProblem(problem.code, problem.message, help, problem.at);
        throw new StoreUnavailable(full, full);
      }
      throw problem;
    }
  }

  #open(): number {
    const { path } = this.#place;
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    // If there was no file before, fail if another process has created one.
    const flags = this.#inode === undefined ? O_CREAT | O_EXCL : 0;
    const file = openSync(path, O_RDWR | flags, 0o666);
    try {
      this.#inode ??= fstatSync(file, { bigint: true }).ino;
      // If the lock is still held, no other process replaced the file before it was opened.
      this.check();
      if (this.#end === 0) syncFolder(dirname(path));
      if (this.#size > this.#from) {
        ftruncateSync(file, this.#from);
        this.#size = this.#from;
        this.#isCut = true;
      }
      if (this.#isCut) {
        // Sync before anything is added, so that a crash leaves parts of only one batch.
        fdatasyncSync(file);
        this.#isCut = false;
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Removes the rest of a failed write, if the disk allows it. */
  #undo(): void {
    if (this.#file === undefined) return;
    try {
      this.#place.fence();
      ftruncateSync(this.#file, this.#from);
      fdatasyncSync(this.#file);
      this.#size = this.#from;
    } catch {
      // The next writer removes the incomplete line.
    }
  }
}

/**
 * Replaces the journal by a copy. A process that has lost its lock, but still has the old
 * file open, writes to the old file, where it does no harm.
 */
export function renewJournal(path: string, temporary: string): void {
  try {
    copyFileSync(path, temporary, constants.COPYFILE_EXCL);
    const copy = openSync(temporary, "r+");
    try {
      fsyncSync(copy);
    } finally {
      closeSync(copy);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    if (!failedWith(error, "ENOENT")) throw error;
  }
}

/** Additional bytes to reserve, so that most intents need not grow the file. */
const spare = 32 * 1024;

function isFull(error: unknown): boolean {
  return failedWith(error, "ENOSPC", "EDQUOT");
}

function writeAll(file: number, bytes: Buffer, from: number): void {
  // A disk that is almost full may write only a part.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, from + written);
  }
}

/**
 * Counts the bytes to reserve: for the intents that are about to be recorded, and for the
 * outcome of each intent in flight.
 */
class ReservedSpace {
  readonly #lines = new Map<StateEvent, number>();
  #inFlight = 0;

  get bytes(): number {
    let bytes = this.#inFlight * outcomeSize;
    for (const size of this.#lines.values()) bytes += size + outcomeSize;
    return bytes;
  }

  /** Counts events that are about to be recorded. Returns whether one of them is an intent, which needs space. */
  expect(events: readonly StateEvent[]): boolean {
    if (!events.some(isIntent)) return false;
    for (const event of events) {
      this.#lines.set(event, Buffer.byteLength(JSON.stringify(event)) + lineOverhead);
    }
    return true;
  }

  /** Stops counting events that are not recorded after all. */
  drop(events: readonly StateEvent[]): void {
    for (const event of events) this.#lines.delete(event);
  }

  /** Counts events that are being recorded. */
  take(entries: readonly Entry[]): void {
    for (const { event } of entries) {
      this.#lines.delete(event);
      if (isIntent(event)) this.#inFlight += 1;
      else if (isOutcome(event)) this.#inFlight = Math.max(0, this.#inFlight - 1);
    }
  }
}

/** The largest size of a line with an outcome. `HttpService` cuts the service's message to 3 KiB. */
const outcomeSize = 4096;

/** The size of a line without its event, at most. */
const lineOverhead = 1024;

function isIntent({ kind }: StateEvent): boolean {
  return kind === "intent" || kind === "bind-intent";
}

const outcomes: ReadonlySet<StateEvent["kind"]> = new Set([
  "created",
  "updated",
  "deleted",
  "failed",
  "not-processed",
  "unknown",
  "bound",
  "not-bound",
  "bind-unknown",
]);

function isOutcome({ kind }: StateEvent): boolean {
  return outcomes.has(kind);
}
