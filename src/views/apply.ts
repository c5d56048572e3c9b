import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Watcher,
  resultOutcomes,
} from "../deploy/apply.ts";
import type { Outcome } from "../deploy/outcome.ts";
import { type Plan, isSending } from "../deploy/plan/plan.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { FollowUp } from "../schema/state.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsText } from "./plan/text.ts";
import { type Style, type Terminal, visible } from "./terminal.ts";

interface Audience {
  readonly format: string;
  readonly globals: { readonly quiet: boolean };
  readonly terminal: Terminal;
}

const words: Readonly<Record<ResultOutcome, readonly [words: string, style: Style]>> = {
  created: ["created", "green"],
  failed: ["failed", "red"],
  unknown: ["unknown", "magenta"],
  not_attempted: ["not attempted", "yellow"],
  moved: ["moved", "cyan"],
  forgotten: ["forgotten", "cyan"],
  restored: ["restored", "cyan"],
};

/** What happens, while it happens: a line a menu, and on a terminal a line that tells how far it is. */
export class Progress implements Watcher {
  readonly #terminal: Terminal;
  readonly #quiet: boolean;
  readonly #total: number;
  readonly #flying = new Set<string>();
  #settled = 0;

  constructor({ changes }: Plan, { terminal, globals }: Audience) {
    this.#terminal = terminal;
    this.#quiet = globals.quiet;
    this.#total = changes.filter(isSending).length;
  }

  sending(key: string): void {
    this.#flying.add(key);
    this.#redraw();
  }

  waiting(key: string, seconds: number, message: string): void {
    this.#flying.delete(key);
    this.#line(`${visible(key)}: ${visible(message)}; again in ${seconds.toFixed(1)} s`);
  }

  settled(result: Result): void {
    const { key, outcome, action } = result;
    this.#flying.delete(key);
    if (action === "create" || action === "replace") this.#settled += 1;
    const [word, style] = words[outcome];
    const shown = this.#terminal.style(style, word);
    this.#line(`${visible(key)}: ${shown}${outcome === "created" ? "" : reasonOf(result)}`);
  }

  end(): void {
    if (this.#terminal.live && !this.#quiet) this.#terminal.say(clearLine);
  }

  #line(text: string): void {
    if (this.#quiet) return;
    this.#terminal.say(`${this.#terminal.live ? clearLine : ""}${text}\n`);
    this.#redraw();
  }

  #redraw(): void {
    const { live, columns } = this.#terminal;
    if (!live || this.#quiet) return;
    const flying = [...this.#flying].map(visible).join(", ");
    const text = `${this.#settled} of ${this.#total} settled${flying === "" ? "" : `; in flight: ${flying}`}`;
    this.#terminal.say(clearLine + this.#terminal.style("dim", text.slice(0, columns - 1)));
  }
}

const clearLine = "\r\u001B[K";

function reasonOf({ status, message }: Pick<Result, "status" | "message">): string {
  const parts = [
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(message === null ? [] : [message]),
  ];
  return parts.length === 0 ? "" : ` (${visible([...new Set(parts)].join(": "))})`;
}

export function sayInterrupted(terminal: Terminal): void {
  terminal.say(
    `${terminal.live ? clearLine : ""}Interrupted: what is in flight may finish, nothing new is started. Once more to give up at once.\n`,
  );
}

export function sayNotApplied(terminal: Terminal): void {
  terminal.say("Nothing was applied.\n");
}

interface Ended {
  readonly environment: string | null;
  readonly plan?: Plan;
  readonly applied?: Applied;
  readonly followUps?: readonly FollowUp[];
}

/** How it ended, from what is on record. */
export async function showApplied(
  { environment, plan, applied, followUps }: Ended,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  // With a plan, what was wrong before it was said with it.
  const late = plan === undefined || applied?.problem !== undefined;
  if (late) await sayInWords(diagnostics, terminal);
  const results = applied?.results ?? [];
  if (applied !== undefined) sayUnrecorded(applied, terminal);
  if (format === "json") {
    terminal.out(
      toJson({
        format_version: formatVersion,
        environment,
        summary: Object.fromEntries(
          resultOutcomes.map((outcome) => [outcome, countOf(results, outcome)]),
        ),
        results,
        follow_ups: (followUps ?? plan?.followUps ?? []).map(followUpJson),
        diagnostics: plainDiagnostics(diagnostics),
      }),
    );
  } else if (applied !== undefined && !globals.quiet) {
    terminal.out(summaryText(results, environment, followUps ?? [], terminal));
  }
}

function countOf(results: readonly Result[], outcome: ResultOutcome): number {
  return results.filter((result) => result.outcome === outcome).length;
}

function summaryText(
  results: readonly Result[],
  environment: string | null,
  followUps: readonly FollowUp[],
  terminal: Terminal,
): string {
  const counts = resultOutcomes
    .map((outcome) => [outcome, countOf(results, outcome)] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${words[outcome][0]}`);
  const head = counts.length === 0 ? "nothing to do" : counts.join(", ");
  const look = { style: terminal.styleOut };
  const listed = (["failed", "unknown", "not_attempted"] as const).flatMap((outcome) =>
    results
      .filter((result) => result.outcome === outcome)
      .map((result) => {
        const [word, style] = words[outcome];
        const line = `  ${look.style(style, word)}  ${visible(result.key)}${reasonOf(result)}`;
        return outcome === "unknown" ? `${line}\n${resolveHint(result)}` : line;
      }),
  );
  const open = followUpsText(followUps, look);
  return [
    look.style("bold", `${environment ?? "Apply"}: ${head}.`),
    ...listed,
    ...(open === "" ? [] : ["", open.trimEnd()]),
    "",
  ].join("\n");
}

function resolveHint({ key, name }: Result): string {
  return [
    `    Look for “${visible(name)}” on the provider's console (ivrctl state show ${key} says when it was sent), then:`,
    `    ivrctl state resolve ${key} --created   or   ivrctl state resolve ${key} --absent`,
  ].join("\n");
}

/** What is known and could not be kept: nothing of it may be lost. */
function sayUnrecorded({ unrecorded }: Applied, terminal: Terminal): void {
  if (unrecorded.length === 0) return;
  terminal.say(
    "The service answered, but that could not be recorded. Keep this, mend the state's disk, and then run:\n",
  );
  for (const { key, outcome } of unrecorded) {
    terminal.say(`  ${command(key, outcome)}   # ${outcome.kind}${reasonOf(outcome)}\n`);
  }
}

function command(key: string, { kind, status, message }: Outcome): string {
  if (kind === "unknown")
    return `look for ${key} on the provider's console, then state resolve ${key}`;
  const fate = kind === "created" ? "--created" : "--absent";
  const evidence = `${kind} ${status ?? ""} ${message}`.replace(/[^\w .,:-]/g, " ").trim();
  return `ivrctl state resolve ${key} ${fate} --evidence '${evidence}'`;
}
