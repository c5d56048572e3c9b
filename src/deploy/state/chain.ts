import { createHash, hash } from "node:crypto";
import type { Entry } from "../../schema/state.ts";

/** What an entry is kept as, and the head of the history that it ends. */
export interface Linked {
  readonly entry: Entry;
  /** JSON on one line. */
  readonly text: string;
  readonly head: string;
}

/** How many characters a head has. */
export const headLength = 16;

/**
 * The next entry of a history with this head; "" where it is the first one.
 *
 * A head is the sum of the head before it and of the entry's text, and so of
 * every text before it. It is of the text and not of the value, which could be
 * written in many ways: a store that wants to verify its heads keeps the texts
 * as they are. The file store keeps text and head in one line (see `Journal`);
 * another keeps the head beside the text.
 */
export function link(before: string, entry: Entry): Linked {
  const text = JSON.stringify(entry);
  return { entry, text, head: hash("sha256", before + text, "hex").slice(0, headLength) };
}

/** The head that `link` gave this text, which may come in parts. */
export function headOf(before: string, ...text: readonly (string | Buffer)[]): string {
  const sum = createHash("sha256").update(before);
  for (const part of text) sum.update(part);
  return sum.digest("hex").slice(0, headLength);
}
