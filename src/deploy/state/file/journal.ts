import { statSync } from "node:fs";
import { parseJson } from "../../../util/parse-json.ts";
import type { FilePlace } from "../../../diagnostics/diagnostic.ts";
import { type Linked, headLength, headOf } from "../entries.ts";
import { eventOf, parseEntry, refuseNewer, restoreHint } from "../read-entry.ts";
import { Contradiction } from "../open-follow-ups.ts";
import type { State } from "../state.ts";
import { StateProblem } from "../store.ts";
import { readIfExists } from "./disk.ts";

/**
 * The journal: one line for every event. Lines are only added. A line is the entry's text
 * (see `link`) after a fixed opening, so that the journal can be verified without parsing it:
 *
 *     {"sum":"<the head after it>","batch":<number>,<the text without its brace>
 *
 * `batch` is the number of the first line that was written together with this one. One
 * sync makes a whole batch durable, and the next batch begins after it.
 *
 * Zeros at the end are space that a writer reserves for outcomes, in case the disk fills
 * up. They do not count.
 *
 * After the lines there may also be a part of one batch, which a crash left and nothing
 * relied on. Anything else is damage, and a damaged journal is refused.
 */
export interface Journal {
  readonly bytes: Buffer;
  /** Undefined if there is no file. */
  readonly inode: bigint | undefined;
  /** The verified lines. */
  readonly lines: readonly Line[];
  /** Where the next line belongs. */
  readonly end: number;
  /** Whether a crash left part of a batch after the lines. */
  readonly torn: boolean;
  /** Whether the last line has no newline. Editors may remove it. */
  readonly unterminated: boolean;
}

interface Line {
  /** The offset of its text, without the brace. */
  readonly text: number;
  /** The offset of its newline, or where a missing newline belongs. */
  readonly end: number;
  readonly head: string;
  readonly batch: number;
}

export function readJournal(path: string, shown: string): Journal {
  const bytes = readIfExists(path, shown);
  const inode = bytes && statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return { ...verify(bytes ?? Buffer.alloc(0), shown), inode };
}

