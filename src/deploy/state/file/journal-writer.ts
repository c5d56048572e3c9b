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
import type { StateEvent } from "../../../schema/state.ts";
import { Batches } from "../batches.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost } from "../connection-lost.ts";
import { failedWith, syncFolder } from "../../../util/disk.ts";
import { problemOf } from "./disk.ts";
import { type Journal, encodeLine } from "./journal.ts";
import { type Moment, moment } from "../moment.ts";
import { type Patience, persist } from "../persist.ts";
import { Room } from "./room.ts";
import { StateProblem } from "../store.ts";

const sync = promisify(fdatasync);

export interface WriterPlace {
  readonly path: string;
  readonly shown: string;
  /** Throws where the right to write is gone. */
  readonly fence: () => void;
  /** Told of entries once they are durable. */
  readonly durable: (linked: Linked) => void;
}

/**
 * Appends to the journal. Whatever is waiting is written at once and synced
 * once, so that many callers pay for one sync together.
 *
 * Before an intent is written, the file is long enough for its outcome too: what
 * follows the last line is zeros, which were written and not only promised. A disk
 * that fills up later has space for what is in flight, unless it never writes to
 * the same place twice. They are synced with the intent.
 *
 * The fence is asked before a write, and again before anyone is told that it
 * is durable: with both, and with `renewJournal`, a line counts only if the
 * lock was held for as long as it took. After a failure nothing is written.
 */
export class JournalWriter {
  readonly #place: WriterPlace;
  readonly #batches = new Batches((linked) => this.#commit(linked));
  #file: number | undefined;
  #inode: bigint | undefined;
  /** What the file holds, or should. */
  #size: number;
  /** Where the lines end that are durable, and those that are written. */
  #end: number;
  #written: number;
  #isUnterminated: boolean;
  #confirmed: Moment | undefined;
  readonly #room = new Room();
  readonly #patience: Patience;
  #growing: Promise<void> | undefined;

  constructor(place: WriterPlace, journal: Journal, patience: Patience) {
    this.#place = place;
    this.#patience = patience;
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#written = journal.end;
    this.#isUnterminated = journal.unterminated;
  }

  /** Goes on with a file that has taken the place of the one before. */
  goOnWith(journal: Journal): void {
    this.close();
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#written = journal.end;
    this.#isUnterminated = journal.unterminated;
  }

  /** The first one, which every later call meets too. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#batches.failure;
  }

  /** When the last check began that found everything as it should be. */
  get confirmed(): Moment | undefined {
    return this.#confirmed;
  }

  append(linked: readonly Linked[]): Promise<void> {
    return this.#batches.append(linked);
  }

  /** See `SessionWriter`. What waits for room keeps no outcome from being written. */
  makeRoom(events: readonly StateEvent[]): Promise<void> | undefined {
    if (!this.#room.expect(events)) return undefined;
    try {
      this.#grow();
      return undefined;
    } catch {
      return this.#waitForRoom(events);
    }
  }

  /** Something else under the lock, in its turn. */
  act(deed: () => void): Promise<void> {
    return this.#batches.act(async () => deed());
  }

  /** Resolves when nothing is waiting any more. */
  async settled(): Promise<void> {
    await this.#batches.settled();
  }

  /** Throws where the lock is lost, or the journal is not as this writer left it. */
  check(): void {
    const asked = moment();
    this.#place.fence();
    const found = statSync(this.#place.path, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === this.#inode && Number(found?.size ?? 0) === this.#size) {
      this.#confirmed = asked;
      return;
    }
    throw new StateProblem(
      "IVR603",
      `${this.#place.shown} was changed by somebody else while this run wrote to it, so nothing more is recorded.`,
      "Leave the files of the state alone while a run is under way; `git checkout` and `git stash` touch them too.",
      { file: this.#place.shown },
    );
  }

  /** Gives back the room that is left. */
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
      // A disk may tell of an old fault once more.
    }
    this.#file = undefined;
  }

  async #commit(linked: readonly Linked[]): Promise<void> {
    const first = linked[0]?.entry.seq ?? 0;
    const lines = Buffer.from(linked.map((one) => encodeLine(first, one)).join(""));
    this.#room.take(linked.map(({ entry }) => entry));
    try {
      await this.#persist(() => this.#onDisk(() => this.#add(lines)));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.#undo();
      throw error.problem;
    }
    for (const one of linked) this.#place.durable(one);
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

  /** Behind everything that is there, so that it does not matter what is being written. */
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
        // Whoever waits at the same time waits for the same.
        this.#growing ??= this.#persist(() => this.#onDisk(async () => this.#grow())).finally(
          () => (this.#growing = undefined),
        );
        await this.#growing;
      } while (!this.#hasRoom);
    } catch (error) {
      this.#room.drop(events);
      throw error instanceof ConnectionLost ? error.problem : error;
    }
  }

  /** Waits where the disk is full: somebody may make space. */
  #persist(act: () => Promise<void>): Promise<void> {
    return persist(act, this.#patience);
  }

  async #onDisk(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const problem = problemOf(error, this.#place.shown, "written");
      if (isFull(error) && problem instanceof StateProblem) {
        const help = "Make space on that disk, then run the command again.";
        throw new ConnectionLost(new StateProblem(problem.code, problem.message, help, problem.at));
      }
      throw problem;
    }
  }

  #open(): number {
    const { path } = this.#place;
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    // If there was none, another's is not ours to write to.
    const flags = this.#inode === undefined ? O_CREAT | O_EXCL : 0;
    const file = openSync(path, O_RDWR | flags, 0o666);
    try {
      this.#inode ??= fstatSync(file, { bigint: true }).ino;
      // Who still has the lock after opening has opened the file that goes with the lock.
      this.check();
      if (this.#end === 0) syncFolder(dirname(path));
      if (this.#size > this.#from) {
        ftruncateSync(file, this.#from);
        // Before anything is added: what a crash leaves is then of one batch again.
        fdatasyncSync(file);
        this.#size = this.#from;
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** As if it had never been tried, if the disk lets us. */
  #undo(): void {
    if (this.#file === undefined) return;
    try {
      this.#place.fence();
      ftruncateSync(this.#file, this.#from);
      fdatasyncSync(this.#file);
      this.#size = this.#from;
    } catch {
      // Half a line is left, which the next writer takes away.
    }
  }
}

/**
 * Gives the journal a new file of the same content. Who has the old one open,
 * and lost the lock between its look at it and its write, writes to the old one,
 * where it does no harm.
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

/** Room beyond what is needed, so that it need not be made with every intent. */
const spare = 32 * 1024;

function isFull(error: unknown): boolean {
  return failedWith(error, "ENOSPC", "EDQUOT");
}

function writeAll(file: number, bytes: Buffer, from: number): void {
  // A disk that fills up takes a part first.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, from + written);
  }
}
