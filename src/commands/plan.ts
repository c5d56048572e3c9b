import { type LeftRescue, leftRescues } from "../deploy/state/rescue.ts";
import {
  type PlanRequest,
  type Planned,
  planProject,
  reportFileErrors,
} from "../deploy/plan/plan-project.ts";
import { reportOlder } from "../deploy/plan/older.ts";
import { type Present, readAccount } from "../deploy/listed/read-account.ts";
import { reportOrigin } from "../deploy/service/list-agents.ts";
import {
  type Endpoint,
  chosenEndpoint,
  environmentName,
  readOnly,
} from "../deploy/service/connect.ts";
import { isInFile } from "../deploy/matters/kinds.ts";
import { exitFor } from "../deploy/matters/matter.ts";
import { matters } from "../deploy/matters/matters.ts";
import { readState } from "../deploy/state/access.ts";
import { isUnnamed, openStore } from "../deploy/state/open-store.ts";
import { State, type StateView } from "../deploy/state/state.ts";
import type { Lock } from "../deploy/state/lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readAgents } from "../project/agents-lock.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import type { Files } from "../project/files.ts";
import { writeOut } from "../project/write-file.ts";
import { UsageError } from "../util/usage-error.ts";
import { type ShownPlan, planResult, savedText } from "../views/plan/index.ts";
import { planJson } from "../views/plan/plan-json.ts";
import { serviceWatcher } from "../views/service.ts";
import { type Context, command } from "../cli/command.ts";
import { type liveAgentsFlags, planFlags, planRequest, repeatedFlags } from "../cli/flags.ts";
import { suggest } from "../util/suggest.ts";

const flags = {
  out: {
    value: "FILE",
    about: "Save the plan to this file, so that `ivrctl apply FILE` does exactly this",
  },
  "detailed-exitcode": {
    about: "Exit with 2 if apply would send something or exit with 1 or 3",
  },
  ...planFlags,
} as const;

export default command({
  about:
    "Show what apply would do, and what changes for callers. Identical changes are grouped.\n\nChanges nothing and takes no lock.\n\nExit codes: 0 if there is a plan, 1 if not, or if a file has to change, for example because an agent gets no calls. With --detailed-exitcode, 2 if apply would send something or exit with 1 or 3.",
  flags,
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl plan", "show what would change"],
    ["ivrctl plan --summary", "one line for each change"],
    ["ivrctl plan --verbose", "each menu on its own, with what changes in its payload"],
    ["ivrctl plan --out plan.json", "save the plan for a review and `ivrctl apply plan.json`"],
    ["ivrctl plan --target 'sales/*'", "only some menus"],
    ["ivrctl plan --format markdown", "for a comment on a pull request"],
  ],
  async run(context) {
    const { root, flags, terminal } = context;
    const { out } = flags;
    const request = planRequest(flags);
    if (out === "-") {
      throw new UsageError("`--out` must be a file. To print the same plan, use --format json.");
    }
    const diagnostics = new Diagnostics();
    const made = await makePlan(context, request, diagnostics);
    const { planned } = made;
    const shown = {
      ...made.shown,
      summary: flags.summary,
      payloads: terminal.verbose,
      diagnostics: diagnostics.sorted(),
    };
    const isMade = planned !== undefined && !planned.refused;
    const isSaved =
      isMade && (out === undefined || writeOut(root, out, planJson(shown), terminal, diagnostics));
    const failed = !isSaved || made.mustChangeFiles;
    const hasMore = (planned?.plan.changes.length ?? 0) > 0 || exitFor(shown.matters) > 0;
    const exit = failed ? 1 : flags["detailed-exitcode"] && hasMore ? 2 : 0;
    const { environment } = made.shown;
    const argv = suggest("apply", [], environment ?? undefined, repeatedFlags(flags));
    const result = planResult({ ...shown, diagnostics: diagnostics.sorted() }, argv);
    return {
      exit,
      ...result,
      ...(isSaved && out !== undefined && { next: (page) => savedText(out, page) }),
    };
  },
});

