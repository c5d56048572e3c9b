import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { suggest } from "../../../util/suggest.ts";
import { utc } from "../../../util/time.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { type Linked } from "../entries.ts";
import type { Marks } from "../marks.ts";
import { restoreHint } from "../read-entry.ts";
import { State } from "../state.ts";
import { type Extent, type Note, StateProblem } from "../store.ts";
import { type Checkpoint, type KnownEnd, checkpointOf } from "./checkpoint.ts";
import { orProblem, readIfExists, replaceFile } from "./disk.ts";
import { type Journal, damage, readJournal, replay } from "./journal.ts";

/** Where the files of a state are. */
export interface Files {
  readonly folder: string;
  readonly name: string;
  readonly checkpoint: string;
  readonly journal: string;
  readonly moved: string;
  /** See `Ballast`. */
  readonly ballast: string;
  /** As messages show them. */
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
  /** The entries that were read one by one: all of them, or those after the checkpoint. */
  readonly entries: readonly Linked[];
  readonly checkpoint: Checkpoint;
  readonly journal: Journal;
}

export function load(files: Files, what: Extent): Loaded {
  const { shown } = files;
  // Read the checkpoint first. Its events were in the journal before it was written, so a
  // journal that is read later has at least those events.
  const checkpoint = readCheckpoint(files);
  const journal = readJournal(files.journal, shown.journal);
  return combine(checkpoint, journal, files, what);
}

function readCheckpoint({ checkpoint, shown }: Files): Checkpoint {
  return checkpointOf(readIfExists(checkpoint, shown.checkpoint), shown.checkpoint);
}

/** Returns the state of the two files. Throws if they contradict each other. */
export function combine(
  checkpoint: Checkpoint,
  journal: Journal,
  { name, shown }: Named,
  what: Extent,
): Loaded {
  refuseLoss(checkpoint, journal, shown);
  const snapshot = checkpoint.kind === "valid" ? checkpoint.snapshot : undefined;
  const isUsable = what === "the state" && snapshot !== undefined && snapshot.serial > 0;
  const state = isUsable ? State.fromSnapshot(snapshot) : new State();
  // During a fill, the journal may already have new lines. They do not count.
  const { lines: all } = journal;
  const lines = checkpoint.kind === "filling" ? all.slice(0, checkpoint.mark.serial) : all;
  const entries = replay({ ...journal, lines }, state.serial, state, shown.journal);
  const environment = state.origin?.environment ?? name;
  if (environment !== name) {
    throw damage(
      { file: shown.journal, line: 1 },
      `belongs to the environment ${environment}, not to ${name}.`,
      `${restoreHint} The names of two environments must differ in more than case.`,
    );
  }
  return { state, entries, checkpoint, journal };
}

/** Returns the event that the journal must reach according to the checkpoint, if it shows one. */
function knownEndOf(checkpoint: Checkpoint): KnownEnd | undefined {
  if (checkpoint.kind === "valid") return checkpoint.snapshot;
  if (checkpoint.kind === "filling") return checkpoint.mark;
  return checkpoint.kind === "edited" ? checkpoint.knownEnd : undefined;
}

/** Refuses a journal in which events of its checkpoint are missing. */
function refuseLoss(checkpoint: Checkpoint, { lines, inode }: Journal, shown: Shown): void {
  if (checkpoint.kind === "missing") return;
  const knownEnd = knownEndOf(checkpoint);
  if (knownEnd?.serial === 0) return;
  const events = knownEnd?.serial ?? 1;
  const last = lines[events - 1];
  if (last === undefined) {
    const least = knownEnd === undefined ? "events" : `${events} events`;
    throw inode === undefined
      ? damage({ file: shown.journal }, `is missing, but ${shown.checkpoint} was made from it.`)
      : damage(
          { file: shown.journal, line: lines.length + 1 },
          `is missing: the journal ends here, but ${shown.checkpoint} was made from ${least}.`,
        );
  }
  if (knownEnd !== undefined && last.head !== knownEnd.head) {
    throw damage(
      { file: shown.journal, line: events },
      `is not the line that ${shown.checkpoint} was made from: the two files belong to different histories.`,
      `${restoreHint} If you are sure that the journal is the right one, move ${shown.checkpoint} away.`,
    );
  }
}

/**
 * Returns the problem that newer events may be missing, because no checkpoint shows how far
 * the journal must reach. No crash leaves files like this. The state can be read, but
 * nothing is added before a person has confirmed that the journal is up to date.
 */
export function possibleLoss(
  { checkpoint, journal, entries }: Loaded,
  { name, shown }: Named,
): StateProblem | undefined {
  if (knownEndOf(checkpoint) !== undefined || journal.lines.length === 0) return undefined;
  const what = {
    missing: "is missing",
    "cut off": "is cut off",
    edited: "was edited and cannot be read",
    valid: "",
    filling: "",
  }[checkpoint.kind];
  const last = entries.at(-1)?.entry;
  const end = last === undefined ? "" : ` (${utc(last.at)}, ${last.by})`;
  return new StateProblem(
    "IVR629",
    `${shown.checkpoint} ${what}, so newer events may be missing from ${shown.journal}. That journal ends with event ${journal.lines.length}${end}. If it is an old copy, apply would create later menus again.`,
    {
      words: `Restore both files from git or a backup. If you are sure that event ${journal.lines.length} is the last one, run:`,
      argv: suggest("state accept", [], name),
    },
    { file: shown.checkpoint },
  );
}

/** Returns notes for the user about the files. */
export function notesOf(loaded: Loaded, { name, shown }: Files): readonly Note[] {
  const { checkpoint, journal } = loaded;
  const notes: Note[] = [];
  const loss = possibleLoss(loaded, { name, shown });
  if (loss !== undefined) notes.push(loss);
  else if (checkpoint.kind === "edited") {
    notes.push(
      `${shown.checkpoint} was edited. The edit has no effect: ivrctl reads the state from the journal.`,
    );
  }
  if (journal.torn) {
    const at = { file: shown.journal, line: journal.lines.length + 1 };
    notes.push(
      new StateProblem(
        "IVR605",
        `A crash left ${at.file}:${at.line} incomplete. ivrctl ignores this line. Nothing was sent after it.`,
        undefined,
        at,
      ),
    );
  }
  return notes;
}

/** Returns the marks of a state that was moved away, or null if it is here. Does not need the journal. */
export function marksOfMoved(files: Files): Marks | null {
  const to = movedTo(files);
  if (to === null) return null;
  return { movedTo: to, filling: fillingOf(readCheckpoint(files)) };
}

export function fillingOf(checkpoint: Checkpoint): Marks["filling"] {
  return checkpoint.kind === "filling" ? checkpoint.mark.filling : null;
}

const MovedMark = z.object({ moved_to: z.string() });

/** Returns the store that the state was moved to, or null if it is here. An unreadable mark counts too. */
export function movedTo({ moved, shown }: Files): string | null {
  const bytes = readIfExists(moved, shown.moved);
  if (bytes === undefined) return null;
  const mark = MovedMark.safeParse(parseJson(bytes));
  return mark.success ? mark.data.moved_to : "another store";
}

export function markMoved(files: Files, to: string): void {
  orProblem(files.shown.moved, "written", () =>
    replaceFile(files.moved, temporaryFile(files), `${JSON.stringify({ moved_to: to })}\n`),
  );
}

/** A unique name for a file that becomes one of the state's files. */
export function temporaryFile({ folder, name }: Pick<Files, "folder" | "name">): string {
  return join(folder, `.${name}.${randomUUID()}.tmp`);
}
