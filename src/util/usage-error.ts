/** A mistake on the command line. It is reported without a stack trace. */
export class UsageError extends Error {
  /** The formats of the command, if the command line was not read to its end. */
  readonly formats: readonly string[] | undefined;

  constructor(message: string, formats?: readonly string[]) {
    super(message);
    this.formats = formats;
  }
}
