import { type Lock, describeLock } from "../../deploy/state/store.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { shellWord } from "../../util/shell-word.ts";
import { sayInWords } from "../diagnostics/index.ts";
import { type Audience, type Terminal, visible } from "../terminal.ts";
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

/** Prints the result of `plan` in the format asked for. */
export async function showPlan(shown: ShownPlan, audience: Audience): Promise<void> {
  const { plan, environment, state, diagnostics } = shown;
  const json = () => planJson(plan, environment, state, diagnostics);
  await show(commentOf(shown), json, audience);
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

/** Prints the result of `diff` in the format asked for. */
export async function showComparison(
  { comparison, environment, summary = false, diagnostics, agents }: ShownComparison,
  audience: Audience,
): Promise<void> {
  const { format, globals, terminal } = audience;
  const about = `This compares only files, not the state or the service. Both revisions use the current \`${agents}\`.`;
  if (format === "text" && comparison !== undefined && !globals.quiet) {
    terminal.say(`${visible(about)}\n`);
  }
  const outlook: Outlook | undefined = comparison && { kind: "diff", comparison };
  const json = () => comparisonJson(comparison, environment, diagnostics);
  const comment = {
    kind: "diff",
    outlook,
    environment,
    banners: [],
    summary,
    diagnostics,
    about,
  } as const;
  await show(comment, json, audience);
}

async function show(
  comment: Comment,
  json: () => string,
  { format, globals, terminal }: Audience,
): Promise<void> {
  const { diagnostics, outlook, summary = false } = comment;
  if (format === "text" && outlook !== undefined && !globals.quiet) {
    const { styleOut: style, outColumns: room } = terminal;
    const columns = lineWidth(room);
    const look = { style, columns, room, verbose: globals.verbose, summary };
    const text = planText(outlook, look);
    const print = (part: string) => terminal.out(part);
    await showInOrder({ ...text, banners: comment.banners }, diagnostics, terminal, print);
    return;
  }
  if (format === "json") terminal.out(json());
  if (format === "markdown") {
    const { planMarkdown } = await import("./markdown.ts");
    terminal.out(planMarkdown(comment));
  }
  await sayInWords(diagnostics, terminal);
}

/**
 * Prints the changes, then the problems, then the counts, where the cursor is. Errors are more
 * important than the counts, so they come last.
 */
async function showInOrder(
  { banners, changes, left, closing }: Pick<Comment, "banners"> & ReturnType<typeof planText>,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
  print: (text: string) => void,
): Promise<void> {
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  print(`${paragraphs(banners)}${changes}`);
  if (hasErrors) print(`${left}${closing}`);
  if (hasErrors) terminal.say("\n");
  await sayInWords(diagnostics, terminal);
  if (hasErrors) return;
  if (diagnostics.length > 0) terminal.say("\n");
  print(`${left}${closing}`);
}

/** Prints what `apply` will do, or why it refuses. It goes to stderr, whatever the format is. */
export async function sayPlan(
  shown: ShownPlan,
  { globals, terminal }: Omit<Audience, "format">,
): Promise<void> {
  const { plan, diagnostics, refused, summary = false } = shown;
  if (plan === undefined || refused || globals.quiet) {
    await sayInWords(diagnostics, terminal);
    return;
  }
  const { style, wordWrap: room } = terminal;
  const columns = lineWidth(room);
  const look = { style, columns, room, verbose: globals.verbose, summary };
  const text = planText({ kind: "plan", plan }, look);
  const print = (part: string) => terminal.say(part);
  // The end of apply says how to go on.
  const parts = { ...text, left: globals.verbose ? text.left : "", banners: bannersOf(shown) };
  await showInOrder(parts, diagnostics, terminal, print);
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

export function sayPlanSaved(file: string, terminal: Terminal): void {
  const path = terminal.path(file);
  const command = `ivrctl apply ${shellWord(visible(path))}`;
  terminal.say(`The plan is saved in ${visible(path)}. To apply it, run:\n  ${command}\n`);
}

/** Warns that the requests of another run in progress look like unknown outcomes. */
export function sayRunInProgress(lock: Lock, terminal: Terminal): void {
  const who = visible(describeLock(lock));
  terminal.say(
    `Another run is in progress: ${who}. Its requests in flight are shown as unknown. Do not resolve them.\n`,
  );
}
