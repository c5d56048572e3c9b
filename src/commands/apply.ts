import type { Agents } from "../compile/agents.ts";
import {
  type Applied,
  type Result,
  applyPlan,
  isIdle,
  untouched,
} from "../deploy/apply/apply-plan.ts";
import { openFollowUps } from "../deploy/state/state.ts";
import { Pace } from "../deploy/apply/pace.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { type Run, reconciled, rescueOf } from "../deploy/apply/rescue.ts";
import type { Session, StateStore } from "../deploy/state/store.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { FollowUp } from "../schema/state.ts";
import {
  Progress,
  type Rescued,
  sayInterrupted,
  sayNotApplied,
  showApplied,
  storeProgress,
} from "../views/apply.ts";
import { confirm } from "../views/ask.ts";
import { sayPlan } from "../views/plan/index.ts";
import { type Project, openProject } from "../project/open-project.ts";
import { type Context, type ExitCode, UsageError, command } from "../cli/command.ts";
import {
  type Connection,
  type Endpoint,
  endpointOf,
  openEndpoint,
  tellOfToken,
} from "../deploy/service/connect.ts";
import { Interruption } from "../util/interruption.ts";
import {
  type PlanRequest,
  type Planned,
  agentsFor,
  isWithoutState,
  judgeSize,
  judgeState,
  planFlags,
  planProject,
  requestOf,
  tellOfFaults,
  tellOfFile,
} from "../deploy/plan/plan-project.ts";
import { keepRescue } from "../deploy/apply/rescue-files.ts";
import {
  type SavedPlan,
  environmentOf,
  judgeMaking,
  judgeSaved,
  readSaved,
} from "../deploy/plan/saved-plan.ts";
import { addProblem, lockFlags, lockState, whereSound } from "../deploy/state/access.ts";
import { storeFor } from "../deploy/state/open-store.ts";

const flags = {
  "auto-approve": { type: "boolean", about: "Do not ask" },
  ...planFlags,
  "new-state": {
    type: "boolean",
    about: "For a real service that has no state yet: create everything",
  },
  ...lockFlags,
} as const;

export default command({
  takes: "[PLANFILE]",
  arguments: { PLANFILE: "A plan that `ivrctl plan --out` saved" },
  maxArguments: 1,
  about:
    "Creates the menus that the plan shows. With a plan file it does exactly what that plan says, or refuses. Without one it makes a plan, shows it and asks. It never repeats a request whose outcome is unknown.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl apply", "plan, review, confirm"],
    ["ivrctl apply plan.json", "in a pipeline: exactly what was reviewed"],
    ["ivrctl apply --auto-approve", "without asking"],
  ],
  async run(context): Promise<ExitCode> {
    const { args, terminal, root } = context;
    const request = requestOf(context.flags);
    const [file] = args;
    if (file !== undefined && request.targets.narrow) {
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
    const project = diagnostics.hasErrors ? undefined : await openProject(context, { environment });
    const endpoint = project && endpointOf(project, diagnostics, { token: true, state: true });
    if (context.flags.agents !== undefined && endpoint?.local === false) {
      throw new UsageError(
        `--agents is for the sandbox and services on this machine; ${endpoint.address} is asked itself.`,
      );
    }
    const interruption = new Interruption(() => sayInterrupted(terminal));
    try {
      const ended: Ended =
        project === undefined || endpoint === undefined
          ? { exit: 1 }
          : await perform({
              context,
              project,
              endpoint,
              saved,
              request,
              diagnostics,
              interruption,
            });
      if (project && file === undefined && ended.exit === 1 && ended.said === undefined) {
        tellOfFaults(project, diagnostics);
      }
      const name = endpoint?.environment ?? saved?.plan.environment ?? null;
      await showApplied({ environment: name, ...ended }, diagnostics.sorted(), context);
      return ended.exit;
    } finally {
      interruption.end();
    }
  },
});

interface Task {
  readonly context: Context<typeof flags>;
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly saved: SavedPlan | undefined;
  readonly request: PlanRequest;
  readonly diagnostics: Diagnostics;
  readonly interruption: Interruption;
}

/** How an apply ended. */
interface Ended {
  readonly exit: ExitCode;
  readonly applied?: Applied;
  readonly rescued?: Rescued;
  /** What would have been done, where it did not come to it. */
  readonly undone?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
  /** What was found so far has been said with the plan. */
  readonly said?: readonly Diagnostic[];
}

const interrupted: Ended = { exit: 130 };

