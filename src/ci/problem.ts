import type { Code } from "../diagnostics/codes.ts";
import type { Host } from "../util/host.ts";
import type { Hint } from "../util/suggest.ts";

/** Why a job of a pipeline cannot go on. It is shown as a diagnostic. */
export class JobProblem extends Error {
  readonly code: Code;
  readonly hint: Hint | undefined;

  constructor(code: Code, message: string, hint?: Hint) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A job that a platform describes by variables. */
export abstract class DescribedJob {
  protected readonly variables: Host["env"];
  protected readonly clock: Host["clock"];

  constructor({ env, clock }: Host) {
    this.variables = env;
    this.clock = clock;
  }

  /** Returns a variable that every job has. The default hint is for one that the platform sets. */
  protected needed(
    name: string,
    hint = "The platform sets it for each job. Pass it on if the job runs in a container.",
  ): string {
    const value = this.variables[name];
    if (value) return value;
    throw new JobProblem("IVR680", `The variable ${name} is not set.`, hint);
  }
}
