import type { Code } from "../diagnostics/codes.ts";

/** Why a job of a pipeline cannot go on. It is shown as a diagnostic. */
export class JobProblem extends Error {
  readonly code: Code;
  readonly hint: string | undefined;

  constructor(code: Code, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
