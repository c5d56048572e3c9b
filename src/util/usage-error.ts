/** A wrong command line, reported in one line. */
export class UsageError extends Error {}
