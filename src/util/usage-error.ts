/** A mistake on the command line. It is reported in one line. */
export class UsageError extends Error {}
