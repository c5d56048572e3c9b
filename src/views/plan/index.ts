import type { Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sayInWords } from "../diagnostics/index.ts";
import type { Terminal } from "../terminal.ts";
import { planJson } from "./json.ts";
import { type Look, planText } from "./text.ts";

interface Shown {
  readonly plan: Plan | undefined;
  readonly environment: string | null;
  /** Nothing is on record for a real service. */
  readonly noState: boolean;
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
    const look = { style: terminal.styleOut, columns: Math.min(terminal.outColumns, 100) };
    terminal.out(opening(shown) + planText(plan, await withWire(look, globals.verbose)));
  }
}

/** What `apply` is about to do, said to the person whatever format the result has; or why it will not. */
export async function sayPlan(
  shown: Shown & { readonly refused: boolean },
  { globals, terminal }: Audience,
): Promise<void> {
  const { plan, diagnostics, refused } = shown;
  await sayInWords(diagnostics, terminal);
  if (plan === undefined || refused || globals.quiet) return;
  const look = { style: terminal.style, columns: Math.min(terminal.columns, 100) };
  terminal.say(opening(shown) + planText(plan, await withWire(look, globals.verbose)));
}

function opening({ plan, noState }: Shown): string {
  if (!noState || plan === undefined) return "";
  const count = plan.changes.length;
  return `NO STATE: all ${count} menus would be created\n\n`;
}

async function withWire(look: Look, verbose: boolean): Promise<Look> {
  if (!verbose) return look;
  const { wireDiff } = await import("./wire-diff.ts");
  return { ...look, wireDiff: (change) => wireDiff(change, look.style) };
}

export function sayPlanKept(file: string, terminal: Terminal): void {
  terminal.say(`The plan is kept in ${file}. To apply it: ivrctl apply ${file}\n`);
}
