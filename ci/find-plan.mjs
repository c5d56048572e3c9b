// @ts-check
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { job } from "./lib/job.mjs";
import { reviewedFile } from "./lib/plan.mjs";

/* Before an apply: which plan was reviewed for the commit that was merged. */

await job(async ({ forge, settings }) => {
  rmSync(dirname(reviewedFile(settings)), { recursive: true, force: true });
  const found = await forge.findPlan(settings);
  writeFileSync(join(settings.work, "found.json"), JSON.stringify(found));
  forge.output("run", found.kind === "found" ? found.run : "");
  forge.output("artifact", settings.artifact);
  forge.output("state-artifact", settings.stateArtifact);
  forge.output("rescue-artifact", settings.rescueArtifact);
  forge.log.write(
    found.kind === "found" ? `The plan ${found.words}.\n` : `No plan was found: ${found.words}\n`,
  );
  return 0;
});
