import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Forge } from "./forge.ts";

const verdicts = ["changes", "nothing", "unaffected", "failed"] as const;

/** What the pull request job found in an environment. */
export type Verdict = (typeof verdicts)[number];

/** The file that the pull request job leaves beside its plans. */
export const JobFile = z.object({
  version: z.literal(1),
  /** The commit that was checked. */
  commit: z.string(),
  environments: z.record(z.string(), z.enum(verdicts)),
});

/** The folder for the files of a job, which the pipeline keeps. */
export function workFolder(top: string): string {
  return join(top, "ivrctl-ci");
}

export function planFileName(environment: string): string {
  return `plan.${environment}.json`;
}

/** Writes the file that says what was checked. */
export function leave(
  { work, forge }: { readonly work: string; readonly forge: Forge },
  found: readonly (readonly [environment: string, Verdict])[],
): void {
  const file: z.infer<typeof JobFile> = {
    version: 1,
    commit: forge.commit,
    environments: Object.fromEntries(found),
  };
  writeFileSync(join(work, "job.json"), `${JSON.stringify(file, null, 2)}\n`);
}
