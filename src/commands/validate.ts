import { showDiagnostics } from "../views/diagnostics/index.ts";
import { sayUnchecked, sayValid } from "../views/validate.ts";
import { UsageError, command } from "./command.ts";
import { loadProject } from "./project.ts";

export default command({
  takes: "[PATH…]",
  about: "Finds every mistake that can be known offline, in all menus or in those named.",
  flags: {
    agents: {
      type: "string",
      value: "FILE",
      about: "the agent list: the service's JSON array, or a snapshot (else agents.lock.json)",
    },
    live: { type: "boolean", about: "ask the service of the environment for the agent list" },
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate ivrs/front-desk.yaml", "one menu"],
    ["ivrctl validate --format github", "annotations in a pull request"],
  ],
  async run(context) {
    const { terminal, flags, args, format, globals } = context;
    if (flags.live && flags.agents !== undefined) {
      throw new UsageError(
        "--live asks the service for the agents, --agents takes a file: choose one.",
      );
    }
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
      live: flags.live,
      notes: true,
    });
    await showDiagnostics(project.diagnostics, context);
    if (project.withoutList && !globals.quiet) sayUnchecked(terminal);
    if (format === "text" && !globals.quiet && !project.hasErrors) sayValid(project, terminal);
    return project.hasErrors ? 1 : 0;
  },
});
