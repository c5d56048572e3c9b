import { showDiagnostics } from "../views/diagnostics/index.ts";
import { sayUnchecked, sayValid } from "../views/validate.ts";
import { command } from "./command.ts";
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
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate ivrs/front-desk.yaml", "one menu"],
    ["ivrctl validate --format github", "annotations in a pull request"],
  ],
  async run(context) {
    const { terminal, flags, args, format, globals } = context;
    const project = loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
    });
    await showDiagnostics(project.diagnostics, context);
    const unchecked = project.environment !== undefined && project.agents === undefined;
    if (unchecked && !globals.quiet) sayUnchecked(terminal);
    if (format === "text" && !globals.quiet && !project.hasErrors) sayValid(project, terminal);
    return project.hasErrors ? 1 : 0;
  },
});
