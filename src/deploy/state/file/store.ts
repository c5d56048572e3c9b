import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Snapshot, StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import { refuseMarked } from "../marks.ts";
import { type Patience, standardPatience } from "../persist.ts";
import { type Change, type SessionBackend, WritingSession } from "../session.ts";
import { State } from "../state.ts";
import {
  type Claim,
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
  type Extent,
  type Files,
  type Loaded,
  doubtOf,
  fillingOf,
  load,
  markMoved,
  marksOfMoved,
  movedTo,
  notesOf,
  temporaryFile,
} from "./load.ts";
import { FileLock, type Grip } from "./lock.ts";

/**
 * A state in three files:
 *
 * - `<environment>.journal.jsonl` has every event. It alone decides what the state is.
 * - `<environment>.json`, the checkpoint, is the state as the last session left it. It
 *   saves reading the whole journal, and shows how far the journal has to reach. It is
 *   used only if it fits the journal.
 * - `<environment>.lock` exists while a session lasts.
 *
 * And `<environment>.moved`, once the state was moved to another store. While the state is
 * being filled, a mark takes the place of the checkpoint (see `FileFilling`).
 */
export class FileStore implements StateStore {
  readonly place: string;
  readonly lockFile: string;
  readonly #files: Files;
  readonly #lock: FileLock;
  readonly #now: () => Date;
  readonly #patience: number;