async function perform(task: Task): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { halt: signal, stop } = interruption;
  const { environment } = endpoint;
  const store = await storeFor(context, endpoint, diagnostics);
  if (store === undefined) {
    tellOfToken(endpoint);
    return { exit: 1 };
  }
  const about = { command: "apply", signal, stop, watcher: storeProgress(context) };
  const access = await lockState(context, { environment, store }, about, diagnostics);
  if (access.kind === "refused") return { exit: access.exit };
  const { session, run } = access;
  try {
    refuseWithoutState(task, session);
    const file = context.flags.agents;
    const given = await agentsFor(context.root, file, undefined, diagnostics);
    if (diagnostics.hasErrors) return { exit: 1 };
    const wishes = { agents: given?.list, signal };
    const connection = await openEndpoint(context, endpoint, diagnostics, wishes);
    if (signal.aborted) return interrupted;
    if (connection === undefined) return { exit: 1 };
    try {
      return await planAndCarryOut(task, { store, session, run }, connection, given);
    } finally {
      await connection.close();
    }
  } finally {
    await session.close();
  }
}

/** The state while it is locked. */
interface Locked {
  readonly store: StateStore;
  readonly session: Session;
  readonly run: Run;
}

async function planAndCarryOut(
  task: Task,
  locked: Locked,
  connection: Connection,
  given: Agents | undefined,
): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { halt } = interruption;
  const { session } = locked;
  const listing = new Diagnostics();
  const agents = given ?? (await agentsFor(context.root, undefined, connection, listing, halt));
  if (halt.aborted) return interrupted;
  diagnostics.addAll(listing);
  if (agents === undefined) return { exit: 1 };
  tellOfFile(agents, context.flags.agents, diagnostics);
  const planned = planOf(task, agents, session);
  const plan = planned?.plan;
  const refused = plan === undefined || planned?.refused === true;
  const said = diagnostics.sorted();
  const noState = isWithoutState(endpoint, session.state);
  const { environment } = endpoint;
  const asks = !context.flags["auto-approve"] && task.saved === undefined;
  // Nobody is asked about what they have not seen.
  const globals = asks ? { ...context.globals, quiet: false } : context.globals;
  await sayPlan(
    { plan, environment, noState, refused, diagnostics: said },
    { ...context, globals },
  );
  const before = { said, followUps: openFollowUps(session.state) };
  if (plan === undefined) return { exit: 1, ...before };
  const undone = untouched(plan, session.state);
  if (refused) return { exit: 1, undone, ...before };
  if (!(await approved(task, plan))) {
    return { exit: exitOf(undone, halt.aborted, true), undone, ...before };
  }
  return { ...(await carryOut(task, plan, locked, connection)), said };
}

function planOf(
  { project, endpoint, saved, request, diagnostics }: Task,
  agents: Agents,
  { state }: Session,
): Pick<Planned, "plan" | "refused"> | undefined {
  if (saved === undefined) {
    return planProject(project, { endpoint, agents, state, request }, diagnostics);
  }
  const { plan } = saved;
  judgeState(endpoint, agents, state, diagnostics);
  judgeSaved(saved, { project, endpoint, agents, state }, diagnostics);
  judgeSize(plan, request, endpoint, diagnostics);
  if (!diagnostics.hasErrors) {
    judgeMaking(saved, { project, endpoint, agents, state }, diagnostics);
  }
  return { plan, refused: diagnostics.hasErrors };
}

function refuseWithoutState({ context, endpoint, diagnostics }: Task, { state }: Session): void {
  if (!isWithoutState(endpoint, state) || context.flags["new-state"]) return;
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

async function carryOut(
  { context, endpoint, diagnostics, interruption }: Task,
  plan: Plan,
  { store, session, run }: Locked,
  { service }: Connection,
): Promise<Ended> {
  const { settings } = endpoint;
  const limits =
    settings.kind === "http" ? settings : { concurrency: 4, requestsPerSecond: null, timeout: 30 };
  const progress = new Progress(plan, context);
  let applied = await applyPlan(plan, {
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
  const { problem } = applied;
  const until = new Date().toISOString();
  const rescueFor = ({ unrecorded }: Applied) => rescueOf(unrecorded, session.state, run, until);
  if (problem !== undefined) {
    addProblem(problem, store.place, diagnostics);
    const known = rescueFor(applied);
    const history = await whereSound(store, new Diagnostics(), () => store.history());
    if (known !== undefined && history !== undefined) {
      const entries = history.map(({ entry }) => entry);
      applied = reconciled(applied, known, entries);
    }
  }
  const rescue = rescueFor(applied);
  const exit = exitOf(applied.results, interruption.halt.aborted, problem !== undefined);
  return {
    exit,
    applied,
    followUps: openFollowUps(session.state),
    ...(rescue && { rescued: { rescue, file: keepRescue(context.root, rescue) } }),
  };
}

/** Of several reasons the gravest. */
function exitOf(results: readonly Result[], halted: boolean, failed: boolean): ExitCode {
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  if (outcomes.has("unknown")) return 3;
  if (halted) return 130;
  return failed || outcomes.has("failed") || outcomes.has("not_attempted") ? 1 : 0;
}
