import { type Applied, applyPlan } from "../deploy/apply.ts";
import { Pace } from "../deploy/pace.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { Session } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { FollowUp } from "../schema/state.ts";
import { Progress, sayInterrupted, sayNotApplied, showApplied } from "../views/apply.ts";
import { confirm } from "../views/ask.ts";
import { sayPlan } from "../views/plan/index.ts";
import { type Context, type ExitCode, UsageError, command } from "./command.ts";
import { type Connection, type Endpoint, chooseEndpoint, openEndpoint } from "./connect.ts";
import { Interruption } from "./interruption.ts";
import {
  type PlanRequest,
  type Planned,
  agentsFor,
  judgeSize,
  judgeState,
  planFlags,
  planProject,
  requestOf,
  tellOfFile,
} from "./planning.ts";
import { type SavedPlan, environmentOf, judgeSaved, readSaved } from "./saved-plan.ts";
import { lockFlags, lockState, storeOf } from "./state-access.ts";

const flags = {
  "auto-approve": { type: "boolean", about: "do not ask" },
  ...planFlags,
  "new-state": {
    type: "boolean",
    about: "for a real service without a state: everything is to be created",
  },
  ...lockFlags,
} as const;

export default command({
  takes: "[PLANFILE]",
  maxArguments: 1,
  about:
    "Creates the menus that the plan says. With a plan file it does exactly that plan, or refuses; without one it plans, shows the plan and asks. Nothing whose outcome is unknown is ever sent again by itself.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl apply", "plan, look, say yes"],
    ["ivrctl apply plan.json", "in a pipeline: what was reviewed, and nothing else"],
    ["ivrctl apply --auto-approve", "without a question"],
  ],
  async run(context): Promise<ExitCode> {
    const { args, terminal, root } = context;
    const request = requestOf(context.flags);
    const [file] = args;
    if (file !== undefined && request.targets.length > 0) {
      throw new UsageError("A plan file says what is applied: --target is for `ivrctl plan`.");
    }
    if (file === undefined && !context.flags["auto-approve"] && !terminal.interactive) {
      throw new UsageError(
        "There is no terminal to ask at: give --auto-approve, or a plan file made by `ivrctl plan --out`.",
      );
    }
    const diagnostics = new Diagnostics();
    const saved = file === undefined ? undefined : readSaved(root, file, diagnostics);
    const environment = saved && environmentOf(saved, context, diagnostics);
    const endpoint = diagnostics.hasErrors
      ? undefined
      : chooseEndpoint(context, diagnostics, environment);
    if (context.flags.agents !== undefined && endpoint?.local === false) {
      throw new UsageError(
        `--agents is for the sandbox and services on this machine; ${endpoint.address} is asked itself.`,
      );
    }
    const interruption = new Interruption(() => sayInterrupted(terminal));
    try {
      const ended =
        endpoint === undefined
          ? { exit: 1 as const }
          : await perform({ context, endpoint, saved, request, diagnostics, interruption });
      const shown = {
        environment: endpoint?.environment ?? saved?.plan.environment ?? null,
        ...ended,
      };
      await showApplied(shown, diagnostics.sorted(), context);
      return ended.exit;
    } finally {
      interruption.end();
    }
  },
});

interface Task {
  readonly context: Context<typeof flags>;
  readonly endpoint: Endpoint;
  readonly saved: SavedPlan | undefined;
  readonly request: PlanRequest;
  readonly diagnostics: Diagnostics;
  readonly interruption: Interruption;
}

/** How an apply ended; without `applied` it did not come to it. */
interface Ended {
  readonly exit: ExitCode;
  readonly plan?: Plan;
  readonly applied?: Applied;
  readonly followUps?: readonly FollowUp[];
}

