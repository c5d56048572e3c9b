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
import { failedWith, syncFolder } from "../../../util/disk.ts";
import type { Linked } from "../entries.ts";
import { StoreUnavailable, type WaitOptions, retry, withoutWaiting } from "../retry.ts";
import type { Change } from "../session.ts";
import { StateProblem } from "../store.ts";
import { Ballast, isFull } from "./ballast.ts";
import { problemOf } from "./disk.ts";
import { type Journal, encodeLine } from "./journal.ts";

const sync = promisify(fdatasync);

interface JournalPlace {
  readonly path: string;
  readonly shown: string;
  /** See `Ballast`. */
  readonly ballast: string;
  /** Throws if the lock is lost. */
  readonly fence: () => void;
}

/**
 * Appends to the journal. It checks the lock before a write, and again before it reports the
 * write as durable. Together with `renewJournal`, this means that a line counts only if the
 * lock was held all the time.
 */
export class JournalWriter {
  readonly #place: JournalPlace;
  readonly #maxWait: WaitOptions;
  readonly #ballast: Ballast;
  #loading: Promise<void> | undefined;
  #file: number | undefined;
  #inode: bigint | undefined;
  /** The size that the file should have. */
  #size = 0;
  /** Where the durable lines end. */
  #end = 0;
  #isUnterminated = false;

  constructor(place: JournalPlace, journal: Journal, maxWait: WaitOptions) {
    this.#place = place;
    this.#maxWait = maxWait;
    this.#ballast = new Ballast(place.ballast);
    this.continueWith(journal);
  }

  /** Continues with this file, which may have replaced another one. */
  continueWith(journal: Journal): void {
    this.close();
    this.#inode = journal.inode;
    this.#size = journal.bytes.length;
    this.#end = journal.end;
    this.#isUnterminated = journal.unterminated;
  }

  append(linked: readonly Linked[]): Change {
    const lines = linked.map(encodeLine).join("");
    return () =>
      this.#onDisk(async () => {
        try {
          await this.#add(lines);
        } catch (error) {
          if (!isFull(error) || !this.#ballast.drop()) throw error;
          await this.#add(lines);
        }
      });
  }

  /** See `SessionBackend`. Outcomes do not wait for an intent that waits for space. */
  reserveSpace(events: readonly StateEvent[]): Promise<void> | undefined {
    if (!events.some(({ kind }) => kind === "intent" || kind === "bind-intent")) return undefined;
    try {
      this.#ballast.load();
      return undefined;
    } catch {
      return this.#waitForSpace();
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

  /** Closes the file. Never throws: everything that was reported as durable is synced. */
  close(): void {
    try {
      this.#ballast.drop();
      if (this.#file !== undefined) closeSync(this.#file);
    } catch {
      // A disk may report an earlier error again.
    }
    this.#file = undefined;
  }

  async #add(lines: string): Promise<void> {
    this.check();
    const file = (this.#file ??= this.#open());
    const text = Buffer.from(this.#isUnterminated ? `\n${lines}` : lines);
    try {
      writeAll(file, text, this.#end);
      this.#size = this.#end + text.length;
      await sync(file);
    } catch (error) {
      this.#undo(file);
      throw error;
    }
    this.#end = this.#size;
    this.#isUnterminated = false;
    this.check();
  }

  async #waitForSpace(): Promise<void> {
    // Concurrent calls wait together.
    this.#loading ??= retry(
      () => this.#onDisk(async () => this.#ballast.load()),
      this.#maxWait,
    ).finally(() => (this.#loading = undefined));
    try {
      await this.#loading;
    } catch (error) {
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
      if (this.#size > this.#end) {
        ftruncateSync(file, this.#end);
        this.#size = this.#end;
        // Sync before anything is added, so that a crash leaves parts of only one write.
        fdatasyncSync(file);
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Removes the rest of a failed write. If that fails, the next writer removes it. */
  #undo(file: number): void {
    try {
      this.#place.fence();
      ftruncateSync(file, this.#end);
      fdatasyncSync(file);
    } catch {
      // The error of the write is reported.
    }
    this.#size = fstatSync(file).size;
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

function writeAll(file: number, bytes: Buffer, from: number): void {
  // A disk that is almost full may write only a part.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written, from + written);
  }
}
