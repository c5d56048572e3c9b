import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateEvent } from "../../schema/state.ts";
import type { Linked } from "./chain.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { standardPatience } from "./connection-lost.ts";
import { orProblem } from "./disk.ts";
import { markMoved, refuseMoved } from "./file-moved.ts";
import { FileLock, type Grip, temporaryFile } from "./file-lock.ts";
import { JournalWriter, renewJournal } from "./journal-writer.ts";
import type { Moment } from "./moment.ts";
import { type Extent, type Files, type Loaded, load, notesOf } from "./loaded.ts";
import type { Patience } from "./persist.ts";
import { Sequencer } from "./sequencer.ts";
import { type SessionWriter, WritingSession } from "./session.ts";
import type { State } from "./state.ts";
import {
  type Claim,
  type Lock,
  type Locked,
  type Reading,
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
 *
 * And `<environment>.moved`, once the state has gone elsewhere.
 */
export class FileStore implements StateStore {
  readonly place: string;
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
      },
    };
    this.place = this.#files.shown.checkpoint;
    this.#lock = new FileLock({ folder, name: environment, shown: `${shown}.lock` }, now);
    this.#now = now;
    this.#patience = patience;
  }

  async read(): Promise<Reading> {
    refuseMoved(this.#files);
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
      if (claim.returning !== true) refuseMoved(this.#files);
      orProblem(this.#files.shown.journal, "written", () => this.#begin(grip));
      const loaded = load(this.#files, "the state");
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
   * can look like damage. Neither is believed unless it is seen twice the same,
   * or something else each time for as long as anyone would wait.
   */
  async #observe(what: Extent): Promise<{ loaded: Loaded; quiet: boolean }> {
    let before: string | undefined;
    for (let looks = 1; ; looks += 1) {
      const seen = attempt(() => load(this.#files, what));
      const quiet = !this.#lock.taken;
      const doubt = "problem" in seen ? seen.problem.message : tornAt(seen.loaded, quiet);
      if (doubt === undefined || doubt === before || looks === mostLooks) {
        if ("problem" in seen) throw seen.problem;
        return { loaded: seen.loaded, quiet: quiet && looks < mostLooks };
      }
      before = doubt;
      await sleep(5);
    }
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
  readonly #begun: number;

  constructor(files: Files, grip: Grip, { state, journal }: Loaded, patience: Patience) {
    this.place = files.shown.journal;
    this.#files = files;
    this.#grip = grip;
    this.#state = state;
    this.#begun = state.serial;
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
    return this.#journal.append(linked);
  }

  confirm(): Promise<void> {
    return this.#journal.act(() => this.#journal.check());
  }

  relocate(to: string | null): Promise<void> {
    return this.#journal.act(() => {
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

  #leaveCheckpoint(): void {
    const snapshot = this.#state.snapshot();
    if (snapshot === undefined || snapshot.serial === this.#begun) return;
    if (this.#journal.failure !== undefined) return;
    this.#journal.check();
    writeCheckpoint(this.#files.checkpoint, temporaryFile(this.#files), snapshot);
  }
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
