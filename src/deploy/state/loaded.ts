import type { Linked } from "./chain.ts";
import { type Checkpoint, type FillingMark, checkpointOf } from "./checkpoint.ts";
import { readIfThere } from "./disk.ts";
import { type Journal, damage, readJournal, replay } from "./journal.ts";
import { State } from "./state.ts";

/** Where the files of a state are. */
export interface Files {
  readonly folder: string;
  readonly name: string;
  readonly checkpoint: string;
  readonly journal: string;
  readonly moved: string;
  /** As people are told them. */
  readonly shown: { readonly checkpoint: string; readonly journal: string };
}

export interface Loaded {
  readonly state: State;
  /** Those that were read one by one. */
  readonly entries: readonly Linked[];
  readonly checkpoint: Checkpoint["kind"];
  /** Of a state that is being filled; `state` is then what was there before. */
  readonly mark: FillingMark | null;
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
  { name, shown }: Pick<Files, "name" | "shown">,
  what: Extent,
): Loaded {
  refuseLoss(checkpoint, journal, shown);
  const sound = what === "the state" && checkpoint.kind === "sound";
  const state = sound ? State.of(checkpoint.snapshot) : new State();
  const mark = checkpoint.kind === "filling" ? checkpoint.mark : null;
  const lines = mark === null ? journal.lines : journal.lines.slice(0, mark.serial);
  const entries = replay({ ...journal, lines }, state.serial, state, shown.journal);
  const environment = state.origin?.environment ?? name;
  if (environment !== name) {
    throw damage(
      `${shown.journal}:1 begins the state of the environment ${environment}, not of ${name}.`,
      " Names of environments have to differ in more than capital letters.",
    );
  }
  return { state, entries, checkpoint: checkpoint.kind, mark, journal };
}

/** A checkpoint is proof of events: the journal has to have them. */
function refuseLoss(
  checkpoint: Checkpoint,
  { lines, inode }: Journal,
  shown: Files["shown"],
): void {
  if (checkpoint.kind === "missing") return;
  const proof = proofOf(checkpoint);
  const events = proof?.serial ?? 1;
  if (events === 0) return;
  const last = lines[events - 1];
  if (last === undefined) {
    const least = proof === undefined ? "events" : `${events} events`;
    throw damage(
      inode === undefined
        ? `${shown.journal} is missing, and ${shown.checkpoint} was made from it.`
        : `${shown.journal}:${lines.length + 1} is where the journal ends, and ${shown.checkpoint} was made from ${least} of it.`,
    );
  }
  if (proof !== undefined && last.head !== proof.head) {
    throw damage(
      `${shown.journal}:${events} is not the line that ${shown.checkpoint} was made from: the two are of different histories.`,
      ` If you know that the journal is the right one, take ${shown.checkpoint} away.`,
    );
  }
}

function proofOf(checkpoint: Checkpoint): Pick<FillingMark, "serial" | "head"> | undefined {
  if (checkpoint.kind === "sound") return checkpoint.snapshot;
  return checkpoint.kind === "filling" ? checkpoint.mark : undefined;
}

/** What a person should know of it. */
export function notesOf({ checkpoint, journal }: Loaded, { shown }: Files): readonly string[] {
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
