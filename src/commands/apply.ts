import type { Agents } from "../project/agents.ts";
import type { ApplyOptions } from "../deploy/apply/apply-options.ts";
import {
  type Applied,
  initialResults,
  isIdle,
  recordsNothing,
  stepsAwaitingIds,
  withWaits,
} from "../deploy/apply/results.ts";
import { applyAndRescue } from "../deploy/apply/apply-and-rescue.ts";
import { reportOlder } from "../deploy/plan/older.ts";
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
} from "../deploy/plan/saved/saved-plan.ts";
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
import { leftRescues } from "../deploy/state/rescue.ts";
import type { Subject } from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import type { Claim } from "../deploy/state/lock.ts";
import { matters } from "../deploy/matters/matters.ts";
import { openFollowUps } from "../deploy/state/view.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../project/agents-lock.ts";
import { readCheckout } from "../workspace/checkout.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import { Interruption } from "../util/interruption.ts";
import { suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { ApplyProgress, storeProgress } from "../views/apply-progress.ts";
import { type EndedApply, type NextCommand, appliedResult } from "../views/apply.ts";
import { confirm } from "../views/ask.ts";
import { planBefore } from "../views/plan/index.ts";
import { problemsIn } from "../views/plan/describe.ts";
import { serviceWatcher } from "../views/service.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, lockFlags, planFlags, planRequest, repeatedFlags } from "../cli/flags.ts";
import { askId } from "../cli/ask-ids.ts";
import { worstExitCode, lockRequest, refusalCodes, requireTerminal } from "../cli/state-command.ts";
import { diagnosticsWithTotal } from "../views/diagnostics/text.ts";

const flags = {
  ...approveFlags,
  ...planFlags,
  ...lockFlags,
} as const;

export default command({
  arguments: { "[FILE]": "Plan from `ivrctl plan --out FILE` (default: make a plan and ask)" },
  about:
    "Create the planned menus on the service, and record them in the state.\n\nWithout a plan file, apply makes a plan, shows it and asks. With a plan file, it does exactly what the plan says, or refuses. It never repeats a request whose outcome is unknown.\n\nExit codes: 0 if everything is done, 1 if something failed or needs manual action, 3 if an outcome is unknown, 4 if the state is locked.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl apply", "make a plan, review it, confirm it"],
    ["ivrctl apply plan.json", "in a pipeline: apply exactly what was reviewed"],
    ["ivrctl apply --auto-approve", "without asking"],
  ],
  async run(context) {
    const ended = await performApply(context);
    return appliedResult(ended, nextCommand(context, ended.environment ?? ""));
  },
});

/** A plan that was reviewed. */
interface ReviewedApply {
  readonly saved: SavedPlan;
  /** Who takes the lock, and which runs are known to have ended. */
  readonly owner: Task["owner"];
}

/** Applies a saved plan without asking, as a pipeline does. `lockTimeout` is in seconds. */
export function applySaved(
  context: Context,
  reviewed: ReviewedApply,
  lockTimeout: number,
): Promise<EndedApply> {
  const flags = {
    "auto-approve": false,
    agents: undefined,
    summary: false,
    target: [],
    "max-creates": undefined,
    allow: [],
    "lock-timeout": lockTimeout,
  };
  return performApply({ ...context, flags }, reviewed);
}

/** Makes and applies a plan, or applies a saved one. */
async function performApply(
  context: Context<typeof flags>,
  reviewed?: ReviewedApply,
): Promise<EndedApply> {
  const { root } = context;
  const { owner = {} } = reviewed ?? {};
  const request = planRequest(context.flags);
  const [file] = context.args;
  if (file === undefined && reviewed === undefined) {
    requireTerminal(context, "Add --auto-approve, or a plan file from `ivrctl plan --out`.");
  } else if (request.allowed.size > 0 || request.targets.isNarrow) {
    throw new UsageError({
      words: "A plan file decides what is allowed and included. Use the options when you make it:",
      argv: ["plan", ...repeatedFlags(context.flags), "--out", "FILE"],
    });
  }
  const diagnostics = new Diagnostics();
  const saved = file === undefined ? reviewed?.saved : readSaved(root, file, diagnostics);
  const environment = saved && planEnvironment(saved, context, diagnostics);
  const project = diagnostics.hasErrors ? undefined : await openProject(context, { environment });
  const endpoint = project && chosenEndpoint(project, diagnostics, { token: true, state: true });
  if (context.flags.agents !== undefined && endpoint?.local === false) {
    throw new UsageError(
      `--agents works only with the sandbox and with services on this machine. Remove it. Then apply asks ${endpoint.address} for the agents.`,
    );
  }
  const progress = new ApplyProgress(context);
  const interruption = new Interruption(context.host, () => progress.interrupted());
  const task = { context, owner, saved, request, diagnostics, progress, interruption };
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
  readonly context: Context<typeof flags>;
  readonly owner: Partial<Pick<Claim, "by" | "id" | "hasEnded">>;
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly saved: SavedPlan | undefined;
  readonly request: PlanRequest;
  readonly diagnostics: Diagnostics;
  readonly progress: ApplyProgress;
  readonly interruption: Interruption;
}

