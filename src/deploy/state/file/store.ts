import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Snapshot, StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { refuseMarked } from "../marks.ts";
import { type WaitOptions, defaultMaxWait } from "../retry.ts";
import { type Change, type SessionBackend, WritingSession } from "../session.ts";
import { State } from "../state.ts";
import {
  type Claim,
  type Extent,
  type Filling,
  type Lock,
  type Locked,
  type Reading,
  StateProblem,
  type StateStore,
} from "../store.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { orProblem } from "./disk.ts";
import { FileFilling } from "./filling.ts";
import { readJournal } from "./journal.ts";
import { JournalWriter, renewJournal } from "./journal-writer.ts";
import {
  type Files,
  type Loaded,
  possibleLoss,
  fillingOf,
  load,
  markMoved,
  marksOfMoved,
  movedTo,
  notesOf,
  temporaryFile,
} from "./load.ts";
import { FileLock, type HeldLock } from "./lock.ts";
import type { Clock, Host } from "../../../util/host.ts";

/**
 * A state in three files:
 *
 * - `<environment>.journal.jsonl` has every event. It alone decides what the state is.
 * - `<environment>.json`, the checkpoint, has the state after the last session. It makes
 *   reading faster and shows how far the journal must reach. It is used only if it matches
 *   the journal.
 * - `<environment>.lock` exists while a session lasts.
 *
 * `<environment>.moved` exists if the state was moved to another store. While the state is
 * being filled, a mark replaces the checkpoint (see `FileFilling`).
 */
export class FileStore implements StateStore {
  readonly place: string;
  readonly lockFile: string;
  readonly #files: Files;
  readonly #lock: FileLock;
  readonly #clock: Clock;
  readonly #maxWait: number;

