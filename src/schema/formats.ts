/**
 * The oldest format of states, plan files and rescue files that ivrctl reads. Everything without a
 * `since` is in it.
 */
export const oldestFormat = 8;

/** The first version of ivrctl that reads each later format. */
export const firstReaders = { 9: "1.0.0" } as const;

/** A format that added something. */
export type Since = keyof typeof firstReaders;
