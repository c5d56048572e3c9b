import { compileProject } from "../compile/compile-project.ts";
import { openProject } from "../project/open-project.ts";
import { planSince } from "../deploy/plan/plan-since.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { aboutComparison, comparisonResult } from "../views/plan/index.ts";
import { command } from "../cli/command.ts";
import { summaryFlags } from "../cli/flags.ts";
import { pastMenus } from "../deploy/plan/past-menus.ts";
import { findSnapshot, readAgents, snapshotName } from "../project/agents-lock.ts";

const flags = {
  ...summaryFlags,
  "detailed-exitcode": { about: "Exit with 2 if anything changes" },
} as const;

export default command({
  arguments: { "[REF]": "Git revision (default: HEAD)" },
  about:
    "Show what changes for callers since a git revision.\n\nUses neither the state nor the service. Both versions are compiled with the current agent list.",
  flags,
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl diff", "changes that are not committed yet"],
    ["ivrctl diff origin/main", "changes of a branch"],
    ["ivrctl diff v1.2 --format markdown", "for a comment on a pull request"],
  ],
  async run(context) {
    const { args, flags, globals } = context;
    const ref = args[0] ?? "HEAD";
    const diagnostics = new Diagnostics();
    const project = await openProject(context);
    const agentsRequired = project.source !== undefined;
    const agents = readAgents(project, { agentsRequired }, diagnostics);
    const now = compileProject(project, { agents, allMenus: !diagnostics.hasErrors });
    diagnostics.addAll(now.diagnostics);
    const { environment } = now;
    const past =
      agents && environment && !diagnostics.hasErrors
        ? await pastMenus(
            { ref, place: context, environment: environment.name, agents },
            diagnostics,
          )
        : undefined;
    if (past && now.menus.length + past.menus.length === 0) {
      diagnostics.addAt("IVR125", { file: "ivrs" }, "There are no menus under ivrs/.");
    }
    const plan = past && planSince(now, past, environment?.name ?? "", diagnostics);
    const list = findSnapshot(project.files, project.environment?.name) ?? snapshotName;
    if (plan) context.terminal.note(`${visible(aboutComparison(list))}\n`);
    const shown = {
      plan,
      revision: past && { ref, commit: past.commit },
      environment: environment?.name ?? globals.env ?? (context.host.env["IVRCTL_ENV"] || null),
      summary: flags.summary,
      payloads: context.terminal.verbose,
      diagnostics: diagnostics.sorted(),
    };
    const hasFailed = plan === undefined || diagnostics.hasErrors;
    const hasMore = flags["detailed-exitcode"] && plan !== undefined && plan.changes.length > 0;
    return { exit: hasFailed ? 1 : hasMore ? 2 : 0, ...comparisonResult(shown, list) };
  },
});
