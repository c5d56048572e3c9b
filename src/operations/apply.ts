import { worstExitCode, lockRequest, refusalCodes } from "./lock-request.ts";
import type { Agents } from "../project/agent-list.ts";
import type { ApplyOptions } from "../deploy/apply/apply-options.ts";
import {
  type Applied,
  initialResults,
  isIdle,
  recordsNothing,
  stepsAwaitingIds,
  withWaits,
} from "../deploy/apply/step-results.ts";
import { applyAndRescue } from "../deploy/apply/apply-and-rescue.ts";
import { reportMissingCommits, reportUncommitted } from "../deploy/plan/applied-commit.ts";
import { readPresent } from "../deploy/listed/read-account.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import {
  type PlanInput,
  type PlanRequest,
  type Planned,
  planProject,
  refuses,
  reportFileErrors,
} from "../deploy/plan/plan-project.ts";
import {
  checkSaved,
  menusInFiles,
  hasMovedOn,
  planEnvironment,
  refuseBehind,
} from "../deploy/plan/saved/check-saved.ts";
import { type SavedPlan, readSaved } from "../deploy/plan/saved/plan-file.ts";
import { reportOrigin } from "../deploy/service/list-agents.ts";
import {
  type Connection,
  type Endpoint,
  chosenEndpoint,
  openEndpoint,
  reportToken,
} from "../deploy/service/connect.ts";
import { type LockedState, readState, reporting, underLock } from "../deploy/state/access.ts";
import type { StateStore } from "../deploy/state/log/state-store.ts";
import { leftRescues } from "../deploy/state/rescue-files.ts";
import type { Subject } from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import type { Claim } from "../deploy/state/lock.ts";
import { matters } from "../deploy/matters/matters.ts";
import { isOnConsole } from "../deploy/reasons/kinds.ts";
import { openFollowUps } from "../deploy/state/view.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../project/agents-lock.ts";
import { readCheckout } from "../workspace/checkout.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import { Interruption } from "../util/interruption.ts";
import { UsageError } from "../util/usage-error.ts";
import { ApplyProgress, storeProgress } from "../views/apply-progress.ts";
import { type EndedApply } from "../views/apply-result.ts";
import { confirm } from "../views/ask.ts";
import { planBefore } from "../views/plan/plan-result.ts";
import { problemsIn } from "../views/plan/describe.ts";
import { serviceWatcher } from "../views/service.ts";
import { askId } from "./ask-id.ts";
import { diagnosticsWithTotal } from "../views/diagnostics/diagnostics-text.ts";
import type { Caller } from "./caller.ts";

interface AskedApply extends PlanRequest {
  /** A plan file, or a plan that was reviewed. Default: a plan is made and shown. */
  readonly saved?: string | SavedPlan | undefined;
  /** Who takes the lock, and which runs are known to have ended. */
  readonly owner?: Partial<Pick<Claim, "by" | "id" | "hasEnded">>;
  /** Whether nobody has to agree to a plan that is made now. */
  readonly isApproved?: boolean;
  readonly agentsFile?: string | undefined;
  readonly summary?: boolean;
  /** In seconds. */
  readonly lockTimeout?: number | undefined;
}

/**
 * Applies a saved plan, or makes one and asks. What was prepared before the lock counts only if the state has
 * not changed since then.
 */
export async function apply(context: Caller, asked: AskedApply): Promise<EndedApply> {
  const { root } = context;
  const diagnostics = new Diagnostics();
  const saved =
    typeof asked.saved === "string" ? readSaved(root, asked.saved, diagnostics) : asked.saved;
  const environment = saved && planEnvironment(saved, context, diagnostics);
  const project = diagnostics.hasErrors ? undefined : await openProject(context, { environment });
  const endpoint = project && chosenEndpoint(project, diagnostics, { token: true, state: true });
  if (asked.agentsFile !== undefined && endpoint?.local === false) {
    throw new UsageError(
      `--agents works only with the sandbox and with services on this machine. Remove it. Then apply asks ${endpoint.address} for the agents.`,
    );
  }
  const progress = new ApplyProgress(context);
  const interruption = new Interruption(context.host, () => progress.interrupted());
  const task = { context, asked, saved, diagnostics, progress, interruption };
  try {
    const ended: Ended =
      project && endpoint ? await lock({ ...task, project, endpoint }) : { exit: 1 };
    if (project && saved === undefined && ended.exit === 1 && ended.printed === undefined) {
      reportFileErrors(project, diagnostics);
    }
    const name = endpoint?.environment ?? saved?.plan.environment ?? null;
    return { environment: name, ...ended, diagnostics: diagnostics.sorted() };
  } finally {
    interruption.end();
  }
}

interface Task {
  readonly context: Caller;
  readonly asked: AskedApply;
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly saved: SavedPlan | undefined;
  readonly diagnostics: Diagnostics;
  readonly progress: ApplyProgress;
  readonly interruption: Interruption;
}

