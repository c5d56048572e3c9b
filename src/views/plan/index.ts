import { type Lock, describeLock } from "../../deploy/state/store.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Result } from "../../cli/result.ts";
import { type Page, visible } from "../terminal.ts";
import type { Outlook } from "./parts.ts";
import { comparisonJson, planJson } from "./json.ts";
import type { Comment } from "./markdown.ts";
import { planText } from "./text.ts";

/** A plan to show, or why there is none. */
export interface ShownPlan {
  readonly plan: Plan | undefined;
  readonly environment: string | null;
  /** The state, if it could be read. */
  readonly state?: StateView | undefined;
  /** Whether a real service has no state yet. */
  readonly noState: boolean;
  /** Whether the plan can be shown but not applied. */
  readonly refused: boolean;
  /** Whether to show one line for each menu. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** A plan in every format. */
export function planResult(shown: ShownPlan): Omit<Result, "exit"> {
  const { plan, environment, state, diagnostics } = shown;
  return resultOf(commentOf(shown), () => planJson(plan, environment, state, diagnostics));
}

/** Returns what a comment on a pull request shows of a plan. */
export function commentOf(shown: ShownPlan): Comment {
  const { plan, environment, refused, summary = false, diagnostics } = shown;
  const outlook: Outlook | undefined = plan && { kind: "plan", plan, refused };
  return { kind: "plan", outlook, environment, banners: bannersOf(shown), summary, diagnostics };
}

interface ShownComparison {
  readonly comparison: Comparison | undefined;
  readonly environment: string | null;
  /** Whether to show one line for each menu. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The agent list that was used. */
  readonly agents: string;
}

/** A comparison in every format. */
export function comparisonResult({
  comparison,
  environment,
  summary = false,
  diagnostics,
  agents,
}: ShownComparison): Omit<Result, "exit"> {
  const about = aboutComparison(agents);
  const outlook: Outlook | undefined = comparison && { kind: "diff", comparison };
  const comment = {
    kind: "diff",
    outlook,
    environment,
    banners: [],
    summary,
    diagnostics,
    about,
  } as const;
  return resultOf(comment, () => comparisonJson(comparison, environment, diagnostics));
}

/** What a comparison is about. `agents` is the agent list that was used. */
export function aboutComparison(agents: string): string {
  return `This compares only files, not the state or the service. Both revisions use the current \`${agents}\`.`;
}

function resultOf(comment: Comment, json: () => string): Omit<Result, "exit"> {
  return {
    summary: (page) => commentText(comment, page),
    diagnostics: comment.diagnostics,
    formats: {
      json,
      async markdown() {
        const { planMarkdown } = await import("./markdown.ts");
        return planMarkdown(comment);
      },
    },
  };
}

/** What changes, then what needs a person, then the counts. */
function commentText({ outlook, banners, summary = false }: Comment, page: Page): string {
  if (outlook === undefined) return "";
  const { changes, left, closing } = planText(outlook, lookOf(page, summary));
  return `${paragraphs(banners)}${changes}${left}${closing}`;
}

/** What `apply` will do. Empty if it refuses. The end of apply says how to go on. */
export function planBefore(shown: ShownPlan, page: Page): string {
  const { plan, refused, summary = false } = shown;
  if (plan === undefined || refused) return "";
  const { changes, left, closing } = planText({ kind: "plan", plan }, lookOf(page, summary));
  return `${paragraphs(bannersOf(shown))}${changes}${page.verbose ? left : ""}${closing}`;
}

function lookOf({ style, wordWrap: room, verbose, command }: Page, summary: boolean) {
  return { style, columns: lineWidth(room), room, verbose, summary, command };
}

/** The warnings above the plan. */
function bannersOf({
  plan,
  noState,
  refused,
}: Pick<ShownPlan, "plan" | "noState" | "refused">): string[] {
  const creates = plan?.changes.filter(({ action }) => action === "create").length ?? 0;
  return [
    ...(noState && creates > 0
      ? [`NO STATE: apply would create ${describeCreates(creates)}.`]
      : []),
    ...(refused ? ["REFUSED: this plan cannot be applied. See the errors below."] : []),
  ];
}

function describeCreates(count: number): string {
  return count === 1
    ? "this menu, even if it already exists on the service"
    : `${count} menus, even those that already exist on the service`;
}

function paragraphs(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n\n`).join("");
}

/** Returns the width of a line: at most 100 columns, because longer lines are hard to read. */
function lineWidth(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, 100) : 80;
}

/** Where the plan is saved, and how to apply it. */
export function savedText(file: string, { path, command }: Page): string {
  const shown = path(file);
  return `The plan is saved in ${visible(shown)}. To apply it, run:\n  ${command(["apply", shown])}\n`;
}

/** Warns that the requests of another run in progress look like unknown outcomes. */
export function inProgressText(lock: Lock): string {
  const who = visible(describeLock(lock));
  return `Another run is in progress: ${who}. Its requests in flight are shown as unknown. Do not resolve them.\n`;
}
