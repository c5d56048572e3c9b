import { applyAndRescue } from "../deploy/apply/apply-and-rescue.ts";
import type { Result } from "../deploy/apply/results.ts";
import { checkState } from "../deploy/plan/guards.ts";
import { learn, stateAfter } from "../deploy/plan/learn.ts";
import { type OldMenus, planOldMenus } from "../deploy/plan/old-menus.ts";
import { listMenus, listNumbers, readLive, readNumbers } from "../deploy/plan/read-live.ts";
import {
  type Connection,
  type Endpoint,
  endpointOf,
  openEndpoint,
} from "../deploy/service/connect.ts";
import { type LockedState, underLock } from "../deploy/state/access.ts";
import type { Decide } from "../deploy/state/change.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { openFollowUps } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Environment } from "../project/environment.ts";
import { openConfiguration } from "../project/open-project.ts";
import { Interruption } from "../util/interruption.ts";
import { suggest } from "../util/suggest.ts";
import { ApplyProgress, storeProgress } from "../views/apply-progress.ts";
import { appliedResult } from "../views/apply.ts";
import { confirm } from "../views/ask.ts";
import { serviceWatcher } from "../views/service.ts";
import { deleteQuestion } from "../views/state-changed.ts";
import type { Result as CommandResult } from "../cli/result.ts";
import type { Context } from "../cli/command.ts";
import { writtenText } from "../cli/flags.ts";
import { exitOf, lockRequest, refusalCodes } from "../cli/state-command.ts";
import type { Ended } from "./apply.ts";

type DeleteContext = Context & {
  readonly flags: {
    readonly "auto-approve": boolean;
    readonly by: string | undefined;
    readonly "lock-timeout": string | undefined;
  };
};

/** Selects follow-ups by what the user named. */
export type Select = (moment: Parameters<Decide>[0]) => readonly string[];

/** Deletes the menus of follow-ups on the service, so that the follow-ups are done. */
export async function deleteOldMenus(
  context: DeleteContext,
  select: Select,
): Promise<CommandResult> {
  const diagnostics = new Diagnostics();
  const configuration = openConfiguration(context);
  const endpoint = endpointOf(configuration, diagnostics, { token: true, state: true });
  if (endpoint && !endpoint.operations.has("delete")) {
    diagnostics.add(
      "IVR424",
      endpoint.settings.place,
      "`--delete` needs `delete` in `operations:` of the environment.",
      "Add it if the service offers it. If not, delete the menu on the console, and run the command without `--delete`.",
    );
  }
  const progress = new ApplyProgress(context);
  const interruption = new Interruption(context.host, () => progress.interrupted());
  const { environment } = configuration;
  try {
    const ended: Ended =
      endpoint && environment && !diagnostics.hasErrors
        ? await lock({
            context,
            select,
            endpoint,
            settings: environment,
            diagnostics,
            progress,
            interruption,
          })
        : { exit: 1 };
    const name = endpoint?.environment ?? null;
    const next = suggest("state done", context.args, name ?? "", ["--delete"]);
    return {
      exit: ended.exit,
      ...appliedResult({ environment: name, next, ...ended }, diagnostics.sorted()),
    };
  } finally {
    interruption.end();
  }
}

interface Task {
  readonly context: DeleteContext;
  readonly select: Select;
  readonly endpoint: Endpoint;
  readonly settings: Environment;
  readonly diagnostics: Diagnostics;
  readonly progress: ApplyProgress;
  readonly interruption: Interruption;
}

async function lock(task: Task): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const { environment } = endpoint;
  const by = writtenText(context.flags.by, "by");
  const store = await openStore(context, environment, endpoint.state, diagnostics);
  if (store === undefined) return { exit: 1 };
  const { halt: signal, stop } = interruption;
  const watching = { by, signal, stop, watcher: storeProgress(context) };
  const ended = await underLock(
    context.root,
    { environment, store, host: context.host },
    lockRequest(context, environment, "state done", watching),
    diagnostics,
    (locked) => connect(task, locked),
  );
  return typeof ended === "string" ? { exit: refusalCodes[ended] } : ended;
}

async function connect(task: Task, locked: LockedState): Promise<Ended> {
  const { context, endpoint, diagnostics, interruption } = task;
  const options = {
    root: context.root,
    host: context.host,
    watcher: serviceWatcher(context),
    state: locked.session.state,
    signal: interruption.halt,
  };
  const connection = await openEndpoint(endpoint, options, diagnostics);
  if (connection === undefined) return { exit: 1 };
  try {
    return await review(task, locked, connection);
  } finally {
    await connection.close();
  }
}

/** Plans what to delete, asks, and deletes it. */
async function review(task: Task, locked: LockedState, connection: Connection): Promise<Ended> {
  const { context, select, endpoint, settings, diagnostics, interruption } = task;
  const { halt } = interruption;
  const { environment } = endpoint;
  const { session, store } = locked;
  const { place } = store;
  const live = await readLive(connection, settings, diagnostics, halt);
  const numbers = live && (await readNumbers(connection, diagnostics, halt));
  if (live === undefined || numbers === undefined) return { exit: halt.aborted ? 130 : 1 };
  const lesson = learn(session.state, live);
  const state = stateAfter(session.state, lesson.events, live.at);
  checkState(endpoint, undefined, state, diagnostics);
  const chosen = select({ state, environment, place, diagnostics });
  const followUps = chosen.flatMap((id) => state.followUps.get(id) ?? []);
  const named = new Set(context.args.map((word) => word.toUpperCase()));
  const old = planOldMenus(
    followUps,
    { endpoint, state, lesson, live, numbers, named, place },
    diagnostics,
  );
  const before = { plan: old.plan, followUps: openFollowUps(state) };
  if (diagnostics.hasErrors) return { exit: 1, ...before };
  if (!context.flags["auto-approve"]) {
    const question = deleteQuestion(old, environment);
    if (!(await confirm(question, context, halt))) {
      context.terminal.say("Nothing was deleted.\n");
      return { exit: halt.aborted ? 130 : 1, ...before };
    }
  }
  return send(task, old, locked, connection);
}

async function send(
  { context, settings, diagnostics, progress, interruption: { halt, stop } }: Task,
  { plan, gone }: OldMenus,
  locked: LockedState,
  connection: Connection,
): Promise<Ended> {
  const options = {
    root: context.root,
    watcher: progress,
    list: (signal: AbortSignal) => listMenus(connection, settings, signal),
    listNumbers: (signal: AbortSignal) => listNumbers(connection, signal),
    halt,
    stop,
  };
  const followUps = () => openFollowUps(locked.session.state);
  const done = await progress.during(plan, connection.limits.requestsPerSecond, followUps, () =>
    applyAndRescue(plan, locked, connection, options, diagnostics),
  );
  const isRecorded = done.applied.problem === undefined;
  const closed = gone.map(({ id: key, record }): Result => ({
    key,
    name: record.payload.name,
    action: "forget",
    outcome: isRecorded ? "forgotten" : "not_attempted",
    status: null,
    message: "the service does not list the menu any more",
    attempts: 0,
    ...(record.identified && { id: record.identified.id }),
  }));
  for (const result of closed) progress.finished(result);
  const results = [...closed, ...done.applied.results];
  return {
    exit: exitOf(results, halt.aborted, !isRecorded),
    plan,
    followUps: followUps(),
    ...done,
    applied: { ...done.applied, results },
  };
}