type Ended = Omit<EndedApply, "environment" | "diagnostics">;

const interrupted: Ended = { exit: 130 };

/** Takes the lock of the state, and holds it until everything is recorded. */
async function lock(task: Task): Promise<Ended> {
  const { context, asked, endpoint, saved, diagnostics, interruption } = task;
  const { owner = {}, lockTimeout } = asked;
  const { environment, state } = endpoint;
  const store = await openStore(context, environment, state, diagnostics);
  if (store === undefined) {
    reportToken(endpoint);
    return { exit: 1 };
  }
  const reading = await readState(store, new Diagnostics());
  // If another run holds the lock or has left something, or the state has a problem, only the lock can tell.
  const now = reading?.lock === null && reading.notes.length === 0 ? reading.state : undefined;
  if (saved && now && refuseBehind(saved, now, diagnostics)) return { exit: 1 };
  const { halt: signal, stop } = interruption;
  const watching = { ...owner, signal, stop, lockTimeout, watcher: storeProgress(context) };
  const request = lockRequest(context, environment, "apply", watching);
  const early = now && (await prepareEarly(task, store, now));
  try {
    if (early?.isQuiet) return await finish(task, early);
    const ended = await underLock(
      context.root,
      { environment, store },
      request,
      diagnostics,
      async (locked): Promise<Ended> => {
        const { state: current } = locked.session;
        if (early?.state.head === current.head) return finish(task, early, locked);
        const latest = await latestOf(task);
        if (latest === undefined) return { exit: 1 };
        const prepared = await prepare(latest, current, store);
        return finish(latest, prepared, locked).finally(() => prepared.connection?.close());
      },
    );
    return typeof ended === "string" ? { exit: refusalCodes[ended] } : ended;
  } finally {
    await early?.connection?.close();
  }
}

/** The task with the files that the repository has now. The wait for the lock may have been long. */
async function latestOf(task: Task): Promise<Task | undefined> {
  const project = await task.context.latest?.(task.project);
  if (project === undefined) return task;
  const endpoint = chosenEndpoint(project, task.diagnostics, { token: true, state: true });
  return endpoint && { ...task, project, endpoint };
}

/** What apply is to do, before it sends or records anything. */
interface Prepared {
  readonly state: StateView;
  readonly reported: Diagnostics;
  /** Undefined if there is none, or if the lists of the service could not be read. */
  readonly connection?: Connection;
  readonly agents?: Agents;
  readonly plan?: Plan;
  /** Whether the plan cannot be applied. */
  readonly refused: boolean;
  /** Whether nothing is sent or recorded: there is nothing to do, or apply is refused. */
  readonly isQuiet: boolean;
}

/**
 * Prepares without the lock, so that an apply that sends and records nothing also writes nothing to the store.
 * Undefined if the files may change until this run has the lock, or if there are rescue files to record.
 */
async function prepareEarly(
  task: Task,
  store: StateStore,
  state: StateView,
): Promise<Prepared | undefined> {
  const { context, endpoint } = task;
  const unread = new Diagnostics();
  const rescues = leftRescues(context.root, endpoint.environment, unread);
  const isLater = context.latest !== undefined || rescues.length > 0 || unread.sorted().length > 0;
  return isLater ? undefined : prepare(task, state, store);
}

/** Connects to the service, and makes the plan or checks the saved one. */
async function prepare(task: Task, state: StateView, store: StateStore): Promise<Prepared> {
  const { context, project, endpoint, interruption, asked } = task;
  const { root, host } = context;
  const { agentsFile } = asked;
  const reported = new Diagnostics();
  const failed = { state, reported, refused: true, isQuiet: true };
  const agentList =
    agentsFile === undefined
      ? undefined
      : readAgentsFile(root, agentsFile, endpoint.environment, reported);
  if (reported.hasErrors) return failed;
  const signal = interruption.halt;
  const watcher = serviceWatcher(context);
  const options = { root, host, watcher, state, agents: agentList?.list, signal };
  const connection = await openEndpoint(endpoint, options, reported);
  if (connection === undefined) return failed;
  const connected = { ...failed, connection };
  const present = await readPresent(connection, project.environment, agentList, reported, signal);
  if (signal.aborted || present === undefined) return connected;
  const { agents } = present;
  reportOrigin(agents, agentsFile, endpoint, reported);
  const input = { project, endpoint, state, ...present };
  const made = await planOf(task, store, input, reported);
  if (made === undefined) return { ...connected, agents };
  const allowed = task.saved?.plan.allowed ?? [...asked.allowed, ...endpoint.allowed];
  const isOlder =
    !allowed.includes("older") &&
    !isIdle(made.plan) &&
    (await reportMissingCommits(project, state, "error", reported));
  await reportUncommitted(project, state, made.plan, reported);
  const refused = made.refused || isOlder;
  const isQuiet = refused || recordsNothing(made.plan, state);
  return { ...connected, agents, plan: made.plan, refused, isQuiet };
}

