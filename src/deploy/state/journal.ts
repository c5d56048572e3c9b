import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { type Entry, EntrySchema } from "../../schema/state.ts";
import { refuseNewer } from "./checkpoint.ts";
import { jsonOf, readIfThere } from "./disk.ts";
import { Contradiction, type State } from "./state.ts";
import { StateProblem } from "./store.ts";

/**
 * The journal: every event, a line each, only ever appended to. A line begins
 * with the sum of itself and of the line before it, at a fixed place, so that
 * the whole can be verified without being parsed.
 *
 * What is found at its end tells a crash from anything else: a crash leaves a
 * part of a line that nobody was told of. Every other line that does not verify
 * is damage, and nothing is concluded from a damaged history.
 */
export interface Journal {
  readonly bytes: Buffer;
  /** Undefined where there is no file. */
  readonly inode: bigint | undefined;
  /** Those that verify. */
  readonly lines: readonly Line[];
  /** Where the next line belongs. */
  readonly end: number;
  readonly sum: string;
  /** Part of a line after them, or of several: what a crash left. */
  readonly torn: boolean;
  /** The last line lacks its newline, as an editor may leave it. */
  readonly unterminated: boolean;
}

export interface Line {
  readonly start: number;
  /** Behind its newline, also where that is missing. */
  readonly end: number;
  readonly sum: string;
}

export function readJournal(path: string, shown: string): Journal {
  const bytes = readIfThere(path, shown);
  const inode = bytes && statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return { ...verify(bytes ?? Buffer.alloc(0), shown), inode };
}

export function encodeLine(before: string, entry: Entry): { text: string; sum: string } {
  const rest = JSON.stringify(entry).slice(1);
  const sum = chained(before, rest);
  return { text: `${opening}${sum}",${rest}\n`, sum };
}

/** Takes the lines from this one on into the state that those before it made. */
export function replay(journal: Journal, from: number, state: State, shown: string): Entry[] {
  return journal.lines.slice(from).map((line, at) => {
    const place = `${shown}:${from + at + 1}`;
    const entry = parseLine(journal.bytes, line, place);
    try {
      state.take(entry);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      throw damage(`${place} cannot have happened after the lines before it: ${error.message}.`);
    }
    return entry;
  });
}

export function damage(message: string, further = ""): StateProblem {
  const hint = `Restore the journal from git or a backup, with the state file beside it.${further}`;
  return new StateProblem("IVR603", message, hint);
}

const opening = '{"sum":"';
const sumLength = 16;
const prefixLength = opening.length + sumLength + '",'.length;
const newline = 0x0a;
const zero = 0x00;

function verify(bytes: Buffer, shown: string): Omit<Journal, "inode"> {
  refuseNewerJournal(bytes, shown);
  const lines: Line[] = [];
  let start = 0;
  let sum = "";
  while (start < bytes.length) {
    const found = bytes.indexOf(newline, start);
    const end = found === -1 ? bytes.length : found;
    const verified = sumOfLine(bytes, start, end, sum);
    if (verified === undefined) break;
    sum = verified;
    lines.push({ start, end: end + 1, sum });
    start = end + 1;
  }
  const rest = bytes.subarray(start);
  if (rest.length > 0 && !isTorn(rest)) throw notOurs(rest, `${shown}:${lines.length + 1}`);
  const unterminated = start > bytes.length;
  return { bytes, lines, end: start, sum, torn: rest.length > 0, unterminated };
}

function sumOfLine(bytes: Buffer, start: number, end: number, before: string): string | undefined {
  const prefix = bytes.toString("latin1", start, Math.min(start + prefixLength, end));
  const sum = prefix.slice(opening.length, opening.length + sumLength);
  if (prefix !== `${opening}${sum}",`) return undefined;
  return chained(before, bytes.subarray(start + prefixLength, end)) === sum ? sum : undefined;
}

function chained(before: string, rest: string | Buffer): string {
  const hash = createHash("sha256").update(before).update(rest);
  return hash.digest("hex").slice(0, sumLength);
}

/**
 * A crash leaves the beginning of a line, or zeros where the disk had made room
 * and not yet filled it; and no newline, unless that lay behind such zeros.
 */
function isTorn(rest: Buffer): boolean {
  const zeroAt = rest.indexOf(zero);
  const newlineAt = rest.indexOf(newline);
  if (newlineAt !== -1 && (zeroAt === -1 || newlineAt < rest.length - 1)) return false;
  return startsLikeALine(rest.toString("latin1", 0, zeroAt === -1 ? rest.length : zeroAt));
}

function startsLikeALine(text: string): boolean {
  const sum = text.slice(opening.length, opening.length + sumLength);
  const shape = `${opening}${sum.padEnd(sumLength, "0")}",`;
  return /^[0-9a-f]*$/.test(sum) && shape.startsWith(text.slice(0, prefixLength));
}

function notOurs(rest: Buffer, place: string): StateProblem {
  return /^(?:<{7}|={7}|>{7}|\|{7})/.test(rest.toString("latin1", 0, 7))
    ? damage(`${place} is a mark of a merge conflict: the journals of two branches met.`)
    : damage(`${place} is not what ivrctl wrote there.`);
}

/** A newer journal may be summed in another way, so its first line is asked before it is verified. */
function refuseNewerJournal(bytes: Buffer, shown: string): void {
  const end = bytes.indexOf(newline);
  const first = jsonOf(bytes.toString("utf8", 0, end === -1 ? bytes.length : end));
  refuseNewer(eventOf(first), `${shown}:1`);
}

function parseLine(bytes: Buffer, { start, end }: Line, place: string): Entry {
  const content = jsonOf(`{${bytes.toString("utf8", start + prefixLength, end)}`);
  // A line of an older version would be brought to this one here.
  const entry = EntrySchema.safeParse(content);
  if (entry.success) return entry.data;
  // A newer version that goes on with this journal says so in an event.
  refuseNewer(eventOf(content), place);
  throw damage(`${place} is no event of a state.`);
}

function eventOf(line: unknown): unknown {
  return typeof line === "object" && line !== null && "event" in line ? line.event : undefined;
}
