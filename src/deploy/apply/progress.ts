import type { Entry } from "../../schema/state.ts";
import { referencedMenu } from "../../schema/wire.ts";
import { joined } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import {
  type Result,
  type ResultOutcome,
  doneOutcome,
  doneOutcomes,
  openResult,
  untried,
} from "./results.ts";
import type { Endpoint } from "../service/connect.ts";
import type { Linked } from "../state/entries.ts";
import type { StateView } from "../state/state.ts";
import { actionFor } from "../plan/changes.ts";
import { reviewedSteps, type SavedPlan } from "../plan/plan-file.ts";
import { stepsDone } from "../plan/steps/review.ts";
import { isNumber, nameIn } from "../../schema/ref.ts";
import { type Step, linksIn } from "../plan/steps/step.ts";

/** What became of a reviewed plan, as the state says now. */
export interface Progress {
  /** One for each reviewed step that something may be done for. What an earlier run did counts. */
  readonly results: readonly Result[];
  /** The steps of `results` that are done. */
  readonly done: number;
  /** Everything else with an unknown outcome. */
  readonly otherUnknown: readonly string[];
}

/**
 * Returns what the state says about each step of a reviewed plan. `results` are those of the last run,
 * for what is not done yet.
 */
export function planProgress(
  { plan }: SavedPlan,
  { state, history }: { readonly state: StateView; readonly history: readonly Linked[] },
  results: readonly Result[],
): Progress {
  const reviewed = reviewedSteps(plan);
  const since = entriesSince(plan.state, state, history);
  const { done } = stepsDone(reviewed, since);
  // What changes only the record belongs to a step that is sent, or changes nothing for callers.
  const free = reviewed.filter(
    ({ event, holds }) => holds.length === 0 && event !== "dropped" && event !== "matched",
  );
  const unknown = [...state.records].flatMap(([ref, { pending }]) =>
    pending ? (pending.action === "bind" ? pending.key : nameIn(ref)) : [],
  );
  const keys = new Set(free.map(keyOf));
  return {
    results: free.map((step) =>
      done.has(step)
        ? { ...emptyResult(step), outcome: doneOutcome(step) }
        : leftResult(step, state, results),
    ),
    done: free.filter((step) => done.has(step)).length,
    otherUnknown: [...new Set(unknown)].filter((key) => !keys.has(key)),
  };
}

/** What was recorded after a plan was made. Nothing if the state is not the one that it was made from. */
function entriesSince(
  { id, serial, head }: SavedPlan["plan"]["state"],
  { origin }: StateView,
  history: readonly Linked[],
): readonly Entry[] {
  const isOther = id !== null && origin?.id !== id;
  const isContinued = !isOther && (serial === 0 || history[serial - 1]?.head === head);
  return isContinued ? history.slice(serial).map(({ entry }) => entry) : [];
}

/**
 * The new menus that a person has to point phone numbers at, as sentences: the service cannot do that,
 * and no other menu links there.
 */
export function menusToPoint(
  { plan }: SavedPlan,
  { results }: Progress,
  operations: Endpoint["operations"] | undefined,
): string[] {
  if (operations?.has("numbers")) return [];
  const linked = new Set([
    ...reviewedSteps(plan).flatMap(({ after }) => (after ? linksIn(after.facts).map(nameIn) : [])),
    ...plan.desired.flatMap(({ content }) => Object.values(content?.naming.menus ?? {})),
  ]);
  return results.flatMap(({ key, name, outcome }) => {
    const naming = plan.desired.find((menu) => menu.key === key)?.content?.naming;
    if (outcome !== "created") return [];
    if (linked.has(key) && naming?.numbers === undefined) return [];
    const numbers = joined((naming?.numbers ?? []).map(phoneText), "and") || "the phone number";
    return `Point ${numbers} at the new menu “${name}” on the console. Until then, no caller reaches it.`;
  });
}

function keyOf({ ref }: Step): string {
  return isNumber(ref) ? phoneText(nameIn(ref)) : nameIn(ref);
}

function emptyResult(step: Step): Result {
  const { after, base } = step;
  const name = isNumber(step.ref)
    ? referencedMenu(after?.facts["destination"] ?? "")
    : (after?.facts ?? base)?.["name"];
  const key = keyOf(step);
  return { key, name: name ?? key, action: actionFor([step]) ?? "update", ...untried };
}

function leftResult(step: Step, { records }: StateView, results: readonly Result[]): Result {
  const pending = records.get(step.ref)?.pending;
  const empty = emptyResult(step);
  const own = results.find(({ key }) => key === empty.key);
  if (pending) return own?.outcome === "unknown" ? own : { ...empty, ...openResult(pending) };
  const isLeft = own !== undefined && !isDone.has(own.outcome) && own.outcome !== "unknown";
  return isLeft ? own : empty;
}

const isDone: ReadonlySet<ResultOutcome> = new Set(Object.values(doneOutcomes));
