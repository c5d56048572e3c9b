import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Entry, EntrySchema, type StateEvent } from "../../schema/state.ts";
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { orProblem } from "./disk.ts";
import { FileLock, type Grip, temporaryFile } from "./file-lock.ts";
import { JournalWriter, renewJournal } from "./journal-writer.ts";
import { type Journal, damage, readJournal, replay } from "./journal.ts";
import { Contradiction, State, type StateView } from "./state.ts";
import {
  type Claim,
  type Lock,
  type Locked,
  type Reading,
  type Session,
  StateProblem,
  type StateStore,
} from "./store.ts";

/**
 * A state in three files:
 *
 * - `<environment>.journal.jsonl`, every event: the truth.
 * - `<environment>.json`, the state as the last session left it, for people and
 *   for speed. It is believed only where it fits the journal.
 * - `<environment>.lock`, while a session lasts.
 */
export class FileStore implements StateStore {
  readonly place: string;
  readonly #files: Files;
  readonly #lock: FileLock;
  readonly #now: () => Date;

  /** The folder is `.ivrctl/state` of a project, which need not be there yet. */
  constructor(folder: string, environment: string, now: () => Date = () => new Date()) {
    const shown = `${basename(dirname(folder))}/${basename(folder)}/${environment}`;
    this.#files = {
      folder,
      name: environment,
      checkpoint: join(folder, `${environment}.json`),
      journal: join(folder, `${environment}.journal.jsonl`),
      shown: {
        checkpoint: `${shown}.json`,
        journal: `${shown}.journal.jsonl`,
        lock: `${shown}.lock`,
      },
    };
    this.place = this.#files.shown.checkpoint;
    this.#lock = new FileLock({ folder, name: environment, shown: `${shown}.lock` }, now);
    this.#now = now;
  }

  async read(): Promise<Reading> {
    const { loaded, quiet } = await this.#observe("the state");
    return { state: loaded.state, notes: quiet ? notesOf(loaded, this.#files) : [] };
  }

  async history(): Promise<readonly Entry[]> {
    return (await this.#observe("every entry")).loaded.entries;
  }

  async lock(claim: Claim): Promise<Locked> {
    const taken = await this.#lock.take(claim);
    if (taken.kind === "held") return taken;
    const { grip } = taken;
    try {
      orProblem(this.#files.shown.journal, "written", () => this.#begin(grip));
      const loaded = load(this.#files, "the state");
      const session = new FileSession(this.#files, grip, loaded, claim, this.#now);
      return {
        kind: "locked",
        session,
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

  async unlock(id: string): Promise<boolean> {
    return this.#lock.unlock(id);
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
   * can look like damage. Neither is believed unless it is seen twice the same.
   */
  async #observe(what: Extent): Promise<{ loaded: Loaded; quiet: boolean }> {
    let before: string | undefined;
    for (;;) {
      const seen = attempt(() => load(this.#files, what));
      const quiet = this.#lock.holder() === null;
      const doubt = "problem" in seen ? seen.problem.message : tornAt(seen.loaded, quiet);
      if (doubt === undefined || doubt === before) {
        if ("problem" in seen) throw seen.problem;
        return { loaded: seen.loaded, quiet };
      }
      before = doubt;
      await sleep(5);
    }
  }
}

interface Files {
  readonly folder: string;
  readonly name: string;
  readonly checkpoint: string;
  readonly journal: string;
  /** As people are told them. */
  readonly shown: { readonly checkpoint: string; readonly journal: string; readonly lock: string };
}

class FileSession implements Session {
  readonly #files: Files;
  readonly #grip: Grip;
  readonly #claim: Claim;
  readonly #now: () => Date;
  readonly #state: State;
  /** With what waits to be written: a contradiction is told before it is on disk. */
  readonly #ahead: State;
  readonly #writer: JournalWriter;
  readonly #begun: number;
  #misused: { readonly error: unknown } | undefined;
  #closed: Promise<void> | undefined;

  constructor(files: Files, grip: Grip, loaded: Loaded, claim: Claim, now: () => Date) {
    const { state, journal } = loaded;
    const snapshot = state.snapshot();
    this.#files = files;
    this.#grip = grip;
    this.#claim = claim;
    this.#now = now;
    this.#state = state;
    this.#begun = state.serial;
    this.#ahead = snapshot === undefined ? new State() : State.of(snapshot);
    this.#writer = new JournalWriter(
      {
        path: files.journal,
        shown: files.shown.journal,
        fence: () => grip.check(),
        durable: (entry) => state.take(entry),
      },
      journal,
    );
  }

  get state(): StateView {
    return this.#state;
  }

  async append(...events: readonly StateEvent[]): Promise<void> {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    const failure = this.#writer.failure ?? this.#misused;
    if (failure !== undefined) throw failure.error;
    let entries: readonly Entry[];
    try {
      entries = events.map((event) => this.#next(event));
    } catch (error) {
      // Those of this call that did fit are ahead now of what will be written.
      this.#misused = { error };
      throw error;
    }
    await this.#writer.append(entries);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#writer.settled();
    try {
      this.#leaveCheckpoint();
    } catch {
      // The journal holds everything; the next session leaves one.
    }
    this.#writer.close();
    this.#grip.release();
  }

  #next(event: StateEvent): Entry {
    if (event.kind === "begun" && event.environment !== this.#files.name) {
      throw new Contradiction(`${event.environment} is not ${this.#files.name}`);
    }
    const seq = this.#ahead.serial + 1;
    const { id: run, by } = this.#claim;
    // What is written has to be readable: a line that is refused is refused for ever.
    const entry = EntrySchema.parse({ seq, at: this.#now().toISOString(), run, by, event });
    this.#ahead.take(entry);
    return entry;
  }

  #leaveCheckpoint(): void {
    const snapshot = this.#state.snapshot();
    if (snapshot === undefined || snapshot.serial === this.#begun) return;
    if (this.#writer.failure !== undefined) return;
    this.#writer.check();
    const { checkpoint } = this.#files;
    writeCheckpoint(checkpoint, temporaryFile(this.#files), snapshot, this.#writer.covered);
  }
}

interface Loaded {
  readonly state: State;
  /** Those that were read one by one. */
  readonly entries: readonly Entry[];
  readonly checkpoint: Checkpoint["kind"];
  readonly journal: Journal;
}

/** Entries that the checkpoint stands for are read only where every one is asked for. */
type Extent = "the state" | "every entry";

function load(files: Files, what: Extent): Loaded {
  // In this order: what a checkpoint covers was in the journal before, and stays
  // there. A journal that is read after it holds that at least, even where a
  // writer has put a later checkpoint in its place meanwhile.
  const checkpoint = readCheckpoint(files.checkpoint, files.shown.checkpoint);
  const journal = readJournal(files.journal, files.shown.journal);
  refuseLoss(checkpoint, journal, files);
  const sound = what === "the state" && checkpoint.kind === "sound";
  const state = sound ? State.of(checkpoint.snapshot) : new State();
  const entries = replay(journal, state.serial, state, files.shown.journal);
  const environment = state.origin?.environment ?? files.name;
  if (environment !== files.name) {
    throw damage(
      `${files.shown.journal}:1 begins the state of the environment ${environment}, not of ${files.name}.`,
      " Names of environments have to differ in more than capital letters.",
    );
  }
  return { state, entries, checkpoint: checkpoint.kind, journal };
}

/** A checkpoint is proof of events: the journal has to have them. */
function refuseLoss(checkpoint: Checkpoint, { lines, inode }: Journal, { shown }: Files): void {
  if (checkpoint.kind === "missing") return;
  const events = checkpoint.kind === "sound" ? checkpoint.snapshot.serial : 1;
  const last = lines[events - 1];
  if (last === undefined) {
    const least = checkpoint.kind === "sound" ? `${events} events` : "events";
    throw damage(
      inode === undefined
        ? `${shown.journal} is missing, and ${shown.checkpoint} was made from it.`
        : `${shown.journal}:${lines.length + 1} is where the journal ends, and ${shown.checkpoint} was made from ${least} of it.`,
    );
  }
  if (checkpoint.kind !== "sound") return;
  const { bytes, sum } = checkpoint.journal;
  if (last.end !== bytes || last.sum !== sum) {
    throw damage(
      `${shown.journal}:${events} is not the line that ${shown.checkpoint} was made from: the two are of different histories.`,
      ` If you know that the journal is the right one, take ${shown.checkpoint} away.`,
    );
  }
}

function notesOf({ checkpoint, journal }: Loaded, { shown }: Files): readonly string[] {
  const notes: string[] = [];
  const file = shown.checkpoint;
  if (checkpoint === "cut off") {
    notes.push(`${file} is cut off. The state was made anew from its journal: nothing is lost.`);
  }
  if (checkpoint === "edited") {
    notes.push(
      `${file} was edited, which changes nothing: the journal is what counts, and the state was made anew from it.`,
    );
  }
  if (checkpoint === "missing" && journal.lines.length > 0) {
    notes.push(`${file} is missing. The state was made anew from its journal: nothing is lost.`);
  }
  if (journal.torn) {
    notes.push(
      `${shown.journal}:${journal.lines.length + 1} was left unfinished by a crash and does not count: nothing relied on it yet.`,
    );
  }
  return notes;
}

/** While somebody writes, it is no more than that. */
function tornAt({ journal }: Loaded, quiet: boolean): string | undefined {
  return quiet && journal.torn ? `${journal.end} of ${journal.bytes.length}` : undefined;
}

function attempt(act: () => Loaded): { loaded: Loaded } | { problem: StateProblem } {
  try {
    return { loaded: act() };
  } catch (error) {
    if (error instanceof StateProblem) return { problem: error };
    throw error;
  }
}
