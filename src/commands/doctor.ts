import { command } from "../cli/command.ts";
import { examine } from "../operations/doctor.ts";
import { doctorSummary, stepsJson, stepsText } from "../views/doctor-steps.ts";
import { diagnosticsJson } from "../views/json.ts";

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
    const { environment, steps } = await examine(context);
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