  /** The folder is `.ivrctl/state` of a project. It need not exist yet. */
  constructor(
    folder: string,
    environment: string,
    now: () => Date = () => new Date(),
    patience = standardPatience,
  ) {
    const shown = `${basename(dirname(folder))}/${basename(folder)}/${environment}`;
    this.#files = {
      folder,
      name: environment,
      checkpoint: join(folder, `${environment}.json`),
      journal: join(folder, `${environment}.journal.jsonl`),
      moved: join(folder, `${environment}.moved`),
      shown: {
        checkpoint: `${shown}.json`,
        journal: `${shown}.journal.jsonl`,
        moved: `${shown}.moved`,
      },
    };
    this.place = this.#files.shown.checkpoint;
    this.lockFile = `${shown}.lock`;
    this.#lock = new FileLock({ folder, name: environment, shown: this.lockFile }, now);
    this.#now = now;
    this.#patience = patience;
  }

  async read(): Promise<Reading> {
    this.#refuseMoved();
    const { loaded, isQuiet } = await this.#observe("the state");
    return { state: loaded.state, notes: isQuiet ? notesOf(loaded, this.#files) : [] };
  }

  async history(): Promise<readonly Linked[]> {
    return (await this.#observe("every entry")).loaded.entries;
  }

  async lock(claim: Claim): Promise<Locked> {
    const taken = await this.#lock.take(claim);
    if (taken.kind === "held") return taken;
    const { grip } = taken;
    try {
      this.#refuseMoved(claim.accepts);
      orProblem(this.#files.shown.journal, "written", () => this.#tidy(grip));
      const loaded = load(this.#files, "the state");
      this.#refuseFilling(loaded, claim.accepts);
      this.#refuseDoubtful(loaded, claim.accepts);
      const notes = [...taken.notes, ...notesOf(loaded, this.#files)];
      return { kind: "locked", session: this.#session(grip, loaded, claim), notes };
    } catch (error) {
      grip.release();
      throw error;
    }
  }

  async holder(): Promise<Lock | null> {
    return this.#lock.holder();
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#lock.unlock(id);
  }

  #session(grip: Grip, loaded: Loaded, claim: Claim): WritingSession {
    const { stop, watcher } = claim;
    // If nobody is notified that the disk is full, nobody can make space.
    const patience = watcher === undefined ? 0 : this.#patience;
    const backend = new FileBackend(this.#files, grip, loaded, { patience, stop, watcher });
    const filling = fillingOf(loaded.checkpoint);
    return new WritingSession(
      backend,
      { state: loaded.state, movedTo: movedTo(this.#files), filling },
      { environment: this.#files.name, claim, now: this.#now, patience },
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

  #refuseDoubtful(loaded: Loaded, accepts: Claim["accepts"] = []): void {
    // A state that comes back is copied from the store that has all of it.
    if (accepts.includes("unwitnessed") || accepts.includes("moved")) return;
    const doubt = doubtOf(loaded, this.#files);
    if (doubt !== undefined) throw doubt;
  }

  /** Removes what dead runs left, and keeps a run whose lock was released from writing. */
  #tidy(grip: Grip): void {
    grip.cleanUp();
    const released = grip.released();
    if (released.length === 0) return;
    renewJournal(this.#files.journal, temporaryFile(this.#files));
    for (const path of released) rmSync(path, { force: true });
  }

  /**
   * Reads without the lock, so a session may be writing. Then half a line is only a line
   * that is not complete yet, and a tail that is just being replaced can look like damage.
   * Both count only if two looks in a row show the same, or if every look shows something
   * else for as long as anyone would wait.
   */
  async #observe(what: Extent): Promise<{ loaded: Loaded; isQuiet: boolean }> {
    let before: string | undefined;
    for (let looks = 1; ; looks += 1) {
      const seen = attempt(() => load(this.#files, what));
      const isQuiet = !this.#lock.taken;
      const doubt = "problem" in seen ? seen.problem.message : this.#oddity(seen.loaded, isQuiet);
      if (doubt === undefined || doubt === before || looks === mostLooks) {
        if ("problem" in seen) throw seen.problem;
        this.#refuseFilling(seen.loaded);
        return { loaded: seen.loaded, isQuiet: isQuiet && looks < mostLooks };
      }
      before = doubt;
      await sleep(5);
    }
  }

  /** What is strange about the files, unless a session explains it. */
  #oddity(loaded: Loaded, isQuiet: boolean): string | undefined {
    const { journal } = loaded;
    if (!isQuiet) return undefined;
    if (journal.torn) return `${journal.end} of ${journal.bytes.length}`;
    return doubtOf(loaded, this.#files)?.message;
  }
}

const mostLooks = 200;

/** Makes the changes of a session in the files. */
class FileBackend implements SessionBackend {
  readonly place: string;
  readonly #files: Files;
  readonly #grip: Grip;
  readonly #state: State;
  readonly #journal: JournalWriter;
  readonly #filling: FileFilling;
  /** The serial of the checkpoint; undefined if there is none that can be used. */
  #covered: number | undefined;

  constructor(
    files: Files,
    grip: Grip,
    { state, journal, checkpoint }: Loaded,
    patience: Patience,
  ) {
    this.place = files.shown.journal;
    this.#files = files;
    this.#grip = grip;
    this.#state = state;
    const mark = checkpoint.kind === "filling" ? checkpoint.mark : null;
    this.#filling = new FileFilling(files, grip, state, mark);
    this.#covered = checkpoint.kind === "sound" ? checkpoint.snapshot.serial : undefined;
    const place = { path: files.journal, shown: this.place, fence: () => grip.check() };
    this.#journal = new JournalWriter(place, journal, patience);
  }

  makeRoom(events: readonly StateEvent[]): Promise<void> | undefined {
    return this.#journal.makeRoom(events);
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
      this.#grip.check();
      markMoved(this.#files, to);
    });
  }

  async close(hasFailed: boolean): Promise<void> {
    try {
      this.#journal.trim();
      if (!hasFailed) this.#leaveCheckpoint();
    } catch {
      // The journal has everything, and the next session leaves a checkpoint.
    }
    this.#journal.close();
    this.#grip.release();
  }

  #change(make: () => void): Change {
    return async () => orProblem(this.place, "written", make);
  }

  #continue(): void {
    this.#covered = this.#state.serial;
    this.#journal.continueWith(readJournal(this.#files.journal, this.place));
  }

  #leaveCheckpoint(): void {
    if (this.#filling.filling !== null) return;
    const snapshot = this.#state.snapshot();
    if (snapshot !== undefined && snapshot.serial !== this.#covered) this.#write(snapshot);
  }

  /** Comes before the journal's first line, so that a crash never leaves a journal without a checkpoint. */
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
    this.#covered = snapshot.serial;
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
