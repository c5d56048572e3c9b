import { showDiagnostics } from "../views/diagnostics/index.ts";
import { sayUnchecked, sayValid } from "../views/validate.ts";
import type { Agents } from "../compile/agents.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Context, command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { serviceWatcher } from "../views/service.ts";
import { loadProject } from "../compile/load-project.ts";

export default command({
  takes: "[PATH..]",
  arguments: { PATH: "Paths or keys of menus, or folders (default: all menus)" },
  about:
    "Check menus, tests and ivrctl.yaml for mistakes, offline.\n\nReports each problem with its line and column. Exits with 1 if there is an error.",
  flags: {
    ...snapshotFlags,
    live: {
      type: "boolean",
      conflicts: "agents",
      about: "Ask the service for the agent list",
    },
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate front-desk", "one menu, by its key or its path"],
    ["ivrctl validate --format github", "annotations in a pull request"],
  ],
  async run(context) {
    const { terminal, flags, args, format, globals } = context;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
      listLive: flags.live ? (found) => liveAgents(context, found) : undefined,
      advice: "all",
      tests: true,
    });
    const { diagnostics } = project;
    const failed = diagnostics.some(({ severity }) => severity === "error");
    await showDiagnostics(diagnostics, context);
    if (project.withoutList && !globals.quiet) sayUnchecked(project.environment?.name, terminal);
    if (format === "text" && !globals.quiet && !failed) sayValid(project, context);
    return failed ? 1 : 0;
  },
});

async function liveAgents(context: Context, found: Diagnostics): Promise<Agents | undefined> {
  const { listLive } = await import("../deploy/service/agents.ts");
  return (await listLive(context, serviceWatcher(context), found))?.agents;
}
