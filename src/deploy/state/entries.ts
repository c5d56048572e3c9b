import { createHash } from "node:crypto";
import type { Entry } from "../../schema/state.ts";

/** An entry of the history, as it is stored. */
export interface Linked {
  readonly entry: Entry;
  /** JSON on one line. */
  readonly text: string;
  /** The head of the history that ends with this entry. */
  readonly head: string;
}

/** How many characters a head has. */
const headLength = 16;

/** Returns the next entry of a history with this head. The head before the first entry is "". */
export function link(before: string, entry: Entry): Linked {
  const text = JSON.stringify(entry);
  return { entry, text, head: chainHash(before, text) };
}

/**
 * Returns the head after an entry: a hash of the head before it and of the entry's text. So
 * it covers every earlier text too. Stores keep the texts unchanged, because other JSON of
 * the same value has a different hash. The text may come in parts.
 */
export function chainHash(before: string, ...text: readonly (string | Buffer)[]): string {
  const sum = createHash("sha256").update(before);
  for (const part of text) sum.update(part);
  return sum.digest("hex").slice(0, headLength);
}

/**
 * Returns an entry as a line: its text after a fixed opening with the head after it. So a line can
 * be verified without parsing it:
 *
 *     {"sum":"<the head after it>",<the text without its brace>
 */
export function encodeLine({ text, head }: Linked): string {
  return `{"sum":"${head}",${text.slice(1)}\n`;
}

/** Returns the content of a line without newline, not verified yet. Undefined if it is no such line. */
export function decodeLine(line: string): Pick<Linked, "text" | "head"> | undefined {
  const read = lineOpening.exec(line);
  const head = read?.[1];
  if (read === null || head === undefined) return undefined;
  return { text: `{${line.slice(read[0].length)}`, head };
}

const lineOpening = /^\{"sum":"([0-9a-f]{16})",/;
