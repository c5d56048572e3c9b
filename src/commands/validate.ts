import { diagnosticsGithub } from "../views/diagnostics/github-annotations.ts";
import { projectPrefix } from "../views/diagnostics/project-prefix.ts";
import { diagnosticsSarif } from "../views/diagnostics/sarif.ts";
import type { Agents } from "../project/agent-list.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Context, command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { serviceWatcher } from "../views/service.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import { many } from "../util/many.ts";
import { suggest } from "../util/suggest.ts";
import { describeAge } from "../util/time.ts";

export default command({
  arguments: { "[PATH..]": "Paths or keys of menus, or folders (default: all menus)" },
  about:
    "Check menus, tests and ivrctl.yaml for mistakes, offline.\n\nReports each problem with its line and column. Exits with 1 if there is an error.",
  flags: {
    ...snapshotFlags,
    live: { conflicts: "agents", about: "Ask the service for the agent list" },
  },
  formats: ["text", "json", "github", "sarif"],
  examples: [
    ["ivrctl validate", "the whole project"],
    ["ivrctl validate front-desk", "one menu, by its key or its path"],
    ["ivrctl validate --format github", "annotations in a pull request"],
  ],
  async run(context) {
    const { flags, args } = context;
    const project = await loadProject(context, {
      paths: args,
      agentsFile: flags.agents,
      agentsRequired: false,
      listLive: flags.live ? (found) => liveAgents(context, found) : undefined,
      advice: "all",
      tests: true,
    });
    const { diagnostics } = project;
    const unchecked =
      "Agents were not checked, because there is no agent list. Use --agents FILE, or run:";
    const pull = suggest("agents pull", [], project.environment?.name);
    return {
      diagnostics,
      diagnosticsAreText: true,
      formatsHaveDiagnostics: true,
      summary: project.hasErrors ? "" : validText(project, context.host.clock.now()),
      notes: ({ command: text }) => (project.withoutList ? `${unchecked}\n  ${text(pull)}\n` : ""),
      formats: {
        json: () => ({}),
        github: () => diagnosticsGithub(diagnostics, projectPrefix(context)),
        sarif: () => diagnosticsSarif(diagnostics, projectPrefix(context)),
      },
    };
  },
});

function validText({ menus, environment, agents }: LoadedProject, now: Date): string {
  const count = menus.length === 1 ? "1 menu is valid" : `${menus.length} menus are valid`;
  const at = agents?.origin.pulled_at;
  const list = at === undefined ? "" : `, with the agent list ${describeAge(new Date(at), now)}`;
  const lacking = menus.filter(({ facts }) => !facts["invalid.final_recording"]).length;
  const instead =
    environment?.wire.final_recording === "required" && lacking > 0
      ? `${many(lacking, "menu")} without \`invalid.final_recording\`: the service needs one, so ivrctl sends \`invalid.recording\` in its place.\n`
      : "";
  return `${count} for the environment ${environment?.name ?? "?"}${list}.\n${instead}`;
}

async function liveAgents(context: Context, diagnostics: Diagnostics): Promise<Agents | undefined> {
  const { listLive } = await import("../deploy/listed/with-service.ts");
  return (await listLive(context, serviceWatcher(context), diagnostics))?.agents;
}
