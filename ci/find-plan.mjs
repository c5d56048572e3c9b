// @ts-check
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { job } from "./lib/job.mjs";
import { reviewedFile } from "./lib/plan.mjs";

/* Runs before an apply. Finds the plan that was reviewed for the merged commit. */

await job(async ({ forge, settings }) => {
  rmSync(dirname(reviewedFile(settings)), { recursive: true, force: true });
  const found = await forge.findPlan(settings);
  writeFileSync(join(settings.work, "found.json"), JSON.stringify(found));
  forge.output("run", found.kind === "found" ? found.run : "");
  forge.output("artifact", settings.artifact);
  forge.output("state-artifact", settings.stateArtifact);
  forge.output("rescue-artifact", settings.rescueArtifact);
  forge.log.write(
    found.kind === "found" ? `Found the plan ${found.words}.\n` : `Found no plan. ${found.words}\n`,
  );
  return 0;
});
