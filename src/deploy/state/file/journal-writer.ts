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
import { ConnectionLost, type Patience, persist, withoutWaiting } from "../persist.ts";
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
 * Before an intent is written, the file is long enough for its outcome too: zeros follow
 * the last line, and they are on disk with the intent. So a disk that fills up later has
 * space for the outcomes of what is in flight, unless it never writes to the same place
 * twice.
 *
 * The writer checks the lock before a write, and again before anyone learns that the
 * write is durable. Together with `renewJournal`, this means that a line counts only if
 * the lock was held all the time.
 */
export class JournalWriter {
  readonly #place: JournalPlace;
  readonly #patience: Patience;
  readonly #room = new Room();
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

  constructor(place: JournalPlace, journal: Journal, patience: Patience) {
    this.#place = place;
    this.#patience = patience;
    this.continueWith(journal);
  }

  /** Continues with this file, which may have taken the place of another one. */
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
    this.#room.take(linked.map(({ entry }) => entry));
    return () => this.#onDisk(() => this.#add(lines));
  }

  /** See `SessionBackend`. An intent that waits for room does not hold up any outcome. */
  makeRoom(events: readonly StateEvent[]): Promise<void> | undefined {
    if (!this.#room.expect(events)) return undefined;
    try {
      this.#grow();
      return undefined;
    } catch {
      return this.#waitForRoom(events);
    }
  }

  /** Throws if the lock is lost, or if the journal is not as this writer left it. */
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

  /** Removes what follows the durable lines: reserved room, and lines that could not be finished. */
  trim(): void {
    if (this.#file === undefined || this.#size === this.#end) return;
    this.check();
    ftruncateSync(this.#file, this.#end);
    this.#size = this.#end;
  }

  /** Never throws: what was acknowledged is synced. */
  close(): void {
    try {
      if (this.#file !== undefined) closeSync(this.#file);
    } catch {
      // A disk may report an old fault once more.
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

  /** Where the next line begins, with the newline that the one before it may lack. */
  get #from(): number {
    return this.#isUnterminated ? this.#end - 1 : this.#end;
  }

  get #hasRoom(): boolean {
    return this.#file !== undefined && this.#size - this.#written >= this.#room.bytes;
  }

  /** Adds zeros after everything that is there, so a write in progress does not matter. */
  #grow(): void {
    if (this.#hasRoom) return;
    this.check();
    const file = (this.#file ??= this.#open());
    const size = this.#written + this.#room.bytes + spare;
    try {
      writeAll(file, Buffer.alloc(Math.max(0, size - this.#size)), this.#size);
      this.#size = Math.max(this.#size, size);
    } catch (error) {
      this.#size = fstatSync(file).size;
      if (!isFull(error) || !this.#hasRoom) throw error;
    }
  }

  async #waitForRoom(events: readonly StateEvent[]): Promise<void> {
    try {
      do {
        // Calls at the same time wait for the same room.
        this.#growing ??= persist(
          () => this.#onDisk(async () => this.#grow()),
          this.#patience,
        ).finally(() => (this.#growing = undefined));
        await this.#growing;
      } while (!this.#hasRoom);
    } catch (error) {
      this.#room.drop(events);
      throw withoutWaiting(error);
    }
  }

  /** If the disk is full, waiting helps: somebody may make space. */
  async #onDisk(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const problem = problemOf(error, this.#place.shown, "written");
      if (isFull(error) && problem instanceof StateProblem) {
        const help = "Free space on that disk, then run the command again.";
        const full = new StateProblem(problem.code, problem.message, help, problem.at);
        throw new ConnectionLost(full, full);
      }
      throw problem;
    }
  }

  #open(): number {
    const { path } = this.#place;
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    // If there was no file, a file that somebody else created is not ours to write to.
    const flags = this.#inode === undefined ? O_CREAT | O_EXCL : 0;
    const file = openSync(path, O_RDWR | flags, 0o666);
    try {
      this.#inode ??= fstatSync(file, { bigint: true }).ino;
      // If the lock is still held after opening, this is the file that belongs to the lock.
      this.check();
      if (this.#end === 0) syncFolder(dirname(path));
      if (this.#size > this.#from) {
        ftruncateSync(file, this.#from);
        // Sync before anything is added, so that a crash leaves parts of one batch only.
        fdatasyncSync(file);
        this.#size = this.#from;
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Removes what a failed write left, if the disk allows it. */
  #undo(): void {
    if (this.#file === undefined) return;
    try {
      this.#place.fence();
      ftruncateSync(this.#file, this.#from);
      fdatasyncSync(this.#file);
      this.#size = this.#from;
    } catch {
      // Half a line is left, which the next writer removes.
    }
  }
}

/**
 * Gives the journal a new file with the same content. A process that has the old file
 * open, and lost the lock after it checked it, writes to the old file, where it does no
 * harm.
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

/** Additional room, so that not every intent has to reserve some. */
const spare = 32 * 1024;

function isFull(error: unknown): boolean {
  return failedWith(error, "ENOSPC", "EDQUOT");
}

function writeAll(file: number, bytes: Buffer, from: number): void {
  // A disk that fills up accepts a part first.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, from + written);
  }
}

/**
 * How many bytes are needed at most to record what has begun: the intents that are about
 * to be recorded, and the outcome of each intent in flight.
 */
class Room {
  readonly #lines = new Map<StateEvent, number>();
  #inFlight = 0;

  get bytes(): number {
    let bytes = this.#inFlight * outcomeRoom;
    for (const size of this.#lines.values()) bytes += size + outcomeRoom;
    return bytes;
  }

  /** Counts events that are about to be recorded. Returns whether one is an intent, which needs room. */
  expect(events: readonly StateEvent[]): boolean {
    if (!events.some(isIntent)) return false;
    for (const event of events) {
      this.#lines.set(event, Buffer.byteLength(JSON.stringify(event)) + aroundEvent);
    }
    return true;
  }

  /** They are not recorded after all. */
  drop(events: readonly StateEvent[]): void {
    for (const event of events) this.#lines.delete(event);
  }

  /** They are being recorded. */
  take(entries: readonly Entry[]): void {
    for (const { event } of entries) {
      this.#lines.delete(event);
      if (isIntent(event)) this.#inFlight += 1;
      else if (isOutcome(event)) this.#inFlight = Math.max(0, this.#inFlight - 1);
    }
  }
}

/** A line with an outcome is shorter: the service's message is cut to 3 KiB (`HttpService`). */
const outcomeRoom = 4096;

/** The size of a line without its event, at most. */
const aroundEvent = 1024;

function isIntent({ kind }: StateEvent): boolean {
  return kind === "intent";
}

function isOutcome({ kind }: StateEvent): boolean {
  return kind === "created" || kind === "failed" || kind === "not-processed" || kind === "unknown";
}
