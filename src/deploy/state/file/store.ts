import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Snapshot, StateEvent } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { standardPatience } from "../connection-lost.ts";
import { orProblem } from "./disk.ts";
import { FileFilling } from "./filling.ts";
import { markMoved, movedTo } from "./moved.ts";
import { FileLock, type Grip, temporaryFile } from "./lock.ts";
import { JournalWriter, renewJournal } from "./journal-writer.ts";
import type { Moment } from "../moment.ts";
import { readJournal } from "./journal.ts";
import {
  type Extent,
  type Files,
  type Loaded,
  doubtOf,
  load,
  notesOf,
  readCheckpoint,
} from "../loaded.ts";
import { beingFilled, movedAway } from "../moved.ts";
import type { Patience } from "../persist.ts";
import { Sequencer } from "../sequencer.ts";
import { type SessionWriter, WritingSession } from "../session.ts";
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

/**
 * A state in three files:
 *
 * - `<environment>.journal.jsonl`, every event: the truth.
 * - `<environment>.json`, the state as the last session left it, for people and
 *   for speed, and the witness of how far the journal reaches. It is believed only
 *   where it fits the journal.
 * - `<environment>.lock`, while a session lasts.
 *
 * And `<environment>.moved`, once the state has gone elsewhere. While the state is
 * filled from elsewhere, `<environment>.json` says so instead.
 */
export class FileStore implements StateStore {
  readonly place: string;
  readonly lockFile: string;
  readonly #files: Files;
  readonly #lock: FileLock;
  readonly #now: () => Date;
  readonly #patience: number;