/** Shows the plan, and applies it if the user agrees. Without the lock, there is nothing to apply. */
async function finish(task: Task, prepared: Prepared, locked?: LockedState): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { halt } = interruption;
  const { state, reported, connection, agents, plan, refused } = prepared;
  if (halt.aborted) return interrupted;
  diagnostics.addAll(reported);
  if (connection === undefined || agents === undefined) return { exit: 1 };
  const printed = diagnostics.sorted();
  const { environment } = endpoint;
  const { terminal } = context;
  const { summary = false } = task.asked;
  const asksForIds = asks(task) && plan !== undefined && stepsAwaitingIds(plan).length > 0;
  const sources = { ...endpoint, plan, isRefused: refused, asksForIds };
  const open = matters({ ...sources, state: plan?.knownState ?? state });
  const document = { plan, environment, refused, summary, diagnostics: printed, matters: open };
  const words = planBefore({ ...document, isApplied: !asks(task) }, terminal);
  const problems = diagnosticsWithTotal(problemsIn(document).problems, terminal);
  // The user must see the plan before the question, even with --quiet.
  const say = (text: string) => (asks(task) ? terminal.say(text) : terminal.note(text));
  terminal.say(problems === "" || words.changes === "" ? problems : `${problems}\n`);
  say(words.changes);
  say(words.closing);
  const before = { plan, printed, followUps: openFollowUps(state), matters: open };
  if (plan === undefined) return { exit: 1, ...before };
  const notApplied = initialResults(plan, state);
  if (refused) return { exit: 1, notApplied, ...before };
  if (locked === undefined) {
    const applied = { results: withWaits(notApplied), problem: undefined, unrecorded: [] };
    return { ...before, ...ending(task, plan, applied, state) };
  }
  if (asks(task) && (!isIdle(plan) || asksForIds)) {
    const where = endpoint.settings.kind === "sandbox" ? "embedded" : endpoint.address;
    const question = `Apply to ${environment} (${where})?`;
    if (!(await confirm(question, context, halt))) {
      terminal.say("Nothing was applied.\n");
      return { exit: worstExitCode(notApplied, halt.aborted, true, []), notApplied, ...before };
    }
  }
  const made = { agents, checkout: await readCheckout(task.project) };
  return { ...(await send(task, plan, made, locked, connection)), printed };
}

function asks({ asked, saved }: Task): boolean {
  return asked.isApproved !== true && saved === undefined;
}

async function planOf(
  { saved, asked }: Task,
  store: StateStore,
  input: PlanInput,
  diagnostics: Diagnostics,
): Promise<Pick<Planned, "plan" | "refused"> | undefined> {
  if (saved === undefined) return planProject(input, asked, diagnostics);
  const read = () => (hasMovedOn(saved, input.state) ? store.history() : Promise.resolve([]));
  const history = await reporting(store, diagnostics, read);
  if (history === undefined) return undefined;
  const check = { ...asked, history, files: menusInFiles(input) };
  const plan = checkSaved(saved, input, check, diagnostics);
  return { plan, refused: refuses(diagnostics) };
}

async function send(
  task: Task,
  plan: Plan,
  made: Pick<ApplyOptions, "agents" | "checkout">,
  locked: LockedState,
  connection: Connection,
): Promise<Ended> {
  const { context, project, diagnostics, progress: watcher } = task;
  const { halt, stop } = task.interruption;
  const { state } = locked.session;
  const followUps = () => openFollowUps(state);
  const { environment } = project;
  const ask = (about: Subject) => watcher.silently(() => askId(about, state, context, halt));
  const askIds = asks(task) ? { askId: ask } : {};
  const options = { root: context.root, environment, watcher, ...made, ...askIds, halt, stop };
  const done = await watcher.during(plan, followUps, () =>
    applyAndRescue(plan, locked, connection, options, diagnostics),
  );
  return { plan, followUps: followUps(), ...done, ...ending(task, plan, done.applied, state) };
}

/** What was applied, what needs a person then, and the exit code. */
function ending(task: Task, plan: Plan, applied: Applied, state: StateView) {
  const { results, problem, unrecorded } = applied;
  // Views say how to record these.
  const certain = unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key));
  const sources = { ...task.endpoint, plan, results, unrecorded: new Set(certain) };
  const open = matters({ ...sources, state });
  const isHalted = task.interruption.halt.aborted;
  // Apply has done its part of what is left for a person on the console.
  const own = open.filter((one) => !isOnConsole(one));
  const exit = worstExitCode(results, isHalted, problem !== undefined, own);
  return { exit, matters: open, applied } as const;
}
