import * as z from "zod/mini";

/** What a job of a pipeline leaves for an environment. Other jobs and forks can write such a file too. */
export const ReviewedPlan = z.object({
  /** The commit that was checked. */
  commit: z.string(),
  /** The pull requests that the plan is for. The result of a manual run is added to them. */
  pulls: z.array(z.int()),
  /** The content of a plan file. Null if there is nothing to do, or if a check failed. */
  plan: z.nullable(z.record(z.string(), z.unknown())),
  /** The checks and the menu tests that failed. Then nothing is applied. */
  failed: z.optional(z.array(z.string())),
});
