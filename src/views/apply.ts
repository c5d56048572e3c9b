import type { Audience } from "./audience.ts";
import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Watcher,
  resultOutcomes,
} from "../deploy/apply.ts";
import type { Outcome } from "../deploy/outcome.ts";
import { type Plan, isSending } from "../deploy/plan/plan.ts";
import type { StoreWatcher } from "../deploy/state/store.ts";
import { suggest } from "../deploy/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { FollowUp } from "../schema/state.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsText } from "./plan/text.ts";
import { type Paint, type Style, type Terminal, visible } from "./terminal.ts";

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

/** Of a store that goes away while it is needed. */
export function storeProgress({ terminal, globals }: Audience): StoreWatcher {
  const line = (text: string) => {
    if (!globals.quiet) terminal.say(`${terminal.live ? clearLine : ""}${visible(text)}\n`);
  };
  return {
    lost: (why, seconds) =>
      line(`${why} Nothing new is sent; it is waited for, up to ${seconds} s.`),
    back: () => line("The state can be written again."),
  };
}

const clearLine = "\r\u001B[K";

function reasonOf({ status, message }: Pick<Result, "status" | "message">): string {
  const code = status === null || message?.includes(`HTTP ${status}`) ? [] : [`HTTP ${status}`];
  const parts = [...code, ...(message === null ? [] : [message])];
  return parts.length === 0 ? "" : ` (${visible(parts.join(": "))})`;
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
  readonly applied?: Applied;
  /** The file with what could not be recorded. */
  readonly rescued?: string;
  /** What would have been done, where it did not come to it. */
  readonly undone?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
  /** What has been said already. */
  readonly said?: readonly Diagnostic[];
}

/** How it ended, from what is on record. */
export async function showApplied(
  { environment, applied, rescued, undone = [], followUps = [], said = [] }: Ended,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  const known = new Set(said.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !known.has(identityOf(diagnostic)));
  await sayInWords(fresh, terminal);
  const results = applied?.results ?? undone;
  if (applied !== undefined) sayUnrecorded(applied, rescued, environment ?? "", terminal);
  if (format === "json") {
    terminal.out(
      toJson({
        format_version: formatVersion,
        environment,
        summary: Object.fromEntries(
          resultOutcomes.map((outcome) => [outcome, countOf(results, outcome)]),
        ),
        results: results.map(resultJson),
        follow_ups: followUps.map(followUpJson),
        diagnostics: plainDiagnostics(diagnostics),
      }),
    );
    if (applied === undefined) return;
  } else if (applied !== undefined && !globals.quiet) {
    terminal.out(summaryText(results, environment, followUps, terminal));
    return;
  }
  // Whoever wants no words wants those about problems.
  for (const line of troubles(applied?.results ?? [], environment ?? "", terminal.style)) {
    terminal.say(`${line}\n`);
  }
}

function resultJson(result: Result): object {
  const { key, name, action, outcome, status, message, attempts } = result;
  return { key, name, action, outcome, status, message, attempts };
}

function identityOf({ code, file, line, column, message }: Diagnostic): string {
  return [code, file, line, column, message].join(" ");
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
  const open = followUpsText(followUps, environment ?? "", look);
  return [
    look.style("bold", `${environment ?? "Apply"}: ${head}.`),
    ...troubles(results, environment ?? "", look.style),
    ...(open === "" ? [] : ["", open.trimEnd()]),
    "",
  ].join("\n");
}

/** What was not done, with what is to be done about it. */
function troubles(results: readonly Result[], environment: string, paint: Paint): string[] {
  return (["failed", "unknown", "not_attempted"] as const).flatMap((outcome) => {
    const own = results.filter((result) => result.outcome === outcome);
    const [word, style] = words[outcome];
    // Those that were not attempted have nothing to say but that.
    const most = outcome === "not_attempted" ? maxListed : own.length;
    const lines = own.slice(0, most).map((result) => {
      const line = `  ${paint(style, word)}  ${visible(result.key)}${reasonOf(result)}`;
      return outcome === "unknown" ? `${line}\n${resolveHint(result, environment)}` : line;
    });
    if (own.length > most) lines.push(`  … and ${own.length - most} more`);
    return lines;
  });
}

const maxListed = 20;

function resolveHint({ key, name }: Result, environment: string): string {
  return [
    `    Look for “${visible(name)}” on the provider's console; when it was sent:`,
    `      ${suggest("state show", [key], environment)}`,
    "    Then:",
    `      ${suggest("state resolve", [key], environment, "--created")}`,
    `      ${suggest("state resolve", [key], environment, "--absent")}`,
  ].join("\n");
}

/** What is known and could not be kept: nothing of it may be lost. */
function sayUnrecorded(
  { unrecorded }: Applied,
  rescued: string | undefined,
  environment: string,
  terminal: Terminal,
): void {
  if (unrecorded.length === 0) return;
  terminal.say(
    rescued === undefined
      ? "This is known, but could not be recorded. Keep it, mend what keeps the state from being written, and then run:\n"
      : `This is known, but could not be recorded. It is kept in ${rescued}\nThe next run here records it by itself; elsewhere, \`ivrctl state push FILE\` does. Should that file be lost, run:\n`,
  );
  for (const { key, outcome } of unrecorded) {
    const line = command(key, outcome, environment);
    terminal.say(`  ${line}   # ${outcome.kind}${reasonOf(outcome)}\n`);
  }
}

function command(key: string, { kind, status, message }: Outcome, environment: string): string {
  if (kind === "unknown") return suggest("state show", [key], environment);
  const fate = kind === "created" ? "--created" : "--absent";
  const evidence = `${kind} ${status ?? ""} ${message}`.replace(/[^\w .,:-]/g, " ").trim();
  return suggest("state resolve", [key], environment, `${fate} --evidence '${evidence}'`);
}