type Ended = Omit<EndedApply, "environment" | "diagnostics">;

const interrupted: Ended = { exit: 130 };

/** Takes the lock of the state, and holds it until everything is recorded. */
async function lock(task: Task): Promise<Ended> {
  const { context, owner, endpoint, saved, diagnostics, interruption } = task;
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
  const watching = { ...owner, signal, stop, watcher: storeProgress(context) };
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
  /** The state that it was made from. */
  readonly state: StateView;
  readonly found: Diagnostics;
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
  const { context, project, endpoint, interruption } = task;
  const { root, host, flags } = context;
  const found = new Diagnostics();
  const failed = { state, found, refused: true, isQuiet: true };
  const given =
    flags.agents === undefined
      ? undefined
      : readAgentsFile(root, flags.agents, endpoint.environment, found);
  if (found.hasErrors) return failed;
  const signal = interruption.halt;
  const watcher = serviceWatcher(context);
  const options = { root, host, watcher, state, agents: given?.list, signal };
  const connection = await openEndpoint(endpoint, options, found);
  if (connection === undefined) return failed;
  const connected = { ...failed, connection };
  const present = await readPresent(connection, project.environment, given, found, signal);
  if (signal.aborted || present === undefined) return connected;
  const { agents } = present;
  reportOrigin(agents, flags.agents, endpoint, found);
  const input = { project, endpoint, state, ...present };
  const made = await planOf(task, store, input, found);
  if (made === undefined) return { ...connected, agents };
  const allowed = task.saved?.plan.allowed ?? [...task.request.allowed, ...endpoint.allowed];
  const isOlder =
    !allowed.includes("older") &&
    !isIdle(made.plan) &&
    (await reportOlder(project, state, "error", found));
  const refused = made.refused || isOlder;
  const isQuiet = refused || recordsNothing(made.plan, state);
  return { ...connected, agents, plan: made.plan, refused, isQuiet };
}

/** Shows the plan, and applies it if the user agrees. Without the lock, there is nothing to apply. */
async function finish(task: Task, prepared: Prepared, locked?: LockedState): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { halt } = interruption;
  const { state, found, connection, agents, plan, refused } = prepared;
  if (halt.aborted) return interrupted;
  diagnostics.addAll(found);
  if (connection === undefined || agents === undefined) return { exit: 1 };
  const printed = diagnostics.sorted();
  const { environment } = endpoint;
  const { terminal } = context;
  const { summary } = context.flags;
  const asksForIds = asks(task) && plan !== undefined && stepsAwaitingIds(plan).length > 0;
  const known = { ...endpoint, plan, isRefused: refused, asksForIds };
  const open = matters({ ...known, state: plan?.known ?? state });
  const shown = { plan, environment, refused, summary, diagnostics: printed, matters: open };
  const words = planBefore({ ...shown, isApplied: !asks(task) }, terminal);
  const problems = diagnosticsWithTotal(problemsIn(shown).problems, terminal);
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

function asks({ context, saved }: Task): boolean {
  return !context.flags["auto-approve"] && saved === undefined;
}

/** Makes the plan, or checks the saved one. */
async function planOf(
  { saved, request }: Task,
  store: StateStore,
  input: PlanInput,
  found: Diagnostics,
): Promise<Pick<Planned, "plan" | "refused"> | undefined> {
  if (saved === undefined) return planProject(input, request, found);
  const read = () => (hasMovedOn(saved, input.state) ? store.history() : Promise.resolve([]));
  const history = await reporting(store, found, read);
  if (history === undefined) return undefined;
  const given = { ...request, history, files: menusInFiles(input) };
  const plan = checkSaved(saved, input, given, found);
  return { plan, refused: refuses(found) };
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
  const known = unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key));
  const about = { ...task.endpoint, plan, results, unrecorded: new Set(known) };
  const open = matters({ ...about, state });
  const isHalted = task.interruption.halt.aborted;
  const exit = worstExitCode(results, isHalted, problem !== undefined, open);
  return { exit, matters: open, applied } as const;
}

/**
 * The command that continues this one. A plan file can be applied again, and does what is left of it.
 * Only menus that waited need a new plan.
 */
function nextCommand(context: Context<typeof flags>, environment: string): NextCommand {
  const [file] = context.args;
  if (file !== undefined)
    return { again: ["apply", file], later: suggest("plan", [], environment) };
  const { flags: given, terminal } = context;
  const approve = given["auto-approve"] && !terminal.interactive ? ["--auto-approve"] : [];
  const again = suggest("apply", [], environment, [...approve, ...repeatedFlags(given)]);
  return { again, later: again };
}
