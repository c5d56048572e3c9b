import { recordsOf } from "../deploy/state/view.ts";
import { compileProject } from "../workspace/compile-project.ts";
import { openProject } from "../workspace/open-project.ts";
import { planSince } from "../deploy/plan/changes/plan-since.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { aboutComparison, comparisonResult } from "../views/plan/plan-result.ts";
import type { ExitCode } from "../views/result.ts";
import { readLive } from "./opened-source.ts";
import { compareLive as liveMenus } from "../live/live-comparison.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { Revision } from "../views/plan/describe.ts";
import { pastMenus } from "../deploy/plan/changes/past-menus.ts";
import { findSnapshot, readAgents, snapshotName } from "../project/agents-lock.ts";
import type { Caller } from "./caller.ts";

interface AskedComparison {
  /** A git revision, or `live` for the service. */
  readonly ref: string;
  readonly summary: boolean;
  /** Whether the exit code is 2 if anything changes. */
  readonly hasDetailedExit: boolean;
}

/** Shows what changes for callers since a git revision, or compared with the service. */
export async function compare(context: Caller, asked: AskedComparison) {
  const { ref } = asked;
  if (ref === "live") return compareLive(context, asked);
  const diagnostics = new Diagnostics();
  const project = await openProject(context);
  const agentsRequired = project.source !== undefined;
  const agents = readAgents(project, { agentsRequired }, diagnostics);
  const now = compileProject(project, { agents, allMenus: !diagnostics.hasErrors });
  diagnostics.addAll(now.diagnostics);
  const { environment } = now;
  const past =
    agents && environment && !diagnostics.hasErrors
      ? await pastMenus({ ref, place: context, environment: environment.name, agents }, diagnostics)
      : undefined;
  if (past && now.menus.length + past.menus.length === 0) {
    diagnostics.addAt("IVR125", { file: "ivrs" }, "There are no menus under ivrs/.");
  }
  const plan = past && planSince(now, past, environment?.name ?? "", diagnostics);
  const list = findSnapshot(project.files, project.environment?.name) ?? snapshotName;
  const revision = past && { ref, commit: past.commit };
  const origin = { revision, environment: environment?.name, list };
  return compared(context, asked, plan, origin, diagnostics.sorted());
}

/** Compares the files with the menus that the service has. */
async function compareLive(context: Caller, asked: AskedComparison) {
  const diagnostics = new Diagnostics();
  const options = { paths: [], agentsRequired: false } as const;
  const live = await readLive(context, options, diagnostics);
  const origin = { environment: live?.environment.name, list: undefined };
  const { project, lists, environment } = live ?? {};
  const inFiles = project?.diagnostics ?? [];
  if (!live || !project || !lists || !environment || project.hasErrors || diagnostics.hasErrors) {
    return compared(context, asked, undefined, origin, [...inFiles, ...diagnostics.sorted()]);
  }
  const { menus, unreadable, unmanaged } = liveMenus(live, project);
  const readable = project.menus.filter(({ key = "" }) => !unreadable.has(key));
  const past = { menus, lists, recordings: recordsOf(live.state, "recording") };
  const plan = planSince({ ...project, menus: readable }, past, environment.name, diagnostics);
  const { count, at } = lists.menus;
  const listedPlan = { ...plan, list: { menus: count, at, unmanaged } };
  const revision = { ref: "live", commit: null };
  const problems = [...inFiles, ...diagnostics.sorted()];
  return compared(context, asked, listedPlan, { ...origin, revision, unreadable }, problems);
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
  { globals, host, terminal }: Caller,
  asked: AskedComparison,
  plan: Plan | undefined,
  { revision, environment, list, unreadable }: About,
  diagnostics: readonly Diagnostic[],
) {
  const subject = aboutComparison(list);
  if (plan) terminal.note(`${visible(subject)}\n`);
  const document = {
    plan,
    revision,
    environment: environment ?? globals.env ?? (host.env["IVRCTL_ENV"] || null),
    summary: asked.summary,
    payloads: terminal.verbose,
    diagnostics,
  };
  const hasFailed = !plan || diagnostics.some(({ severity }) => severity === "error");
  const count = (plan?.changes.length ?? 0) + (unreadable?.size ?? 0);
  const hasMore = asked.hasDetailedExit && count > 0;
  const exit: ExitCode = hasFailed ? 1 : hasMore ? 2 : 0;
  return { exit, ...comparisonResult(document, subject) };
}