async function perform(task: Task): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { environment } = endpoint;
  const access = await lockState(
    context,
    { environment, command: "apply", signal: interruption.halt },
    diagnostics,
  );
  if (access.kind === "refused") return { exit: access.exit };
  const { session } = access;
  let connection: Connection | undefined;
  try {
    const file = context.flags.agents;
    refuseWithoutState(task, session);
    const given = await agentsFor(context.root, file, undefined, diagnostics);
    if (diagnostics.hasErrors) return { exit: 1 };
    connection = await openEndpoint(context, endpoint, diagnostics, given?.list);
    if (connection === undefined) return { exit: 1 };
    const agents = given ?? (await agentsFor(context.root, undefined, connection, diagnostics));
    if (agents === undefined) return { exit: 1 };
    tellOfFile(agents, file, diagnostics);
    const planned = planOf(task, agents, session);
    const plan = planned?.plan;
    const noState = !endpoint.local && session.state.origin === null;
    const refused = plan === undefined || planned?.refused === true;
    await sayPlan(
      { plan, environment, noState, refused, diagnostics: diagnostics.sorted() },
      context,
    );
    if (refused) return { exit: 1, ...(plan && { plan }) };
    if (!(await approved(task, plan))) return { exit: interruption.halt.aborted ? 130 : 1, plan };
    return await carryOut(task, plan, session, connection);
  } finally {
    await connection?.close();
    await session.close();
  }
}

function planOf(
  { context, endpoint, saved, request, diagnostics }: Task,
  agents: Parameters<typeof judgeState>[1],
  { state }: Session,
): Pick<Planned, "plan" | "refused"> | undefined {
  if (saved === undefined) {
    return planProject(context, { endpoint, agents, state, request }, diagnostics);
  }
  const { plan } = saved;
  judgeState(endpoint, agents, state, diagnostics);
  judgeSaved(saved, { context, endpoint, agents, state }, diagnostics);
  judgeSize(plan, request, endpoint, diagnostics);
  return { plan, refused: diagnostics.hasErrors };
}

function refuseWithoutState({ context, endpoint, diagnostics }: Task, { state }: Session): void {
  if (endpoint.local || state.origin !== null || context.flags["new-state"]) return;
  diagnostics.add(
    "IVR608",
    endpoint.settings.place,
    `There is no record of anything created on ${endpoint.address}, so every menu would be created, also those that exist.`,
    "Bring the state to where it belongs. If nothing was ever created through ivrctl: apply --new-state",
  );
}

async function approved({ context, endpoint, saved, interruption }: Task, plan: Plan) {
  if (saved !== undefined || context.flags["auto-approve"] || isIdle(plan)) return true;
  const question = `Apply this to ${endpoint.environment} (${endpoint.address})?`;
  if (await confirm(question, context.terminal, interruption.halt)) return true;
  sayNotApplied(context.terminal);
  return false;
}

/** Nothing is left for apply to do; for a person there may be. */
function isIdle({ changes }: Plan): boolean {
  return changes.every(({ action }) => action === "unknown");
}

async function carryOut(
  { context, endpoint, diagnostics, interruption }: Task,
  plan: Plan,
  session: Session,
  { service }: Connection,
): Promise<Ended> {
  const { settings, environment } = endpoint;
  const limits =
    settings.kind === "http" ? settings : { concurrency: 4, requestsPerSecond: null, timeout: 30 };
  const progress = new Progress(plan, context);
  const applied = await applyPlan(plan, {
    session,
    service,
    concurrency: limits.concurrency,
    pace: new Pace(limits.requestsPerSecond),
    timeout: limits.timeout,
    watcher: progress,
    halt: interruption.halt,
    stop: interruption.stop,
  });
  progress.end();
  const { problem, results } = applied;
  if (problem !== undefined) {
    const { place } = storeOf(context.root, environment);
    diagnostics.addFile(problem.code, place, problem.message, problem.hint);
  }
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  const failed = problem !== undefined || outcomes.has("failed") || outcomes.has("not_attempted");
  const exit = outcomes.has("unknown") ? 3 : interruption.halt.aborted ? 130 : failed ? 1 : 0;
  return { exit, plan, applied, followUps: [...session.state.followUps.values()] };
}
