import type { Audience } from "../audience.ts";
import { type Lock, describeLock } from "../../deploy/state/store.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sayInWords } from "../diagnostics/index.ts";
import { type Terminal, visible } from "../terminal.ts";
import type { Outlook } from "./details.ts";
import { comparisonJson, planJson } from "./json.ts";
import { type Look, planText } from "./text.ts";

interface Shown {
  readonly plan: Plan | undefined;
  readonly environment: string | null;
  /** What is on record, as far as it could be read. */
  readonly state?: StateView | undefined;
  /** Nothing is on record for a real service. */
  readonly noState: boolean;
  /** It may be looked at, and not applied. */
  readonly refused: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** `plan`'s result, in the format asked for. */
export async function showPlan(shown: Shown, audience: Audience): Promise<void> {
  const { plan, environment, state, diagnostics } = shown;
  const outlook: Outlook | undefined = plan && { kind: "plan", plan };
  await show(
    {
      kind: "plan",
      outlook,
      environment,
      loud: opening(shown),
      diagnostics,
      json: () => planJson(plan, environment, state, diagnostics),
    },
    audience,
  );
}

interface ShownComparison {
  readonly comparison: Comparison | undefined;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The file that names were turned into extensions with. */
  readonly agents: string;
}

/** `diff`'s result, in the format asked for. */
export async function showComparison(
  { comparison, environment, diagnostics, agents }: ShownComparison,
  audience: Audience,
): Promise<void> {
  const { format, globals, terminal } = audience;
  const about = `Both sides with the agents in \`${agents}\` as it is now; no state, no service.`;
  if (format === "text" && comparison !== undefined && !globals.quiet) {
    terminal.say(`${visible(about)}\n`);
  }
  await show(
    {
      kind: "diff",
      outlook: comparison && { kind: "diff", comparison },
      environment,
      loud: [],
      diagnostics,
      about,
      json: () => comparisonJson(comparison, environment, diagnostics),
    },
    audience,
  );
}

interface Result {
  readonly kind: Outlook["kind"];
  readonly outlook: Outlook | undefined;
  readonly environment: string | null;
  readonly loud: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly about?: string;
  readonly json: () => string;
}

async function show(result: Result, { format, globals, terminal }: Audience): Promise<void> {
  await sayInWords(result.diagnostics, terminal);
  if (format === "json") terminal.out(result.json());
  else if (format === "markdown") {
    const { planMarkdown } = await import("./markdown.ts");
    terminal.out(planMarkdown(result));
  } else if (result.outlook !== undefined && !globals.quiet) {
    const look = { style: terminal.styleOut, columns: lineWidth(terminal.outColumns) };
    const text = planText(result.outlook, await withWire(look, globals.verbose));
    terminal.out(paragraphs(result.loud) + text);
  }
}

/** What `apply` is about to do, said to the person whatever format the result has; or why it will not. */
export async function sayPlan(
  shown: Shown,
  { globals, terminal }: Omit<Audience, "format">,
): Promise<void> {
  const { plan, diagnostics, refused } = shown;
  await sayInWords(diagnostics, terminal);
  if (plan === undefined || refused || globals.quiet) return;
  const look = { style: terminal.style, columns: lineWidth(terminal.wordWrap) };
  const text = planText({ kind: "plan", plan }, await withWire(look, globals.verbose));
  terminal.say(paragraphs(opening(shown)) + text);
}

/** What has to be seen before all else. */
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

/** Longer lines are hard to read, and a log is narrower than nothing. */
function lineWidth(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, 100) : 80;
}

async function withWire(look: Look, verbose: boolean): Promise<Look> {
  if (!verbose) return look;
  const { wireDiff } = await import("./wire-diff.ts");
  return { ...look, wireDiff: (change) => wireDiff(change, look.style) };
}

export function sayPlanKept(file: string, terminal: Terminal): void {
  terminal.say(`The plan is kept in ${file}. To apply it: ivrctl apply ${file}\n`);
}

/** What another run has in flight looks as if nobody knew its outcome. */
export function sayUnderWay(lock: Lock, terminal: Terminal): void {
  const who = visible(describeLock(lock));
  terminal.say(
    `A run is under way: ${who}. What it has in flight is shown as unknown, and is not yours to settle.\n`,
  );
}
