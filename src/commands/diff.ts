import { compileProject } from "../workspace/compile-project.ts";
import { openProject } from "../workspace/open-project.ts";
import { planSince } from "../deploy/plan/changes/plan-since.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { aboutComparison, comparisonResult } from "../views/plan/index.ts";
import { type Context, command } from "../cli/command.ts";
import type { ExitCode } from "../views/result.ts";
import { readLive } from "../cli/from-source.ts";
import { compareLive } from "../live/live-comparison.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { Revision } from "../views/plan/describe.ts";
import { summaryFlags } from "../cli/flags.ts";
import { pastMenus } from "../deploy/plan/changes/past-menus.ts";
import { findSnapshot, readAgents, snapshotName } from "../project/agents-lock.ts";

const flags = {
  ...summaryFlags,
  "detailed-exitcode": { about: "Exit with 2 if anything changes" },
} as const;

type DiffContext = Context<typeof flags>;

export default command({
  arguments: { "[REF]": "Git revision (default: HEAD), or live: what the service has now" },
  about:
    "Show what changes for callers since a git revision, or compared with the service.\n\nA comparison with a revision uses neither the state nor the service. Both versions are compiled with the current agent list. `diff live` needs `operations: [list]`, and only reads. Menus that ivrctl does not manage are only counted.",
  flags,
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl diff", "changes that are not committed yet"],
    ["ivrctl diff origin/main", "changes of a branch"],
    ["ivrctl diff live", "what callers of the service would notice"],
    ["ivrctl diff v1.2 --format markdown", "for a comment on a pull request"],
  ],
  async run(context) {
    const { args } = context;
    const ref = args[0] ?? "HEAD";
    if (ref === "live") return diffLive(context);
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
    const revision = past && { ref, commit: past.commit };
    const about = { revision, environment: environment?.name, list };
    return compared(context, plan, about, diagnostics.sorted());
  },
});

/** Compares the files with the menus that the service has. */
async function diffLive(context: DiffContext) {
  const found = new Diagnostics();
  const asked = { paths: [], agentsRequired: false } as const;
  const live = await readLive(context, asked, found);
  const about = { environment: live?.environment.name, list: undefined };
  const { project, lists, environment } = live ?? {};
  const inFiles = project?.diagnostics ?? [];
  if (!live || !project || !lists || !environment || project.hasErrors || found.hasErrors) {
    return compared(context, undefined, about, [...inFiles, ...found.sorted()]);
  }
  const { menus, unreadable, unmanaged } = compareLive(live, project);
  const readable = project.menus.filter(({ key = "" }) => !unreadable.has(key));
  const past = { menus, lists };
  const plan = planSince({ ...project, menus: readable }, past, environment.name, found);
  const { count, at } = lists.menus;
  const shown = { ...plan, list: { menus: count, at, unmanaged } };
  const revision = { ref: "live", commit: null };
  const problems = [...inFiles, ...found.sorted()];
  return compared(context, shown, { ...about, revision, unreadable }, problems);
}

interface About {
  readonly revision?: Revision | undefined;
  readonly environment: string | undefined;
  /** The agent list that was used. Undefined if it is that of the service. */
  readonly list: string | undefined;
  /** The menus that cannot be compared. */
  readonly unreadable?: ReadonlySet<string>;
}

function compared(
  { flags, globals, host, terminal }: DiffContext,
  plan: Plan | undefined,
  { revision, environment, list, unreadable }: About,
  diagnostics: readonly Diagnostic[],
) {
  const about = aboutComparison(list);
  if (plan) terminal.note(`${visible(about)}\n`);
  const shown = {
    plan,
    revision,
    environment: environment ?? globals.env ?? (host.env["IVRCTL_ENV"] || null),
    summary: flags.summary,
    payloads: terminal.verbose,
    diagnostics,
  };
  const hasFailed = !plan || diagnostics.some(({ severity }) => severity === "error");
  const count = (plan?.changes.length ?? 0) + (unreadable?.size ?? 0);
  const hasMore = flags["detailed-exitcode"] && count > 0;
  const exit: ExitCode = hasFailed ? 1 : hasMore ? 2 : 0;
  return { exit, ...comparisonResult(shown, about) };
}
