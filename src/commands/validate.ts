import { showDiagnostics } from "../views/diagnostics/index.ts";
import { plainFixes, sayFixed, sayUnchecked, sayValid } from "../views/validate.ts";
import { Agents } from "../compile/agents.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Context, UsageError, command } from "./command.ts";
import { loadProject } from "../project/load-project.ts";

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
    fix: {
      type: "boolean",
      about: 'first put right what has one right answer: ids in quotes, "*" and "#" as keys',
    },
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate ivrs/front-desk.yaml", "one menu"],
    ["ivrctl validate --format github", "annotations in a pull request"],
    ["ivrctl validate --fix", "with what has one right answer put right"],
  ],
  async run(context) {
    const { terminal, flags, args, format, globals } = context;
    if (flags.live && flags.agents !== undefined) {
      throw new UsageError(
        "--live asks the service for the agents, --agents takes a file: choose one.",
      );
    }
    const mended = flags.fix ? (await import("./fixing.ts")).fixFiles(context) : undefined;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
      listLive: flags.live ? (found) => liveAgents(context, found) : undefined,
      advice: "all",
      tests: true,
    });
    const diagnostics = [...(mended?.diagnostics ?? []), ...project.diagnostics];
    const failed = diagnostics.some(({ severity }) => severity === "error");
    if (mended !== undefined && !globals.quiet) sayFixed(mended.fixes, terminal);
    await showDiagnostics(diagnostics, context, mended && { fixed: plainFixes(mended.fixes) });
    if (project.withoutList && !globals.quiet) sayUnchecked(terminal);
    if (format === "text" && !globals.quiet && !failed) sayValid(project, terminal);
    return failed ? 1 : 0;
  },
});

async function liveAgents(context: Context, found: Diagnostics): Promise<Agents | undefined> {
  const { listLive } = await import("./live-agents.ts");
  const live = await listLive(context, found);
  return live && new Agents(live.agents);
}