export function encodeLine(batch: number, { text, head }: Linked): string {
  return `{"sum":"${head}","batch":${batch},${text.slice(1)}\n`;
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
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from("\uFEFF");
const zero = 0x00;

/** The opening of a line, and of a line that was written only in part. */
const opening = /^\{"sum":"([0-9a-f]{16})","batch":([1-9][0-9]{0,14}),/;
const openingLength = 50;
const sample = `{"sum":"${"0".repeat(headLength)}","batch":`;
const openingPart = /^(?:[1-9][0-9]{0,14}(?:,|$)|$)/;

/** The number of bytes that a disk writes completely or not at all. */
const sector = 512;

/** Verifies the content of a journal. */
export function verify(bytes: Buffer, shown: string): Omit<Journal, "inode"> {
  refuseNewerJournal(bytes, shown);
  const lines: Line[] = [];
  let start = 0;
  while (start < bytes.length) {
    const line = lineAt(bytes, start, newline, lines) ?? lineAt(bytes, start, zero, lines);
    if (line === undefined) break;
    lines.push(line);
    start = line.end + 1;
    // Zeros instead of a newline: this is the last line.
    if (bytes[line.end] === zero) break;
  }
  const unterminated = lines.length > 0 && bytes[start - 1] !== newline;
  const rest = unterminated ? start - 1 : start;
  const torn = unterminated ? rest < bytes.length : !isReserved(bytes.subarray(rest));
  if (torn && !isTorn(bytes, rest, lines)) {
    throw lineProblem(bytes.subarray(rest), { file: shown, line: lines.length + 1 });
  }
  return { bytes, lines, end: start, torn, unterminated };
}

function isReserved(rest: Buffer): boolean {
  return rest.equals(Buffer.alloc(rest.length));
}

/** Reads the line from `start` to the next byte `until`, or to the end. Undefined if it is not a valid next line. */
function lineAt(
  bytes: Buffer,
  start: number,
  until: number,
  before: readonly Line[],
): Line | undefined {
  const found = bytes.indexOf(until, start);
  const end = found === -1 ? bytes.length : found;
  const read = opening.exec(bytes.toString("latin1", start, Math.min(start + openingLength, end)));
  const head = read?.[1];
  if (read === null || head === undefined) return undefined;
  const batch = Number(read[2]);
  const last = before.at(-1);
  if (batch !== last?.batch && batch !== before.length + 1) return undefined;
  const text = start + read[0].length;
  if (headOf(last?.head ?? "", "{", bytes.subarray(text, end)) !== head) return undefined;
  return { text, end, head, batch };
}

/**
 * Whether a crash left the bytes from `rest` on. If the process ended during a write, the
 * last line has no newline. If the machine lost power, any sectors of the last batch may be
 * zeros, and all other bytes belong to that batch too.
 */
function isTorn(bytes: Buffer, rest: number, before: readonly Line[]): boolean {
  if (!bytes.includes(newline, rest)) return !isConflictMark(bytes.subarray(rest));
  const [first, ...later] = textsBetweenZeros(bytes, rest);
  if (first === undefined || !isBeginning(first.text) || first.text.includes("\n")) return false;
  const pieces = later.flatMap(({ text }) => {
    const [tail = "", ...lines] = text.split("\n");
    return opening.test(tail) ? [tail, ...lines] : lines;
  });
  if (!pieces.every(isBeginning)) return false;
  const batches = new Set([first.text, ...pieces].flatMap((text) => opening.exec(text)?.[2] ?? []));
  const next = before.length + 1;
  const [batch = next, another] = [...batches].map(Number);
  if (another !== undefined || (batch !== next && batch !== before.at(-1)?.batch)) return false;
  return later.every(
    ({ hole, start }) =>
      start % sector === 0 && (hole % sector === 0 || (hole === rest && batch === next)),
  );
}

/** Returns the texts between runs of zeros: the first starts at `from`, the others after a hole. */
function textsBetweenZeros(
  bytes: Buffer,
  from: number,
): { readonly hole: number; readonly start: number; readonly text: string }[] {
  const found = [];
  for (let hole = from, start = from; ;) {
    const zeroAt = bytes.indexOf(zero, start);
    const end = zeroAt === -1 ? bytes.length : zeroAt;
    found.push({ hole, start, text: bytes.toString("latin1", start, end) });
    hole = end;
    for (start = end; bytes[start] === zero;) start += 1;
    if (start === bytes.length) return found;
  }
}

function isBeginning(text: string): boolean {
  const head = text.slice(8, 8 + headLength);
  const shape = sample.slice(0, 8) + head + sample.slice(8 + head.length);
  return (
    /^[0-9a-f]*$/.test(head) &&
    shape.startsWith(text.slice(0, sample.length)) &&
    openingPart.test(text.slice(sample.length, openingLength))
  );
}

function isConflictMark(rest: Buffer): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})/.test(rest.toString("latin1", 0, 7));
}

function lineProblem(rest: Buffer, at: FilePlace): StateProblem {
  if (isConflictMark(rest)) {
    return damage(at, "is a merge conflict marker: git merged the journals of two branches.");
  }
  if (at.line === 1 && rest.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
    return damage(
      at,
      "begins with a byte order mark, which an editor added.",
      `Remove it: perl -pi -e 's/^\\xEF\\xBB\\xBF//' ${at.file}`,
    );
  }
  if (rest[rest.indexOf(newline) - 1] === carriageReturn) {
    return damage(
      at,
      "ends in CRLF: git or an editor changed the line endings.",
      `Add \`.ivrctl/state/* -text\` to .gitattributes. Then restore the line endings: perl -pi -e 's/\\r\\n/\\n/' ${at.file}`,
    );
  }
  return damage(at, "is not a valid journal line: it was edited or is damaged.");
}

/** Refuses the journal of a newer ivrctl. Comes before verification, because a newer version may compute other sums. */
function refuseNewerJournal(bytes: Buffer, shown: string): void {
  const end = bytes.indexOf(newline);
  const first = parseJson(bytes.toString("utf8", 0, end === -1 ? bytes.length : end));
  refuseNewer(eventOf(first), `${shown}:1`, { file: shown, line: 1 });
}

function textOf(bytes: Buffer, { text, end }: Line): string {
  return `{${bytes.toString("utf8", text, end)}`;
}