  /** The folder is `.ivrctl/state` of a project, which need not be there yet. */
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
    const moved = movedTo(this.#files);
    if (moved !== null) throw this.#elsewhere(moved);
    const { loaded, quiet } = await this.#observe("the state");
    return { state: loaded.state, notes: quiet ? notesOf(loaded, this.#files) : [] };
  }

  async history(): Promise<readonly Linked[]> {
    return (await this.#observe("every entry")).loaded.entries;
  }

  async lock(claim: Claim): Promise<Locked> {
    const taken = await this.#lock.take(claim);
    if (taken.kind === "held") return taken;
    const { grip } = taken;
    try {
      const { accepts = [] } = claim;
      const moved = movedTo(this.#files);
      if (moved !== null && !accepts.includes("moved")) throw this.#elsewhere(moved, accepts);
      orProblem(this.#files.shown.journal, "written", () => this.#begin(grip));
      const loaded = load(this.#files, "the state");
      if (!accepts.includes("filling")) this.#refuseFilling(loaded);
      // A state that comes back is copied from where the whole of it is.
      const trusted = accepts.includes("unwitnessed") || accepts.includes("moved");
      const doubt = trusted ? undefined : doubtOf(loaded, this.#files);
      if (doubt !== undefined) throw doubt;
      const { state } = loaded;
      const sequencer = new Sequencer(state, this.#files.name, claim, this.#now);
      const { stop, watcher } = claim;
      // Where nobody is told, nobody waits.
      const patience = watcher === undefined ? 0 : this.#patience;
      const writer = new FileWriter(this.#files, grip, loaded, { patience, stop, watcher });
      return {
        kind: "locked",
        session: new WritingSession(state, sequencer, writer),
        notes: [...taken.notes, ...notesOf(loaded, this.#files)],
      };
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

  /** A state that comes back is being filled, which matters more than that it was moved away. */
  #elsewhere(to: string, accepts: NonNullable<Claim["accepts"]> = []): StateProblem {
    const checkpoint = readCheckpoint(this.#files);
    if (checkpoint.kind === "filling" && !accepts.includes("filling")) {
      return beingFilled(this.#files.name, this.place, checkpoint.mark.filling);
    }
    return movedAway(this.#files.name, this.place, to);
  }

  #refuseFilling({ checkpoint }: Loaded): void {
    if (checkpoint.kind !== "filling") return;
    throw beingFilled(this.#files.name, this.place, checkpoint.mark.filling);
  }

  #begin(grip: Grip): void {
    grip.cleanUp();
    const released = grip.released();
    if (released.length === 0) return;
    renewJournal(this.#files.journal, temporaryFile(this.#files));
    for (const path of released) rmSync(path, { force: true });
  }

  /**
   * Without the lock, a writer may be at work: then half a line is only one that
   * is not yet whole, and a tail that is just being taken away and written anew
   * can look like damage. Neither is believed unless it is seen twice the same,
   * or something else each time for as long as anyone would wait.
   */
  async #observe(what: Extent): Promise<{ loaded: Loaded; quiet: boolean }> {
    let before: string | undefined;
    for (let looks = 1; ; looks += 1) {
      const seen = attempt(() => load(this.#files, what));
      const quiet = !this.#lock.taken;
      const doubt = "problem" in seen ? seen.problem.message : this.#oddity(seen.loaded, quiet);
      if (doubt === undefined || doubt === before || looks === mostLooks) {
        if ("problem" in seen) throw seen.problem;
        this.#refuseFilling(seen.loaded);
        return { loaded: seen.loaded, quiet: quiet && looks < mostLooks };
      }
      before = doubt;
      await sleep(5);
    }
  }

  /** While somebody writes, it is no more than that. */
  #oddity(loaded: Loaded, quiet: boolean): string | undefined {
    const { journal } = loaded;
    if (!quiet) return undefined;
    if (journal.torn) return `${journal.end} of ${journal.bytes.length}`;
    return doubtOf(loaded, this.#files)?.message;
  }
}

const mostLooks = 200;

/** What a session leaves to the files. */
class FileWriter implements SessionWriter {
  readonly place: string;
  readonly #files: Files;
  readonly #grip: Grip;
  readonly #state: State;
  readonly #journal: JournalWriter;
  readonly #filling: FileFilling;
  /** The serial of the checkpoint that is there; undefined where it is not a sound one. */
  #witnessed: number | undefined;

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
    this.#witnessed = checkpoint.kind === "sound" ? checkpoint.snapshot.serial : undefined;
    this.#journal = new JournalWriter(
      {
        path: files.journal,
        shown: files.shown.journal,
        fence: () => grip.check(),
        durable: ({ entry, head }) => state.take(entry, head),
      },
      journal,
      patience,
    );
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#journal.failure;
  }

  get confirmed(): Moment | undefined {
    return this.#journal.confirmed;
  }

  makeRoom(events: readonly StateEvent[]): Promise<void> | undefined {
    return this.#journal.makeRoom(events);
  }

  append(linked: readonly Linked[]): Promise<void> {
    const [first] = linked;
    if (first?.entry.seq !== 1) return this.#journal.append(linked);
    // Where this fails, everything fails that waits behind it.
    this.#journal.act(() => this.#leaveFirstCheckpoint(first)).catch(() => {});
    return this.#journal.append(linked);
  }

  confirm(): Promise<void> {
    return this.#journal.act(() => this.#journal.check());
  }

  get movedTo(): string | null {
    return movedTo(this.#files);
  }

  get filling(): Filling | null {
    return this.#filling.filling;
  }

  fill(filling: Filling): Promise<void> {
    return this.#act(() => this.#filling.begin(filling));
  }

  stage(linked: readonly Linked[]): Promise<void> {
    return this.#act(() => this.#filling.stage(linked));
  }

  async staged(): Promise<readonly Linked[]> {
    return this.#filling.staged();
  }

  seal(filling: Filling): Promise<void> {
    return this.#act(() => this.#filling.seal(filling));
  }

  open(): Promise<void> {
    return this.#act(() => {
      this.#filling.open();
      this.#goOn();
    });
  }

  discard(): Promise<void> {
    return this.#act(() => {
      this.#filling.discard();
      this.#goOn();
    });
  }

  relocate(to: string): Promise<void> {
    return this.#act(() => {
      this.#grip.check();
      markMoved(this.#files, to);
    });
  }

  async close(): Promise<void> {
    await this.#journal.settled();
    try {
      this.#journal.trim();
      this.#leaveCheckpoint();
    } catch {
      // The journal holds everything; the next session leaves one.
    }
    this.#journal.close();
    this.#grip.release();
  }

  /** In its turn, under the lock. */
  #act(deed: () => void): Promise<void> {
    return this.#journal.act(() => orProblem(this.place, "written", deed));
  }

  #goOn(): void {
    this.#witnessed = this.#state.serial;
    this.#journal.goOnWith(readJournal(this.#files.journal, this.place));
  }

  #leaveCheckpoint(): void {
    if (this.filling !== null) return;
    const snapshot = this.#state.snapshot();
    if (snapshot === undefined || snapshot.serial === this.#witnessed) return;
    if (this.#journal.failure !== undefined) return;
    this.#write(snapshot);
  }

  /** Before the journal's first line, so that a crash never leaves a journal alone. */
  #leaveFirstCheckpoint({ entry, head }: Linked): void {
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
    this.#witnessed = snapshot.serial;
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
