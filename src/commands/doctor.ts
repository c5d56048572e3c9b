import type { Reach } from "../call/dead-ends.ts";
import { reachOfCallers } from "../live/live-flow.ts";
import { command } from "../cli/command.ts";
import { type Live, readQuietly } from "../operations/source.ts";
import { reportMatter } from "../deploy/reasons/matter.ts";
import { planProject } from "../deploy/plan/plan-project.ts";
import { Patterns } from "../util/patterns.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type DoctorStep, doctorStep } from "../doctor/doctor-step.ts";
import { configName } from "../project/files.ts";
import { reachHead, reachMatters } from "../views/reach.ts";
import { type Prepared, prepare } from "../doctor/prepare.ts";
import { doctorSummary, stepsJson, stepsText } from "../views/doctor-steps.ts";
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
    const prepared = await prepare(context, serviceWatcher(context));
    const { environment } = prepared;
    const isReached = prepared.steps.every(({ status }) => status !== "error");
    const live = isReached ? await readQuietly(context) : undefined;
    const steps = live
      ? [
          ...prepared.steps.map((step) => compared(step, prepared, live)),
          callsStep(reachOfCallers(live, live.state), environment ?? ""),
        ]
      : prepared.steps;
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

/** The step about the state, after a comparison of the files and the state with the lists of the service. */
function compared(step: DoctorStep, { steps, describeState }: Prepared, live: Live): DoctorStep {
  if (step.name !== "state" || describeState === undefined) return step;
  const { project, endpoint, agents, state, lists } = live;
  const input = { project: project.opened, endpoint, agents, state, lists };
  const everything = {
    targets: new Patterns([]),
    maxCreates: undefined,
    allowed: new Set<never>(),
  };
  const planned = planProject(input, everything, new Diagnostics());
  const others = steps.filter(({ name }) => name !== "state").flatMap(({ problems }) => problems);
  return planned ? describeState(planned, new Set(others.map(({ code }) => code))) : step;
}

/** Where callers of the service get to. */
function callsStep(reach: Reach, environment: string): DoctorStep {
  const found = new Diagnostics();
  for (const one of reachMatters(reach, environment)) {
    reportMatter(one, { file: configName }, found);
  }
  return doctorStep("calls", found, `${reachHead(reach)}.`);
}
