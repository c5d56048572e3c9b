import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { nodeRange } from "../util/version.ts";
import { type Finding, showDoctor } from "../views/doctor.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { endpointAt } from "../deploy/service/connect.ts";
import { judgeNode } from "../doctor/node.ts";
import {
  judgeConfiguration,
  judgeEnvironment,
  judgeMenus,
  judgeSnapshot,
  judgeVariables,
  readDoctorProject,
} from "../doctor/project.ts";
import { judgeService } from "../doctor/service.ts";
import { judgeRecord } from "../doctor/state.ts";

export default command({
  maxArguments: 0,
  about:
    "Checks everything plan and apply need, and says how to fix each problem: Node, the configuration, environment variables, the service, the token, the clock, the state. It creates and changes nothing. It reports whether a variable is set, but never its value.",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl doctor", "the environment that plan would use"],
    ["ivrctl doctor --env production", "another one"],
    ["ivrctl doctor --quiet", "only the problems"],
  ],
  async run(context): Promise<ExitCode> {
    const { environment, findings, diagnostics } = await examine(context);
    showDoctor({ environment, findings, diagnostics }, context);
    return findings.some(({ status }) => status === "error") ? 1 : 0;
  },
});

interface Examination {
  readonly environment: string | null;
  readonly findings: readonly Finding[];
  readonly diagnostics: readonly Diagnostic[];
}

async function examine(context: Context): Promise<Examination> {
  const { root, variables } = context;
  const project = await readDoctorProject(context);
  const { environment, settings, found } = project;
  const endpoint =
    environment && settings && endpointAt(environment, settings, () => project.state);
  const service = await judgeService(context, project, endpoint);
  const snapshot = judgeSnapshot(root, project);
  const agents = service.agents ?? snapshot.agents;
  const by = service.agents === undefined ? "the snapshot" : "the service's agents";
  const menus = judgeMenus(project, agents, by);
  const record = await judgeRecord(context, project, { endpoint, agents: service.agents });
  const findings = [
    judgeNode(process.versions.node, nodeRange),
    judgeConfiguration(project),
    judgeEnvironment(project),
    ...judgeVariables(project, menus.diagnostics, variables),
    ...service.findings,
    snapshot.finding,
    menus.finding,
    ...record,
  ];
  const diagnostics = new Diagnostics();
  for (const part of [...Object.values(found), menus.diagnostics]) diagnostics.addAll(part);
  return {
    environment: environment?.name ?? null,
    findings,
    diagnostics: diagnostics.sorted(),
  };
}