/** A plan, and what it was made from. */
interface MadePlan {
  /** Undefined if there is no plan. The diagnostics say why. */
  readonly planned: Planned | undefined;
  readonly shown: Omit<ShownPlan, "diagnostics" | "matters"> & Required<Pick<ShownPlan, "matters">>;
  /** Whether a file is wrong, although the plan does everything else. */
  readonly mustChangeFiles: boolean;
  /** Whether the service was asked. Otherwise, the agents are those of the list in the project. */
  readonly isLive: boolean;
}

type PlanContext = Omit<Context<typeof liveAgentsFlags>, "args" | "format"> & {
  /** Default: the files on disk. */
  readonly files?: Files;
  /** Whether the run with this lock has ended, if the platform of the pipeline knows. */
  readonly hasEnded?: (lock: string) => Promise<boolean | undefined>;
};

/** Makes the plan of an environment. Changes nothing and takes no lock. */
export async function makePlan(
  context: PlanContext,
  request: PlanRequest,
  diagnostics: Diagnostics,
): Promise<MadePlan> {
  const { root, host, flags, reads } = context;
  const token = flags.agents === undefined && reads !== "review";
  const opened = await openProject(context);
  const project = (await context.latest?.(opened)) ?? opened;
  const chosen = chosenEndpoint(project, diagnostics, { token, state: true });
  const reading = chosen && reads ? readOnly(chosen) : chosen;
  const isLive = reading !== undefined || reads !== "review";
  const endpoint = reading ?? chosen;
  const {
    state,
    lock = null,
    rescues,
  } = endpoint ? await readRecord(context, endpoint, diagnostics) : {};
  const watcher = serviceWatcher(context);
  const { environment } = project;
  const options = { root, host, watcher, state, file: flags.agents, environment };
  const present =
    endpoint &&
    (isLive
      ? await readAccount(endpoint, options, diagnostics)
      : readWithoutToken(project, endpoint, diagnostics));
  const input = present && state && { project, endpoint, state, ...present };
  if (input) reportOrigin(input.agents, flags.agents, endpoint, diagnostics);
  else reportFileErrors(project, diagnostics);
  if (state) {
    await reportOlder(project, state, "warning", diagnostics);
  }
  const planned = input && planProject(input, request, diagnostics);
  const { plan, refused: isRefused } = planned ?? {};
  const known = plan?.known ?? input?.state;
  const hasEnded = lock === null ? undefined : await context.hasEnded?.(lock.id);
  const about = {
    environment: endpoint?.environment ?? "",
    plan,
    isRefused,
    lock,
    hasEnded,
    rescues,
  };
  const open = known ? matters({ ...about, state: known }) : [];
  return {
    planned,
    isLive,
    mustChangeFiles: diagnostics.hasErrors || open.some(isInFile),
    shown: {
      matters: open,
      plan: planned?.plan,
      environment: endpoint?.environment ?? environmentName(project, context) ?? null,
      state: input?.state,
      refused: planned?.refused === true,
      made: planned && { from: planned.from, at: host.clock.now().toISOString() },
    },
  };
}

/** Reads the state, and which run holds its lock. */
async function readRecord(
  context: PlanContext,
  { environment, state: settings }: Endpoint,
  diagnostics: Diagnostics,
): Promise<{
  readonly state?: StateView | undefined;
  readonly lock?: Lock | null;
  readonly rescues?: readonly LeftRescue[];
}> {
  // The plan is shown, and refused.
  const unnamed = settings && isUnnamed(settings) ? new State() : undefined;
  const store = unnamed ? undefined : await openStore(context, environment, settings, diagnostics);
  const reading = store && (await readState(store, diagnostics));
  const state = unnamed ?? reading?.state;
  const rescues = state ? leftRescues(context.root, environment, diagnostics) : [];
  return { state, lock: reading?.holder ?? null, rescues };
}

/** What a plan is made from if there is no token: the agent list of the project. */
function readWithoutToken(
  project: Project,
  { operations, settings }: Endpoint,
  diagnostics: Diagnostics,
): Present | undefined {
  if (operations.has("numbers")) {
    diagnostics.add(
      "IVR407",
      settings.place,
      "A plan without a token cannot see what phone numbers point to.",
      "Add `read_token:`, a token that can only read.",
    );
    return undefined;
  }
  const agents = readAgents(project, { agentsRequired: true }, diagnostics);
  return agents && { agents, lists: {} };
}
