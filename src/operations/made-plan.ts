import { type LeftRescue, leftRescues } from "../deploy/state/rescue-files.ts";
import {
  type PlanRequest,
  type Planned,
  planProject,
  reportFileErrors,
} from "../deploy/plan/plan-project.ts";
import { reportMissingCommits, reportUncommitted } from "../deploy/plan/applied-commit.ts";
import { type Present, readAccount } from "../deploy/listed/read-account.ts";
import { reportOrigin } from "../deploy/service/list-agents.ts";
import {
  type Endpoint,
  chosenEndpoint,
  environmentName,
  readOnly,
} from "../deploy/service/connect.ts";
import { isInFile } from "../deploy/reasons/kinds.ts";
import { matters } from "../deploy/matters/matters.ts";
import { readState } from "../deploy/state/access.ts";
import { isUnnamed, openStore } from "../deploy/state/open-store.ts";
import { State, type StateView } from "../deploy/state/state.ts";
import type { Lock } from "../deploy/state/lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readAgents } from "../project/agents-lock.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import { type PlanDocument } from "../views/plan/plan-result.ts";
import { serviceWatcher } from "../views/service.ts";
import type { Caller } from "./caller.ts";

export interface MadePlan {
  /** Undefined if there is no plan. The diagnostics say why. */
  readonly planned: Planned | undefined;
  readonly shown: Omit<PlanDocument, "diagnostics" | "matters"> &
    Required<Pick<PlanDocument, "matters">>;
  /** Whether a file is wrong, although the plan does everything else. */
  readonly mustChangeFiles: boolean;
  /** Whether the service was asked. Otherwise, the agents are those of the list in the project. */
  readonly isLive: boolean;
}

interface AskedPlan extends PlanRequest {
  /** The agent list to use. Default: the one of the service. */
  readonly agentsFile?: string | undefined;
  /** Whether the run with this lock has ended, if the platform of the pipeline knows. */
  readonly hasEnded?: (lock: string) => Promise<boolean | undefined>;
}

/** Makes the plan of an environment. Changes nothing and takes no lock. */
export async function makePlan(
  context: Caller,
  { agentsFile, hasEnded: knows, ...request }: AskedPlan,
  diagnostics: Diagnostics,
): Promise<MadePlan> {
  const { root, host, reads } = context;
  const mayConnect = reads === undefined || reads === "check";
  const token = agentsFile === undefined && mayConnect;
  const opened = await openProject(context);
  const project = (await context.latest?.(opened)) ?? opened;
  const chosen = chosenEndpoint(project, diagnostics, { token, state: true });
  const reading = chosen && reads ? readOnly(chosen, reads) : chosen;
  const isLive = reading !== undefined || mayConnect;
  const endpoint = reading ?? chosen;
  const {
    state,
    lock = null,
    rescues,
  } = endpoint ? await readRecord(context, endpoint, diagnostics) : {};
  const watcher = serviceWatcher(context);
  const { environment } = project;
  const options = { root, host, watcher, state, file: agentsFile, environment };
  const present =
    endpoint &&
    (isLive
      ? await readAccount(endpoint, options, diagnostics)
      : readWithoutToken(project, endpoint, reads, diagnostics));
  const input = present && state && { project, endpoint, state, ...present };
  if (input) reportOrigin(input.agents, agentsFile, endpoint, diagnostics);
  else reportFileErrors(project, diagnostics);
  if (state) {
    await reportMissingCommits(project, state, "warning", diagnostics, context.originOf);
  }
  const planned = input && planProject(input, request, diagnostics);
  const { plan, refused: isRefused } = planned ?? {};
  if (plan && state) await reportUncommitted(project, state, plan, diagnostics);
  const knownState = plan?.knownState ?? input?.state;
  const hasEnded = lock === null ? undefined : await knows?.(lock.id);
  const sources = {
    environment: endpoint?.environment ?? "",
    plan,
    isRefused,
    isWhole: reads === "check",
    lock,
    hasEnded,
    rescues,
  };
  const open = knownState ? matters({ ...sources, state: knownState }) : [];
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
  context: Caller,
  { environment, state: settings }: Endpoint,
  diagnostics: Diagnostics,
): Promise<{
  readonly state?: StateView | undefined;
  readonly lock?: Lock | null;
  readonly rescues?: readonly LeftRescue[];
}> {
  // The plan is shown, and refused.
  if (settings && context.reads === "offline" && settings.store.kind !== "file") {
    diagnostics.add(
      "IVR407",
      settings.place,
      `The state of ${environment} is in the backend ${settings.store.kind}, which a plan without credentials cannot read.`,
      diffHint,
    );
    return {};
  }
  const unnamed = settings && isUnnamed(settings) ? new State() : undefined;
  const store = unnamed ? undefined : await openStore(context, environment, settings, diagnostics);
  const reading = store && (await readState(store, diagnostics));
  const state = unnamed ?? reading?.state;
  const rescues = state ? leftRescues(context.root, environment, diagnostics) : [];
  return { state, lock: reading?.holder ?? null, rescues };
}

const diffHint = {
  words: "To see what changes for callers since a git revision, run:",
  argv: ["diff"],
};

/** What a plan is made from if there is no token: the agent list of the project. */
function readWithoutToken(
  project: Project,
  { operations, settings }: Endpoint,
  reads: Caller["reads"],
  diagnostics: Diagnostics,
): Present | undefined {
  if (operations.has("numbers")) {
    diagnostics.add(
      "IVR407",
      settings.place,
      "A plan without a token cannot see what phone numbers point to.",
      reads === "offline" ? diffHint : "Add `read_token:`, a token that can only read.",
    );
    return undefined;
  }
  const agents = readAgents(project, { agentsRequired: true }, diagnostics);
  return agents && { agents, lists: {} };
}
