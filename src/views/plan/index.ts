import { type Lock, describeLock } from "../../deploy/state/store.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sayInWords } from "../diagnostics/index.ts";
import { type Audience, type Terminal, visible } from "../terminal.ts";
import type { Outlook } from "./details.ts";
import { comparisonJson, planJson } from "./json.ts";
import type { Comment } from "./markdown.ts";
import { planText } from "./text.ts";

interface Shown {
  readonly plan: Plan | undefined;
  readonly environment: string | null;
  /** What is on record, as far as it could be read. */
  readonly state?: StateView | undefined;
  /** There is no state, and the service is a real one. */
  readonly noState: boolean;
  /** The plan may be shown, but not applied. */
  readonly refused: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Prints the result of `plan` in the format asked for. */
export async function showPlan(shown: Shown, audience: Audience): Promise<void> {
  const { plan, environment, state, diagnostics } = shown;
  const outlook: Outlook | undefined = plan && { kind: "plan", plan };
  const json = () => planJson(plan, environment, state, diagnostics);
  const comment = {
    kind: "plan",
    outlook,
    environment,
    loud: opening(shown),
    diagnostics,
  } as const;
  await show(comment, json, audience);
}

interface ShownComparison {
  readonly comparison: Comparison | undefined;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The agent list that was used. */
  readonly agents: string;
}

/** Prints the result of `diff` in the format asked for. */
export async function showComparison(
  { comparison, environment, diagnostics, agents }: ShownComparison,
  audience: Audience,
): Promise<void> {
  const { format, globals, terminal } = audience;
  const about = `Both sides with the agents in \`${agents}\` as it is now; no state, no service.`;
  if (format === "text" && comparison !== undefined && !globals.quiet) {
    terminal.say(`${visible(about)}\n`);
  }
  const outlook: Outlook | undefined = comparison && { kind: "diff", comparison };
  const json = () => comparisonJson(comparison, environment, diagnostics);
  const comment = { kind: "diff", outlook, environment, loud: [], diagnostics, about } as const;
  await show(comment, json, audience);
}

async function show(
  comment: Comment,
  json: () => string,
  { format, globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(comment.diagnostics, terminal);
  if (format === "json") terminal.out(json());
  else if (format === "markdown") {
    const { planMarkdown } = await import("./markdown.ts");
    terminal.out(planMarkdown(comment));
  } else if (comment.outlook !== undefined && !globals.quiet) {
    const columns = lineWidth(terminal.outColumns);
    const look = { style: terminal.styleOut, columns, verbose: globals.verbose };
    terminal.out(paragraphs(comment.loud) + planText(comment.outlook, look));
  }
}

/** Prints what `apply` will do, for the person whatever format the result has; or why it will not. */
export async function sayPlan(
  shown: Shown,
  { globals, terminal }: Omit<Audience, "format">,
): Promise<void> {
  const { plan, diagnostics, refused } = shown;
  await sayInWords(diagnostics, terminal);
  if (plan === undefined || refused || globals.quiet) return;
  const columns = lineWidth(terminal.wordWrap);
  const look = { style: terminal.style, columns, verbose: globals.verbose };
  terminal.say(paragraphs(opening(shown)) + planText({ kind: "plan", plan }, look));
}

/** What comes before everything else. */
function opening({ plan, noState, refused }: Shown): string[] {
  return [
    ...(noState && plan !== undefined
      ? [`NO STATE: all ${plan.changes.length} menus would be created`]
      : []),
    ...(refused ? ["REFUSED: this plan cannot be applied, see the errors"] : []),
  ];
}

function paragraphs(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n\n`).join("");
}

/** Longer lines are hard to read. */
function lineWidth(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, 100) : 80;
}

export function sayPlanSaved(file: string, terminal: Terminal): void {
  terminal.say(`The plan is kept in ${file}. To apply it: ivrctl apply ${file}\n`);
}

/** Requests that another run has in flight look like unknown outcomes. */
export function sayUnderWay(lock: Lock, terminal: Terminal): void {
  const who = visible(describeLock(lock));
  terminal.say(
    `A run is under way: ${who}. What it has in flight is shown as unknown, and is not yours to settle.\n`,
  );
}
