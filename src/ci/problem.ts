import type { Code } from "../diagnostics/codes.ts";
import type { Variables } from "../project/variables.ts";

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

/** Returns a variable that every job has. The default hint is for one that the platform sets. */
export function needed(variables: Variables, name: string, hint?: string): string {
  const value = variables[name];
  if (value) return value;
  throw new JobProblem(
    "IVR680",
    `The variable ${name} is not set.`,
    hint ?? "The platform sets it for each job. Pass it on if the job runs in a container.",
  );
}
