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
import { Batches } from "./batches.ts";
import type { Linked } from "./chain.ts";
import { failedWith, syncFolder } from "../../disk.ts";
import { problemOf } from "./disk.ts";
import { type Journal, encodeLine } from "./journal.ts";
import { type Moment, moment } from "./moment.ts";
import { StateProblem } from "./store.ts";

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
  #end: number;
  #mend: Pick<Journal, "torn" | "unterminated">;
  #confirmed: Moment | undefined;

  constructor(place: WriterPlace, journal: Journal) {
    this.#place = place;
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#mend = journal;
  }

  /** Goes on with a file that has taken the place of the one before. */
  goOnWith(journal: Journal): void {
    this.close();
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#mend = journal;
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
    try {
      await this.#add(linked);
    } catch (error) {
      throw problemOf(error, this.#place.shown, "written");
    }
    for (const one of linked) this.#place.durable(one);
  }

  async #add(linked: readonly Linked[]): Promise<void> {
    this.check();
    const file = (this.#file ??= this.#open());
    const first = linked[0]?.entry.seq ?? 0;
    const lines = Buffer.from(linked.map((one) => encodeLine(first, one)).join(""));
    try {
      if (this.#mend.unterminated) writeAll(file, Buffer.from("\n"));
      writeAll(file, lines);
      await sync(file);
    } catch (error) {
      this.#undo(file);
      throw error;
    }
    this.#end += lines.length;
    this.#size = this.#end;
    this.#mend = { torn: false, unterminated: false };
    this.check();
  }

  #open(): number {
    const { path } = this.#place;
    const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;
    // If there was none, another's is not ours to write to.
    const flags = this.#inode === undefined ? O_CREAT | O_EXCL : 0;
    const file = openSync(path, O_RDWR | O_APPEND | flags, 0o666);
    try {
      this.#inode ??= fstatSync(file, { bigint: true }).ino;
      // Who still has the lock after opening has opened the file that goes with the lock.
      this.check();
      if (this.#end === 0) syncFolder(dirname(path));
      if (this.#mend.torn) {
        const size = this.#mend.unterminated ? this.#end - 1 : this.#end;
        ftruncateSync(file, size);
        // Before anything is added: what a crash leaves is then of one batch again.
        fdatasyncSync(file);
        this.#size = size;
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** As if it had never been tried, if the disk lets us. */
  #undo(file: number): void {
    try {
      this.#place.fence();
      ftruncateSync(file, this.#size);
      fdatasyncSync(file);
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

function writeAll(file: number, bytes: Buffer): void {
  // A disk that fills up takes a part first.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}
