import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { JobFile, Verdict } from "../schema/job-file.ts";
import type { Job } from "./forge.ts";

/** The folder for the files of a job, which the pipeline keeps. */
export const workFolder = "ivrctl-ci";

export function planFileName(environment: string): string {
  return `plan.${environment}.json`;
}

/** Writes the file that says what was checked, and for which pull requests. */
export function leave(
  { work, forge }: Job,
  pulls: readonly number[],
  found: readonly (readonly [environment: string, Verdict])[],
): void {
  const file: z.infer<typeof JobFile> = {
    version: 1,
    commit: forge.commit,
    pulls: [...pulls],
    environments: Object.fromEntries(found),
  };
  writeFileSync(join(work, "job.json"), `${JSON.stringify(file, null, 2)}\n`);
}
