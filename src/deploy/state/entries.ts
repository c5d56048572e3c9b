import { createHash } from "node:crypto";
import { formatProblem } from "../../schema/since.ts";
import { type Entry, EntrySchema } from "../../schema/state.ts";
import { validate } from "../../schema/validated.ts";
import { parseJson } from "../../util/parse-json.ts";
import { Contradiction } from "./records.ts";
import type { State } from "./state.ts";
import { StateProblem } from "./lock.ts";

/** An entry of the history, as it is stored. */
export interface Linked {
  readonly entry: Entry;
  /** JSON on one line. */
  readonly text: string;
  /** The head of the history that ends with this entry. */
  readonly head: string;
}

const headLength = 16;

/** Returns the next entry of a history with this head. The head before the first entry is "". */
export function link(before: string, entry: Entry): Linked {
  const text = JSON.stringify(entry);
  return { entry, text, head: chainHash(before, text) };
}

/**
 * Returns the head after an entry: a hash of the head before it and of the entry's text. So
 * it covers every earlier text too. Stores keep the texts unchanged, because other JSON of
 * the same value has a different hash.
 */
export function chainHash(before: string, text: string): string {
  return createHash("sha256").update(before).update(text).digest("hex").slice(0, headLength);
}

/**
 * Returns an entry as a line: its text after a fixed opening with the head after it. So a line can
 * be verified without parsing it:
 *
 *     {"sum":"<the head after it>",<the text without its brace>
 */
export function encodeLine({ text, head }: Pick<Linked, "text" | "head">): string {
  return `{"sum":"${head}",${text.slice(1)}\n`;
}

const lineOpening = /^\{"sum":"([0-9a-f]{16})",/;

/** Thrown for content that ivrctl did not write like that. The message continues the name of its place. */
export class Damage extends Error {}

/**
 * Reads a line without its newline, verifies it against the history before it, and takes its entry into
 * the state. Throws `Damage`.
 */
export function takeLine(line: string, state: State): Linked {
  const [opening = "", head] = lineOpening.exec(line) ?? [];
  if (head === undefined) throw new Damage("has content that is not an event of a state");
  const text = `{${line.slice(opening.length)}`;
  const seq = state.serial + 1;
  if (chainHash(state.head, text) !== head) {
    throw new Damage(`was changed after ivrctl wrote it (event ${seq})`);
  }
  const content = parseJson(text);
  const entry = validate(EntrySchema, content);
  if (!entry.success) {
    const problem = content === undefined ? "it is not JSON" : entry.problem;
    throw new Damage(`has an event ${seq} that is invalid: ${problem}`);
  }
  try {
    state.take(entry.data, head);
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    throw new Damage(`has an event ${seq} that contradicts the events before it: ${error.message}`);
  }
  return { entry: entry.data, text, head };
}

/** Refuses what follows a header that names a format that this version does not know. */
export function refuseFormat(header: unknown, name: string): void {
  const unknown = formatProblem(header);
  if (unknown === undefined) return;
  throw new StateProblem(
    "IVR602",
    `${name} ${unknown.problem}. Nothing was changed.`,
    unknown.help,
  );
}
