import {
  standardRecordingTimeout,
  standardWire,
  type Environment,
} from "../../project/environment.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { type Rescue, RescueSchema } from "../../schema/rescue.ts";
import { laterFormat } from "../../schema/since.ts";
import { actions } from "../plan/changes/actions.ts";
import type { Plan } from "../plan/plan.ts";
import { readLists } from "../listed/read-account.ts";
import type { Connection } from "../service/connect.ts";
import { type LockedState, addProblem, reporting } from "../state/access.ts";
import { applyPlan } from "./apply-plan.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { type Applied, type StepOutcome, type Unrecorded } from "./step-results.ts";
import { writeRescue, intentFate } from "../state/rescue-files.ts";
import type { Linked } from "../state/entries.ts";
import type { StateView } from "../state/state.ts";
import { answerEvent } from "./attempt.ts";

interface RescueOptions extends Pick<
  ApplyOptions,
  "watcher" | "agents" | "checkout" | "askId" | "halt" | "stop"
> {
  readonly root: string;
  readonly environment: Environment | undefined;
}

/** The outcomes that could not be recorded. */
export interface Rescued {
  readonly rescue: Rescue;
  /** The path of the rescue file; undefined if it could not be written. */
  readonly file: string | undefined;
}

interface AppliedAndRescued {
  readonly applied: Applied;
  readonly rescued?: Rescued;
}

/** Applies a plan. Writes the outcomes that cannot be recorded in the state to a rescue file. */
export async function applyAndRescue(
  plan: Plan,
  { store, session, run }: LockedState,
  connection: Connection,
  { root, environment, ...options }: RescueOptions,
  diagnostics: Diagnostics,
): Promise<AppliedAndRescued> {
  const { service, limits, place, clock } = connection;
  const lists = plan.list && environment;
  let applied = await applyPlan(plan, {
    ...options,
    session,
    wire: environment?.wire ?? standardWire,
    service,
    list: lists && ((signal, numbers) => readLists(connection, lists, signal, numbers)),
    concurrency: limits.concurrency,
    clock,
    pace: service.pace,
    timeout: limits.timeout,
    recordingTimeout: environment?.recordingTimeout ?? standardRecordingTimeout,
  });
  if (applied.listProblem !== undefined) {
    const isIncomplete = applied.results.some(
      ({ outcome, incomplete }) => outcome === "not_attempted" || incomplete !== undefined,
    );
    const severity = isIncomplete ? "error" : "warning";
    const isNew = plan.steps.some(({ op, holds }) => op === "create" && holds.length === 0);
    const ids = isNew ? " The ids of new menus are recorded then." : "";
    diagnostics.add("IVR503", place, applied.listProblem, laterHint + ids, severity);
  }
  if (applied.problem !== undefined) {
    addProblem(applied.problem, store.place, diagnostics);
    const history = await reporting(store, new Diagnostics(), () => store.history());
    if (history !== undefined) applied = correctedByHistory(applied, history);
  }
  const at = clock.now().toISOString();
  const rescued = rescueOutcomes(root, applied.unrecorded, session.state, run, at);
  return { applied, ...(rescued && { rescued }) };
}

/** Writes outcomes that could not be recorded to a rescue file. */
export function rescueOutcomes(
  root: string,
  unrecorded: readonly Unrecorded[],
  state: StateView,
  run: string,
  at: string,
): Rescued | undefined {
  const rescue = rescueContent(unrecorded, state, run, at);
  return rescue && { rescue, file: writeRescue(root, rescue) };
}

const laterHint = "Run the command again when the service returns the list.";

/** The content of a rescue file. Undefined if everything was recorded, or if the state never began. */
function rescueContent(
  unrecorded: readonly Unrecorded[],
  { origin }: StateView,
  run: string,
  at: string,
): Rescue | undefined {
  if (origin === null || unrecorded.length === 0) return undefined;
  const { id: state, environment } = origin;
  const content = { environment, state, run, at, outcomes: unrecorded.map(rescued) };
  return { rescue: 2, ...laterFormat(RescueSchema, content), ...content };
}

function rescued({ intent, outcome }: Unrecorded): Rescue["outcomes"][number] {
  return { sum: intent.head, outcome: answerEvent(intent, outcome) };
}

/**
 * Corrects the results of an apply by the history. An event that the store did not
 * acknowledge may be stored or not, and a person may have resolved the key since.
 */
function correctedByHistory(applied: Applied, history: readonly Linked[]): Applied {
  const corrections = new Map<string, Partial<StepOutcome>>();
  const unrecorded = applied.unrecorded.flatMap((request): Unrecorded[] => {
    const { key, outcome, attempts } = request;
    const { kind, status, message } = outcome;
    const { action } = rescued(request).outcome;
    const { as } = intentFate(rescued(request), history);
    const isPending = as === "pending" || as === "unknown";
    const done = actions[action].outcome;
    if (kind === "done") {
      if (isPending || as === "missing") return [request];
      corrections.set(key, { outcome: done, status, message });
      // If an update or a delete is not recorded, the next plan compares with what the service has.
      const isLate = done === "created" && as === "not-done";
      return isLate ? [{ ...request, superseded: true }] : [];
    }
    if (isPending) return [request];
    corrections.set(
      key,
      kind === "not-processed" && attempts === 0
        ? { outcome: "not_attempted", status: null, message: null }
        : { outcome: as === "done" ? done : "failed", status, message },
    );
    return [];
  });
  return {
    ...applied,
    results: applied.results.map((result) => ({ ...result, ...corrections.get(result.key) })),
    unrecorded,
  };
}
