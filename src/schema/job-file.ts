import * as z from "zod/mini";

const verdicts = ["changes", "nothing", "failed"] as const;

/** What the pull request job found in an environment. */
export type Verdict = (typeof verdicts)[number];

/** The file that the pull request job leaves beside its plans. */
export const JobFile = z.object({
  version: z.literal(1),
  /** The commit that was checked. */
  commit: z.string(),
  /** The pull requests that the plans are for. The result of a manual run is added to them. */
  pulls: z.array(z.int()),
  environments: z.record(z.string(), z.enum(verdicts)),
});
