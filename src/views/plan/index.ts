import { describeLock } from "../../deploy/state/describe-lock.ts";
import type { Lock } from "../../deploy/state/store.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sayInWords } from "../diagnostics/index.ts";
import { type Terminal, visible } from "../terminal.ts";
import { planJson } from "./json.ts";
import { type Look, planText } from "./text.ts";

interface Shown {
  readonly plan: Plan | undefined;
  readonly environment: string | null;
  /** Nothing is on record for a real service. */
  readonly noState: boolean;
  /** It may be looked at, and not applied. */
  readonly refused: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

interface Audience {
  readonly format: string;
  readonly globals: { readonly quiet: boolean; readonly verbose: boolean };
  readonly terminal: Terminal;
}

/** `plan`'s result, in the format asked for. */
export async function showPlan(shown: Shown, { format, globals, terminal }: Audience) {
  const { plan, environment, diagnostics } = shown;
  await sayInWords(diagnostics, terminal);
  if (format === "json") terminal.out(planJson(plan, environment, diagnostics));
  else if (plan !== undefined && !globals.quiet) {
    const look = { style: terminal.styleOut, columns: lineWidth(terminal.outColumns) };
    terminal.out(opening(shown) + planText(plan, await withWire(look, globals.verbose)));
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
  terminal.say(opening(shown) + planText(plan, await withWire(look, globals.verbose)));
}

function opening({ plan, noState, refused }: Shown): string {
  const lines = [
    ...(noState && plan !== undefined
      ? [`NO STATE: all ${plan.changes.length} menus would be created`]
      : []),
    ...(refused ? ["REFUSED: this plan cannot be applied, see the errors"] : []),
  ];
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
