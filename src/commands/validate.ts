import { showDiagnostics } from "../views/diagnostics/index.ts";
import { plainFixes, sayFixed, sayUnchecked, sayValid, showFixable } from "../views/validate.ts";
import type { Agents } from "../compile/agents.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Context, command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { serviceWatcher } from "../views/service.ts";
import { loadProject } from "../compile/load-project.ts";

export default command({
  takes: "[PATH…]",
  arguments: { "PATH…": "Paths or keys of menus, or folders (default: all menus)" },
  about:
    "Check menus, tests and ivrctl.yaml for mistakes, offline.\n\nReports each problem with its line and column. Exits with 1 if there is an error.",
  flags: {
    ...snapshotFlags,
    live: {
      type: "boolean",
      conflicts: "agents",
      about: "Ask the service for the agent list",
    },
    fix: {
      type: "boolean",
      about:
        'First fix what has only one correct form: put ids in quotes, and write keys as "*" and "#"',
    },
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate front-desk", "one menu, by its key or its path"],
    ["ivrctl validate --format github", "annotations in a pull request"],
    ["ivrctl validate --fix", "first fix what has only one correct form"],
  ],
  async run(context) {
    const { terminal, flags, args, format, globals } = context;
    const fixedFiles = flags.fix
      ? (await import("../project/fix-files.ts")).fixFiles(context)
      : undefined;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
      listLive: flags.live ? (found) => liveAgents(context, found) : undefined,
      advice: "all",
      tests: true,
    });
    const diagnostics = [...(fixedFiles?.diagnostics ?? []), ...project.diagnostics];
    const failed = diagnostics.some(({ severity }) => severity === "error");
    if (fixedFiles !== undefined && !globals.quiet) sayFixed(fixedFiles.fixes, terminal);
    await showDiagnostics(
      diagnostics,
      context,
      fixedFiles && { fixed: plainFixes(fixedFiles.fixes) },
    );
    if (format === "text" && fixedFiles === undefined && !globals.quiet && diagnostics.length > 0) {
      const { countFixable } = await import("../project/fix-files.ts");
      showFixable(countFixable(project.diagnostics), context);
    }
    if (project.withoutList && !globals.quiet) sayUnchecked(project.environment?.name, terminal);
    if (format === "text" && !globals.quiet && !failed) sayValid(project, terminal);
    return failed ? 1 : 0;
  },
});

async function liveAgents(context: Context, found: Diagnostics): Promise<Agents | undefined> {
  const { listLive } = await import("../deploy/service/agents.ts");
  return (await listLive(context, serviceWatcher(context), found))?.agents;
}
