import { destinationsOf, openLinks } from "../../model/menu.ts";
import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import type { Entry } from "../../schema/state.ts";
import {
  type StepOutcome,
  isUnfinished,
  openResult,
  stepKey,
  untried,
} from "../apply/step-results.ts";
import type { Linked } from "../state/entries.ts";
import type { StateView } from "../state/state.ts";
import { idOnRecord, menuRecord } from "../state/view.ts";
import type { Matter } from "../reasons/kinds.ts";
import { fileMenus, matters } from "./matters.ts";
import { actionFor, actions, doneOutcome } from "../plan/changes/actions.ts";
import { reviewedSteps, type SavedPlan } from "../plan/saved/plan-file.ts";
import { stepsDone } from "../plan/steps/review.ts";
import { menuRef, nameIn } from "../../schema/ref.ts";
import { type Step, ownerOf } from "../plan/steps/step.ts";

/** What became of a reviewed plan, as the state says now. */
export interface Progress {
  /** One for each reviewed step that something may be done for. What an earlier run did counts. */
  readonly results: readonly StepOutcome[];
  /** The steps of `results` that are done. */
  readonly done: number;
  /** What needs a person about these steps. */
  readonly matters: readonly Matter[];
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
  results: readonly StepOutcome[],
): Progress {
  const all = reviewedSteps(plan);
  // A later plan does what waited for an id.
  const waits = new Map(
    all
      .filter((step) => step.holds.length > 0 && openKeys(step).length > 0)
      .map((step) => [step, freed(step)] as const),
  );
  const waiting = new Set(waits.values());
  const reviewed = all.map((step) => waits.get(step) ?? step);
  const since = entriesSince(plan.state, state, history);
  const { done } = stepsDone(reviewed, since);
  // What changes only the record belongs to a step that is sent, or changes nothing for callers.
  const free = reviewed.filter(
    ({ op, holds }) => holds.length === 0 && op !== "drop" && op !== "match",
  );
  const byRef = new Map(results.map((one) => [one.ref, one]));
  const refs = new Set(free.map(({ ref }) => ref));
  const keys = [...state.records].flatMap(([ref, { pending }]) =>
    !pending || refs.has(ref) ? [] : pending.action === "bind" ? pending.key : nameIn(ref),
  );
  const now = free.map((step): StepOutcome => {
    const empty = emptyResult(step, plan.desired);
    return done.has(step)
      ? { ...empty, outcome: doneOutcome(step) }
      : waiting.has(step)
        ? { ...empty, action: "waiting", outcome: "waiting", waitsFor: waitsFor(step, state) }
        : leftResult(empty, state, byRef.get(step.ref));
  });
  const files = fileMenus(plan.desired);
  return {
    results: now,
    matters: matters({ environment: plan.environment, state, files, results: now, only: refs }),
    done: free.filter((step) => done.has(step)).length,
    otherUnknown: [...new Set(keys)],
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

function freed(step: Step): Step {
  return { ...step, holds: [] };
}

/** The menus that a step refers to without an id. */
function openKeys({ after }: Step): string[] {
  return after !== undefined && "menu" in after ? openLinks(destinationsOf(after.menu)) : [];
}

/** The menus whose ids a step still waits for. */
function waitsFor(step: Step, state: StateView): WaitsFor[] {
  return openKeys(step).flatMap((key): WaitsFor[] => {
    const { current = null, pending = null } = menuRecord(state, key) ?? {};
    if (idOnRecord(state, menuRef(key)) !== undefined) return [];
    return [{ key, because: pending ? "unknown" : current ? "unidentified" : "absent" }];
  });
}

function emptyResult(step: Step, desired: SavedPlan["plan"]["desired"]): StepOutcome {
  const { ref, after, base } = step;
  const owner = ownerOf(step);
  const content = desired.find((menu) => menuRef(menu.key) === owner)?.content;
  const key = stepKey(step);
  const stepContent = after ?? base;
  const name = (stepContent && "menu" in stepContent ? stepContent.menu : content)?.name ?? key;
  return { ref, key, name, action: actionFor([step]) ?? "update", ...untried };
}

/** The result of a step that is not done. `last` is that of the last run. */
function leftResult(empty: StepOutcome, { records }: StateView, last = empty): StepOutcome {
  const { pending } = records.get(empty.ref) ?? {};
  if (pending) return last.outcome === "unknown" ? last : { ...empty, ...openResult(pending) };
  return isUnfinished(last) || actions[last.action].isLeft ? last : empty;
}
