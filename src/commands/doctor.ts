import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { menuChecks, settingsChecks } from "../doctor/check-project.ts";
import { serviceChecks } from "../doctor/check-service.ts";
import { stateChecks } from "../doctor/check-state.ts";
import { examine } from "../doctor/examine.ts";
import { doctorSummary, findingsText, isProblem } from "../views/doctor.ts";
import { diagnosticsJson } from "../views/json.ts";
import { serviceWatcher } from "../views/service.ts";
import { command } from "../cli/command.ts";
import { hintText } from "../util/suggest.ts";

const checks = [...settingsChecks, ...serviceChecks, ...menuChecks, ...stateChecks];

export default command({
  about:
    "Check everything plan and apply need, and say how to fix each problem.\n\nChecks Node, the configuration, environment variables, the service, the token, the clock and the state. Creates and changes nothing. Shows whether a variable is set, but never its value.",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl doctor", "the environment that plan would use"],
    ["ivrctl doctor --env production", "another environment"],
    ["ivrctl doctor --quiet", "only the problems"],
  ],
  async run(context) {
    const examined = await examine(context, serviceWatcher(context));
    const findings = checks.flatMap((check) => check(examined));
    const { project, problems, menus } = examined;
    const parts = [...Object.values(project.found), ...Object.values(problems), menus.diagnostics];
    const diagnostics = new Diagnostics();
    for (const part of parts) diagnostics.addAll(part);
    const environment = project.environment?.name ?? null;
    const checked = findings.map(({ fix, ...finding }) =>
      fix === undefined ? finding : Object.assign(finding, { fix: hintText(fix) }),
    );
    const content = { environment, checks: checked };
    return {
      exit: findings.some(({ status }) => status === "error") ? 1 : 0,
      text: (page) => findingsText(findings, page),
      brief: (page) => findingsText(findings.filter(isProblem), page),
      summary: (page) => doctorSummary(findings, page),
      formats: { json: () => diagnosticsJson(diagnostics.sorted(), content) },
    };
  },
});
