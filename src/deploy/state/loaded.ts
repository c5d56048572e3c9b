import type { Linked } from "./chain.ts";
import { type Checkpoint, type Witness, checkpointOf } from "./file/checkpoint.ts";
import { readIfThere } from "./file/disk.ts";
import { type Journal, damage, readJournal, replay, restoreHint } from "./file/journal.ts";
import { suggest } from "../../util/suggest.ts";
import { State } from "./state.ts";
import { type Note, StateProblem } from "./store.ts";

/** Where the files of a state are. */
export interface Files {
  readonly folder: string;
  readonly name: string;
  readonly checkpoint: string;
  readonly journal: string;
  readonly moved: string;
  /** As people are told them. */
  readonly shown: {
    readonly checkpoint: string;
    readonly journal: string;
    readonly moved: string;
  };
}

type Shown = Pick<Files["shown"], "checkpoint" | "journal">;
interface Named {
  readonly name: string;
  readonly shown: Shown;
}

export interface Loaded {
  readonly state: State;
  /** Those that were read one by one. */
  readonly entries: readonly Linked[];
  readonly checkpoint: Checkpoint;
  readonly journal: Journal;
}

/** Entries that the checkpoint stands for are read only where every one is asked for. */
export type Extent = "the state" | "every entry";

export function load(files: Files, what: Extent): Loaded {
  const { shown } = files;
  // In this order: what a checkpoint covers was in the journal before, and stays
  // there. A journal that is read after it holds that at least, even where a
  // writer has put a later checkpoint in its place meanwhile.
  const checkpoint = readCheckpoint(files);
  const journal = readJournal(files.journal, shown.journal);
  return together(checkpoint, journal, files, what);
}

export function readCheckpoint({ checkpoint, shown }: Files): Checkpoint {
  return checkpointOf(readIfThere(checkpoint, shown.checkpoint), shown.checkpoint);
}

/** What the two files say, or why they cannot be believed. */
export function together(
  checkpoint: Checkpoint,
  journal: Journal,
  { name, shown }: Named,
  what: Extent,
): Loaded {
  refuseLoss(checkpoint, journal, shown);
  const snapshot = checkpoint.kind === "sound" ? checkpoint.snapshot : undefined;
  const covers = what === "the state" && snapshot !== undefined && snapshot.serial > 0;
  const state = covers ? State.of(snapshot) : new State();
  // A state that is being filled is what was there before.
  const { lines: all } = journal;
  const lines = checkpoint.kind === "filling" ? all.slice(0, checkpoint.mark.serial) : all;
  const entries = replay({ ...journal, lines }, state.serial, state, shown.journal);
  const environment = state.origin?.environment ?? name;
  if (environment !== name) {
    throw damage(
      { file: shown.journal, line: 1 },
      `begins the state of the environment ${environment}, not of ${name}.`,
      `${restoreHint} Names of environments have to differ in more than capital letters.`,
    );
  }
  return { state, entries, checkpoint, journal };
}

/** The event that the journal is known to reach; undefined where there is no saying. */
function witnessOf(checkpoint: Checkpoint): Witness | undefined {
  if (checkpoint.kind === "sound") return checkpoint.snapshot;
  if (checkpoint.kind === "filling") return checkpoint.mark;
  return checkpoint.kind === "edited" ? checkpoint.witness : undefined;
}

/** A checkpoint is proof of events: the journal has to have them. */
function refuseLoss(checkpoint: Checkpoint, { lines, inode }: Journal, shown: Shown): void {
  if (checkpoint.kind === "missing") return;
  const witness = witnessOf(checkpoint);
  if (witness?.serial === 0) return;
  const events = witness?.serial ?? 1;
  const last = lines[events - 1];
  if (last === undefined) {
    const least = witness === undefined ? "events" : `${events} events`;
    throw inode === undefined
      ? damage({ file: shown.journal }, `is missing, and ${shown.checkpoint} was made from it.`)
      : damage(
          { file: shown.journal, line: lines.length + 1 },
          `is where the journal ends, and ${shown.checkpoint} was made from ${least} of it.`,
        );
  }
  if (witness !== undefined && last.head !== witness.head) {
    throw damage(
      { file: shown.journal, line: events },
      `is not the line that ${shown.checkpoint} was made from: the two are of different histories.`,
      `${restoreHint} If you know that the journal is the right one, take ${shown.checkpoint} away.`,
    );
  }
}

/**
 * Why newer events may be missing: nothing beside the journal says how far it has to
 * reach. A crash does not do that. It may be read, and nothing is added to it before a
 * person has said that it is the newest one.
 */
export function doubtOf(
  { checkpoint, journal, entries }: Loaded,
  { name, shown }: Named,
): StateProblem | undefined {
  if (witnessOf(checkpoint) !== undefined || journal.lines.length === 0) return undefined;
  const what = {
    missing: "is missing",
    "cut off": "is cut off",
    edited: "was edited so that it cannot be read",
    sound: "",
    filling: "",
  }[checkpoint.kind];
  const last = entries.at(-1)?.entry;
  const end = last === undefined ? "" : `, recorded ${last.at} by ${last.by}`;
  return new StateProblem(
    "IVR629",
    `${shown.checkpoint} ${what}, so ivrctl cannot tell whether ${shown.journal} is the newest one. It ends with event ${journal.lines.length}${end}. What was created after that would be created again.`,
    `Restore both files from git or a backup. If you are sure that this event is the last one, run: ${suggest("state accept", [], name)}`,
    { file: shown.checkpoint },
  );
}

/** What a person should know of it. */
export function notesOf(loaded: Loaded, { name, shown }: Files): readonly Note[] {
  const { checkpoint, journal } = loaded;
  const notes: Note[] = [];
  const doubt = doubtOf(loaded, { name, shown });
  if (doubt !== undefined) notes.push(doubt);
  else if (checkpoint.kind === "edited") {
    notes.push(
      `${shown.checkpoint} was edited, which changes nothing: the journal is what counts, and the state was made from it.`,
    );
  }
  if (journal.torn) {
    const at = { file: shown.journal, line: journal.lines.length + 1 };
    notes.push(
      new StateProblem(
        "IVR605",
        `${at.file}:${at.line} was left unfinished by a crash and does not count: nothing relied on it yet.`,
        undefined,
        at,
      ),
    );
  }
  return notes;
}
