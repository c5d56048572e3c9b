import type { ResultOutput } from "../../../schema/output/apply-output.ts";
import type { Summary } from "../../../schema/output/plan-output.ts";
import { heldActions } from "../../reasons/reason.ts";
import { reasons } from "../../reasons/reasons.ts";
import { isRecording } from "../../../schema/ref.ts";
import type { Step } from "../steps/step.ts";

export type ResultOutcome = ResultOutput["outcome"];

interface ActionFacts {
  /** What the total of a plan calls it: `1 to create`. */
  readonly planned: string;
  /** What the total of a comparison of files calls it. */
  readonly compared?: string;
  /** The result if apply has done it. If apply leaves it alone, what the result stays. */
  readonly outcome: ResultOutcome;
  /** The word for that result, if it is a different one. */
  readonly done?: string;
  /** Whether apply does nothing about it until a person has done something. */
  readonly isLeft?: boolean;
  /** Whether the content of the menu stays as it is. */
  readonly keepsContent?: boolean;
}

/** What a plan does about a menu, or why it does nothing. In the order in which summaries list them. */
const table = {
  record: { planned: "to make", outcome: "created", done: "made", keepsContent: true },
  create: { planned: "to create", compared: "new", outcome: "created" },
  update: { planned: "to update", compared: "changed", outcome: "updated" },
  replace: { planned: "to replace", outcome: "created", done: "replaced" },
  bind: { planned: "to bind", outcome: "bound", keepsContent: true },
  delete: { planned: "to delete", compared: "deleted", outcome: "deleted" },
  move: { planned: "to move", compared: "moved", outcome: "moved", keepsContent: true },
  reword: {
    planned: "reworded",
    compared: "changed",
    outcome: "reworded",
    keepsContent: true,
  },
  forget: {
    planned: "left on the service",
    outcome: "forgotten",
    done: "no longer managed",
    keepsContent: true,
  },
  restore: { planned: "to restore", outcome: "restored" },
  waiting: { planned: "waiting", outcome: "waiting", isLeft: true },
  missing: { planned: "missing", outcome: "missing", isLeft: true, keepsContent: true },
  drift: {
    planned: "changed on the console",
    outcome: "drift",
    isLeft: true,
    keepsContent: true,
  },
  blocked: { planned: "held back", outcome: "not_attempted", isLeft: true },
  unknown: { planned: "unknown", outcome: "unknown", isLeft: true },
} as const satisfies Readonly<Record<keyof Omit<Summary, "unchanged">, ActionFacts>>;

export type Action = keyof typeof table;

export const actions: Readonly<Record<Action, ActionFacts>> = table;

/** The word that users know for what the steps of one resource do. Undefined if that is nothing to show. */
export function actionFor(steps: readonly Step[]): Action | undefined {
  const heldAs = new Set(steps.flatMap(({ holds }) => holds.map(({ why }) => reasons[why].action)));
  const held = heldActions.find((action) => heldAs.has(action));
  const isMoved = steps.some(({ op }) => op === "move");
  if (held !== undefined)
    return held === "none" ? undefined : held === "drift" && isMoved ? "move" : held;
  const create = steps.find(({ op }) => op === "create");
  if (create && isRecording(create.ref)) return "record";
  if (create !== undefined) return create.base === undefined ? "create" : "replace";
  const { op = "match" } = steps.findLast((step) => step.op !== "move") ?? {};
  if (op === "match") return isMoved ? "move" : undefined;
  return op === "drop" ? "forget" : op;
}

export function doneOutcome(step: Step): ResultOutcome {
  return actions[actionFor([step]) ?? "update"].outcome;
}
