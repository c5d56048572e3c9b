// @ts-check

/** An error that a person can fix. It ends the script and is printed without a stack trace. */
export class Problem extends Error {
  /**
   * @param {string} message
   * @param {{ exit?: number, hint?: string }} [options]
   */
  constructor(message, { exit = 1, hint } = {}) {
    super(message);
    this.exit = exit;
    this.hint = hint;
  }

  /** The message and what to do about it. */
  get words() {
    return this.hint === undefined ? this.message : `${this.message}\n${this.hint}`;
  }
}

/**
 * @param {unknown} error
 * @returns {string}
 */
export function wordsOf(error) {
  if (error instanceof Problem) return error.words;
  return error instanceof Error ? error.message : String(error);
}
