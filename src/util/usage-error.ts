/** A mistake on the command line. It is reported without a stack trace. */
export class UsageError extends Error {}