  /** The folder is `.ivrctl/state` of a project. It need not exist yet. */
  constructor(folder: string, environment: string, host: Host, maxWait = defaultMaxWait) {
    const shown = `${basename(dirname(folder))}/${basename(folder)}/${environment}`;
    this.#files = {
      folder,
      name: environment,
      checkpoint: join(folder, `${environment}.json`),
      journal: join(folder, `${environment}.journal.jsonl`),
      moved: join(folder, `${environment}.moved`),
      ballast: join(folder, `.${environment}.ballast`),
      shown: {
        checkpoint: `${shown}.json`,
        journal: `${shown}.journal.jsonl`,
        moved: `${shown}.moved`,
      },
    };
    this.place = this.#files.shown.checkpoint;
    this.lockFile = `${shown}.lock`;
    this.#lock = new FileLock({ folder, name: environment, shown: this.lockFile }, host);
    this.#clock = host.clock;
    this.#maxWait = maxWait;
  }

  async read(): Promise<Reading> {
    this.#refuseMoved();
    const { loaded, isQuiet } = await this.#readUnlocked("the state");
    return { state: loaded.state, notes: isQuiet ? notesOf(loaded, this.#files) : [] };
  }

  async history(): Promise<readonly Linked[]> {
    return (await this.#readUnlocked("every entry")).loaded.entries;
  }

  async lock(claim: Claim): Promise<Locked> {
    const taken = await this.#lock.take(claim);
    if (taken.kind === "held") return taken;
    const { heldLock } = taken;
    try {
      this.#refuseMoved(claim.accepts);
      orProblem(this.#files.shown.journal, "written", () => this.#tidy(heldLock));
      const loaded = load(this.#files, "the state");
      this.#refuseFilling(loaded, claim.accepts);
      this.#refusePossibleLoss(loaded, claim.accepts);
      const notes = [...taken.notes, ...notesOf(loaded, this.#files)];
      return { kind: "locked", session: this.#session(heldLock, loaded, claim), notes };
    } catch (error) {
      heldLock.release();
      throw error;
    }
  }

  async holder(): Promise<Lock | null> {
    return this.#lock.holder();
  }

  async leftLock(): Promise<Lock | null> {
    return this.#lock.left();
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#lock.unlock(id);
  }

  #session(heldLock: HeldLock, loaded: Loaded, claim: Claim): WritingSession {
    const clock = this.#clock;
    const { stop, watcher } = claim;
    // Without a watcher, the user does not learn that the disk is full, so waiting is useless.
    const maxWait = watcher === undefined ? 0 : this.#maxWait;
    const backend = new FileBackend(this.#files, heldLock, loaded, {
      clock,
      maxWait,
      stop,
      watcher,
    });
    const filling = fillingOf(loaded.checkpoint);
    return new WritingSession(
      backend,
      { state: loaded.state, movedTo: movedTo(this.#files), filling },
      { environment: this.#files.name, claim, clock, maxWait },
    );
  }

  #refuseMoved(accepts?: Claim["accepts"]): void {
    const marks = marksOfMoved(this.#files);
    if (marks !== null) refuseMarked(marks, this.#files.name, this.place, accepts);
  }

  #refuseFilling({ checkpoint }: Loaded, accepts?: Claim["accepts"]): void {
    const marks = { filling: fillingOf(checkpoint), movedTo: null };
    refuseMarked(marks, this.#files.name, this.place, accepts);
  }

  #refusePossibleLoss(loaded: Loaded, accepts: Claim["accepts"] = []): void {
    // A state that was moved away is replaced by a complete copy from the other store.
    if (accepts.includes("possibly-incomplete") || accepts.includes("moved")) return;
    const problem = possibleLoss(loaded, this.#files);
    if (problem !== undefined) throw problem;
  }

  /** Removes the files of dead runs, and stops runs whose lock was released from writing. */
  #tidy(heldLock: HeldLock): void {
    heldLock.cleanUp();
    rmSync(this.#files.ballast, { force: true });
    const released = heldLock.released();
    if (released.length === 0) return;
    renewJournal(this.#files.journal, temporaryFile(this.#files));
    for (const path of released) rmSync(path, { force: true });
  }

  /**
   * Reads without the lock. A session that is writing can make the files look damaged for a
   * moment. So a problem counts only if two reads in a row show the same one, or after
   * `maxReads` reads.
   */
  async #readUnlocked(what: Extent): Promise<{ loaded: Loaded; isQuiet: boolean }> {
    let before: string | undefined;
    for (let reads = 1; ; reads += 1) {
      const seen = attempt(() => load(this.#files, what));
      const isQuiet = !this.#lock.taken;
      const anomaly =
        "problem" in seen ? seen.problem.message : this.#anomaly(seen.loaded, isQuiet);
      if (anomaly === undefined || anomaly === before || reads === maxReads) {
        if ("problem" in seen) throw seen.problem;
        this.#refuseFilling(seen.loaded);
        return { loaded: seen.loaded, isQuiet: isQuiet && reads < maxReads };
      }
      before = anomaly;
      await this.#clock.sleep(5);
    }
  }

  /** Describes a sign of damage in the files. Undefined if there is none, or if a session may be writing. */
  #anomaly(loaded: Loaded, isQuiet: boolean): string | undefined {
    const { journal } = loaded;
    if (!isQuiet) return undefined;
    if (journal.torn) return `${journal.end} of ${journal.bytes.length}`;
    return possibleLoss(loaded, this.#files)?.message;
  }
}

const maxReads = 200;

/** Makes the changes of a session in the files. */
class FileBackend implements SessionBackend {
  readonly place: string;
  readonly #files: Files;
  readonly #heldLock: HeldLock;
  readonly #state: State;
  readonly #journal: JournalWriter;
  readonly #filling: FileFilling;
  /** Undefined if there is no usable checkpoint. */
  #checkpointSerial: number | undefined;

  constructor(
    files: Files,
    heldLock: HeldLock,
    { state, journal, checkpoint }: Loaded,
    maxWait: WaitOptions,
  ) {
    this.place = files.shown.journal;
    this.#files = files;
    this.#heldLock = heldLock;
    this.#state = state;
    const mark = checkpoint.kind === "filling" ? checkpoint.mark : null;
    this.#filling = new FileFilling(files, heldLock, state, mark);
    this.#checkpointSerial = checkpoint.kind === "valid" ? checkpoint.snapshot.serial : undefined;
    const place = {
      path: files.journal,
      shown: this.place,
      ballast: files.ballast,
      fence: () => heldLock.check(),
    };
    this.#journal = new JournalWriter(place, journal, maxWait);
  }

  reserveSpace(events: readonly StateEvent[]): Promise<void> | undefined {
    return this.#journal.reserveSpace(events);
  }

  append(linked: readonly Linked[]): Change {
    let first = linked.find(({ entry }) => entry.seq === 1);
    const write = this.#journal.append(linked);
    return async () => {
      if (first !== undefined) this.#writeFirstCheckpoint(first);
      first = undefined;
      await write();
      for (const { entry, head } of linked) this.#state.take(entry, head);
    };
  }

  async check(): Promise<void> {
    this.#journal.check();
  }

  fill(filling: Filling): Change {
    return this.#change(() => this.#filling.begin(filling));
  }

  stage(linked: readonly Linked[]): Change {
    return this.#change(() => this.#filling.stage(linked));
  }

  async staged(): Promise<readonly Linked[]> {
    return this.#filling.staged();
  }

  seal(filling: Filling): Change {
    return this.#change(() => this.#filling.seal(filling));
  }

  open(): Change {
    return this.#change(() => {
      this.#filling.open();
      this.#continue();
    });
  }

  discard(): Change {
    return this.#change(() => {
      this.#filling.discard();
      this.#continue();
    });
  }

  relocate(to: string): Change {
    return this.#change(() => {
      this.#heldLock.check();
      markMoved(this.#files, to);
    });
  }

  async close(hasFailed: boolean): Promise<void> {
    this.#journal.close();
    try {
      if (!hasFailed) this.#leaveCheckpoint();
    } catch {
      // The journal has everything, and the next session writes a checkpoint.
    }
    this.#heldLock.release();
  }

  #change(make: () => void): Change {
    return async () => orProblem(this.place, "written", make);
  }

  #continue(): void {
    this.#checkpointSerial = this.#state.serial;
    this.#journal.continueWith(readJournal(this.#files.journal, this.place));
  }

  #leaveCheckpoint(): void {
    if (this.#filling.filling !== null) return;
    const snapshot = this.#state.snapshot();
    if (snapshot !== undefined && snapshot.serial !== this.#checkpointSerial) this.#write(snapshot);
  }

  /** Writes a checkpoint before the journal's first line, so that a crash never leaves a journal without one. */
  #writeFirstCheckpoint({ entry, head }: Linked): void {
    const begun = new State();
    begun.take(entry, head);
    const snapshot = begun.snapshot();
    if (snapshot === undefined) return;
    orProblem(this.#files.shown.checkpoint, "written", () =>
      this.#write({ ...snapshot, serial: 0, head: "" }),
    );
  }

  #write(snapshot: Snapshot): void {
    this.#journal.check();
    writeCheckpoint(this.#files.checkpoint, temporaryFile(this.#files), snapshot);
    this.#checkpointSerial = snapshot.serial;
  }
}

function attempt(act: () => Loaded): { loaded: Loaded } | { problem: StateProblem } {
  try {
    return { loaded: act() };
  } catch (error) {
    if (error instanceof StateProblem) return { problem: error };
    throw error;
  }
}
