import { statSync } from "node:fs";
import { parseJson } from "../../../util/parse-json.ts";
import type { FilePlace } from "../../../diagnostics/diagnostic.ts";
import { type Linked, headLength, headOf } from "../entries.ts";
import { eventOf, parseEntry, refuseOtherVersion, restoreHint } from "../read-entry.ts";
import { Contradiction } from "../open-follow-ups.ts";
import type { State } from "../state.ts";
import { StateProblem } from "../store.ts";
import { readIfExists } from "./disk.ts";

/**
 * The journal: one line for every event. Lines are only added. A line is the entry's text
 * (see `link`) after a fixed opening, so that the journal can be verified without parsing it:
 *
 *     {"sum":"<the head after it>",<the text without its brace>
 *
 * After the lines there may be a part of a line, which a crash left and nothing relied on.
 * Anything else is damage, and a damaged journal is refused.
 */
export interface Journal {
  readonly bytes: Buffer;
  /** Undefined if there is no file. */
  readonly inode: bigint | undefined;
  /** The verified lines. */
  readonly lines: readonly Line[];
  /** Where the verified lines end. */
  readonly end: number;
  /** Whether a crash left part of a line after them. */
  readonly torn: boolean;
  /** Whether the last line has no newline. */
  readonly unterminated: boolean;
}

interface Line {
  /** The offset of its text, without the brace. */
  readonly text: number;
  /** The offset of its newline, or where a missing newline belongs. */
  readonly end: number;
  readonly head: string;
}

export function readJournal(path: string, shown: string): Journal {
  const bytes = readIfExists(path, shown);
  const inode = bytes && statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return { ...verify(bytes ?? Buffer.alloc(0), shown), inode };
}

export function encodeLine({ text, head }: Linked): string {
  return `{"sum":"${head}",${text.slice(1)}\n`;
}

/** Returns the content of a line without newline, not verified yet. Undefined if it is not a journal line. */
export function decodeLine(line: string): Pick<Linked, "text" | "head"> | undefined {
  const read = opening.exec(line);
  const head = read?.[1];
  if (read === null || head === undefined) return undefined;
  return { text: `{${line.slice(read[0].length)}`, head };
}

/** Applies the lines from number `from` on to `state`, which has the lines before. */
export function replay(journal: Journal, from: number, state: State, shown: string): Linked[] {
  return journal.lines.slice(from).map((line, at) => {
    const place = { file: shown, line: from + at + 1 };
    const { head } = line;
    const text = textOf(journal.bytes, line);
    const entry = parseEntry(text, shownAt(place), place);
    try {
      state.take(entry, head);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      throw damage(place, `contradicts the lines before it: ${error.message}.`);
    }
    return { entry, text, head };
  });
}

/** Returns the problem of a journal or of one of its lines. */
export function damage(at: FilePlace, what: string, hint = restoreHint): StateProblem {
  return new StateProblem("IVR603", `${shownAt(at)} ${what}`, hint, at);
}

function shownAt({ file, line }: FilePlace): string {
  return line === undefined ? file : `${file}:${line}`;
}

const newline = 0x0a;

const opening = /^\{"sum":"([0-9a-f]{16})",/;
const openingLength = `{"sum":"${"0".repeat(headLength)}",`.length;

/** Verifies the content of a journal. */
export function verify(bytes: Buffer, shown: string): Omit<Journal, "inode"> {
  refuseOtherJournal(bytes, shown);
  const lines: Line[] = [];
  let end = 0;
  let unterminated = false;
  while (end < bytes.length) {
    const line = lineAt(bytes, end, lines.at(-1)?.head ?? "");
    if (line === undefined) break;
    lines.push(line);
    unterminated = line.end === bytes.length;
    end = unterminated ? line.end : line.end + 1;
  }
  const rest = bytes.subarray(end);
  if (rest.length > 0 && !isPart(rest)) {
    throw damage(
      { file: shown, line: lines.length + 1 },
      "is not a valid journal line: it was edited, merged, converted to other line ends, or is damaged.",
    );
  }
  return { bytes, lines, end, torn: rest.length > 0, unterminated };
}

/** Reads the line at `start`. Undefined if it does not follow the line with this head. */
function lineAt(bytes: Buffer, start: number, before: string): Line | undefined {
  const found = bytes.indexOf(newline, start);
  const end = found === -1 ? bytes.length : found;
  const head = opening.exec(bytes.toString("latin1", start, start + openingLength))?.[1];
  const text = start + openingLength;
  if (head === undefined || headOf(before, "{", bytes.subarray(text, end)) !== head) {
    return undefined;
  }
  return { text, end, head };
}

/** Whether these bytes are the beginning of a line, or zeros, which a crash leaves at the end of a file. */
function isPart(rest: Buffer): boolean {
  return !rest.includes(newline) && (rest[0] === 0 || rest.toString("latin1", 0, 1) === "{");
}

/** Refuses the journal of another version. Comes before verification, because another version may compute other sums. */
function refuseOtherJournal(bytes: Buffer, shown: string): void {
  const end = bytes.indexOf(newline);
  const first = parseJson(bytes.toString("utf8", 0, end === -1 ? bytes.length : end));
  refuseOtherVersion(eventOf(first), `${shown}:1`, { file: shown, line: 1 });
}

function textOf(bytes: Buffer, { text, end }: Line): string {
  return `{${bytes.toString("utf8", text, end)}`;
}
