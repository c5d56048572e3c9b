import type { Reach } from "../call/dead-ends.ts";
import { command } from "../cli/command.ts";
import { callersReach } from "../cli/menu-source.ts";
import { matterText } from "../deploy/matters/matter.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Step, done } from "../doctor/doctor-step.ts";
import { configName } from "../project/files.ts";
import { reachHead, reachMatters } from "../views/reach.ts";
import { prepare } from "../doctor/prepare.ts";
import { doctorSummary, stepsJson, stepsText } from "../views/doctor.ts";
import { diagnosticsJson } from "../views/json.ts";
import { serviceWatcher } from "../views/service.ts";

export default command({
  about:
    "Check everything plan and apply need, and say how to fix each problem.\n\nChecks Node, the configuration, the state, the connection, the clock, the token, the agents and the menus. Creates and changes nothing. Never shows the value of a variable.",
  formats: ["text", "json"],
  examples: [
    ["ivrctl doctor", "the environment that plan would use"],
    ["ivrctl doctor --env production", "a different environment"],
    ["ivrctl doctor --quiet", "only the problems"],
  ],
  async run(context) {
    const { environment, steps: prepared } = await prepare(context, serviceWatcher(context));
    const isReached = prepared.every(({ status }) => status !== "error");
    const reach = isReached ? await callersReach(context) : undefined;
    const steps = reach ? [...prepared, callsStep(reach, environment ?? "")] : prepared;
    const problems = steps.flatMap((step) => step.problems);
    const withProblems = steps.filter((step) => step.problems.length > 0);
    return {
      exit: steps.some(({ status }) => status === "error") ? 1 : 0,
      text: (page) => stepsText(steps, page),
      brief: (page) => stepsText(withProblems, page),
      summary: doctorSummary(steps),
      formats: {
        json: () => diagnosticsJson(problems, { environment, checks: stepsJson(steps) }),
      },
    };
  },
});

/** Where callers of the service get to. */
function callsStep(reach: Reach, environment: string): Step {
  const found = new Diagnostics();
  for (const one of reachMatters(reach, environment)) {
    found.addAt(one.code, { file: configName }, matterText(one), one.fix[0], "warning");
  }
  return done("calls", found, `${reachHead(reach)}.`);
}
