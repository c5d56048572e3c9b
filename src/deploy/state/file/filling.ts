import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../util/disk.ts";
import type { Linked } from "../entries.ts";
import { notCopied } from "../marks.ts";
import { State } from "../state.ts";
import { type Filling, StateProblem } from "../store.ts";
import { type FillingMark, writeCheckpoint, writeMark } from "./checkpoint.ts";
import { replaceFile } from "./disk.ts";
import { encodeLine, readJournal, replay } from "./journal.ts";
import { type Files, temporaryFile } from "./load.ts";
import type { HeldLock } from "./lock.ts";

/**
 * Fills the files of a state. A mark replaces the checkpoint. Staged entries are appended to
 * a copy of the journal with a unique name. `open` replaces the journal by that copy, and
 * last the mark by a checkpoint. So after a crash the state is either marked or complete.
 */
export class FileFilling {
  readonly #files: Files;
  readonly #heldLock: HeldLock;
  readonly #state: State;
  #mark: FillingMark | null;

  /** `state` is the state before the fill. */
  constructor(files: Files, heldLock: HeldLock, state: State, mark: FillingMark | null) {
    this.#files = files;
    this.#heldLock = heldLock;
    this.#state = state;
    this.#mark = mark;
  }

  get filling(): Filling | null {
    return this.#mark?.filling ?? null;
  }

  begin(filling: Filling): void {
    const { serial, head } = this.#state;
    this.#write({ filling, serial, head, staging: randomUUID() });
    this.#heldLock.check();
    this.#heldLock.dropStaged();
    replaceFile(this.#staging, temporaryFile(this.#files), this.#before());
  }

  stage(linked: readonly Linked[]): void {
    this.#heldLock.check();
    const file = openSync(this.#staging, constants.O_WRONLY | constants.O_APPEND);
    try {
      writeFileSync(file, linked.map(encodeLine).join(""));
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#heldLock.check();
  }

  staged(): readonly Linked[] {
    const { journal, shown } = this.#files;
    const { serial, head } = this.#state;
    try {
      const found = readJournal(existsSync(this.#staging) ? this.#staging : journal, shown.journal);
      const all = replay(found, 0, new State(), shown.journal);
      if (!found.torn && (all[serial - 1]?.head ?? "") === head) return all.slice(serial);
    } catch (error) {
      if (!(error instanceof StateProblem && error.code === "IVR603")) throw error;
    }
    throw notCopied(shown.checkpoint);
  }

  seal(filling: Filling): void {
    if (this.#mark !== null) this.#write({ ...this.#mark, filling });
  }

  open(): void {
    this.#heldLock.check();
    const staged = this.staged();
    const { journal, moved, shown } = this.#files;
    if ((staged.at(-1)?.head ?? this.#state.head) !== this.filling?.head) {
      throw notCopied(shown.checkpoint);
    }
    this.#heldLock.check();
    // An earlier session may have been killed after this step.
    if (existsSync(this.#staging)) renameSync(this.#staging, journal);
    syncFolder(dirname(journal));
    this.#heldLock.check();
    rmSync(moved, { force: true });
    syncFolder(dirname(moved));
    for (const { entry, head } of staged) this.#state.take(entry, head);
    this.#unmark();
  }

  discard(): void {
    this.#heldLock.check();
    this.#heldLock.dropStaged();
    const { journal, shown } = this.#files;
    // An earlier session may have been killed while it opened the fill.
    if (readJournal(journal, shown.journal).lines.length > this.#state.serial) {
      replaceFile(journal, temporaryFile(this.#files), this.#before());
    }
    this.#unmark();
  }

  get #staging(): string {
    const { folder, name } = this.#files;
    return join(folder, `.${name}.${this.#mark?.staging}.filling`);
  }

  /** The content of the journal before the fill. */
  #before(): Buffer {
    const { journal, shown } = this.#files;
    const { bytes, lines } = readJournal(journal, shown.journal);
    const last = lines[this.#state.serial - 1];
    if (last === undefined) return Buffer.alloc(0);
    return Buffer.concat([bytes.subarray(0, last.end), Buffer.from("\n")]);
  }

  #write(mark: FillingMark): void {
    this.#heldLock.check();
    writeMark(this.#files.checkpoint, temporaryFile(this.#files), mark);
    this.#mark = mark;
  }

  #unmark(): void {
    const { checkpoint } = this.#files;
    const snapshot = this.#state.snapshot();
    this.#heldLock.check();
    if (snapshot === undefined) {
      rmSync(checkpoint, { force: true });
      syncFolder(dirname(checkpoint));
    } else writeCheckpoint(checkpoint, temporaryFile(this.#files), snapshot);
    this.#mark = null;
  }
}
