// @ts-check
import { createHash } from "node:crypto";

/**
 * Returns whether one journal continues another. A journal only grows, with one exception: a batch
 * that was incomplete when a process died is overwritten. So the last batch of the earlier journal
 * may differ.
 *
 * @param {Buffer | undefined} later
 * @param {Buffer | undefined} earlier
 * @returns {boolean}
 */
export function goesOn(later, earlier) {
  if (earlier === undefined || earlier.length === 0) return true;
  if (later === undefined) return false;
  const certain = earlier.subarray(0, startOfLastBatch(earlier));
  return later.length >= certain.length && later.subarray(0, certain.length).equals(certain);
}

/**
 * @param {Buffer | undefined} one
 * @param {Buffer | undefined} other
 */
export function isSame(one, other) {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/**
 * @param {Buffer | undefined} whole
 * @param {Buffer} start
 */
export function beginsWith(whole, start) {
  return whole !== undefined && whole.subarray(0, start.length).equals(start);
}

/** @param {Buffer | undefined} journal */
export function digestOf(journal) {
  return journal === undefined ? "none" : createHash("sha256").update(journal).digest("hex");
}

/** @param {Buffer} journal */
function startOfLastBatch(journal) {
  const text = journal.toString("latin1");
  let end = text.lastIndexOf("\n") + 1;
  const last = batchOf(text, lineStart(text, end));
  while (end > 0) {
    const start = lineStart(text, end);
    if (batchOf(text, start) !== last) return end;
    end = start;
  }
  return 0;
}

/**
 * @param {string} text
 * @param {number} end the position after the newline of the line
 */
function lineStart(text, end) {
  return end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1;
}

/**
 * @param {string} text
 * @param {number} start
 */
function batchOf(text, start) {
  return /^\{"sum":"[^"]*","batch":(\d+),/.exec(text.slice(start, start + 200))?.[1];
}
