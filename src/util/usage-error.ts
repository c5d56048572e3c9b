import { type Hint, hintText } from "./suggest.ts";

/** A mistake on the command line. It is reported without a stack trace. */
export class UsageError extends Error {
  readonly hint: Hint;

  /** What is wrong and, with a command, how to go on. */
  constructor(hint: Hint) {
    super(hintText(hint));
    this.hint = hint;
  }
}
