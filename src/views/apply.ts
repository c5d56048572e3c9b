import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Unrecorded,
  type Watcher,
  resultOutcomes,
} from "../deploy/apply/apply-plan.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Outcome } from "../deploy/service/outcome.ts";
import { type Plan, isSending } from "../deploy/plan/plan.ts";
import type { StoreWatcher } from "../deploy/state/store.ts";
import { suggest } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Rescue } from "../schema/rescue.ts";
import type { FollowUp } from "../schema/state.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./json.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsText } from "./plan/text.ts";
import {
  type Audience,
  type Paint,
  type Style,
  type Terminal,
  clearLine,
  visible,
} from "./terminal.ts";
import { second } from "./time.ts";
import type { Absent } from "../deploy/state/rescue.ts";

const words: Readonly<Record<ResultOutcome, readonly [words: string, style: Style]>> = {
  created: ["created", "green"],
  failed: ["failed", "red"],
  unknown: ["unknown", "magenta"],
  not_attempted: ["not attempted", "yellow"],
  moved: ["moved", "cyan"],
  forgotten: ["forgotten", "cyan"],
  restored: ["restored", "cyan"],
};

/** Prints a line for each menu while apply runs, and on a terminal a line with the progress. */
export class Progress implements Watcher {
  readonly #terminal: Terminal;
  readonly #quiet: boolean;
  readonly #total: number;
  readonly #flying = new Set<string>();
  #finished = 0;

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

  finished(result: Result): void {
    const { key, outcome, action } = result;
    this.#flying.delete(key);
    if (action === "create" || action === "replace") this.#finished += 1;
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
    const text = `${this.#finished} of ${this.#total} settled${flying === "" ? "" : `; in flight: ${flying}`}`;
    this.#terminal.say(clearLine + this.#terminal.style("dim", text.slice(0, columns - 1)));
  }
}

/** Reports that the state store cannot be reached, and that it is back. */
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
  readonly rescued?: Rescued;
  /** What would have been done, if apply did not begin. */
  readonly notApplied?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
  /** Diagnostics that are printed already. */
  readonly printed?: readonly Diagnostic[];
}

/** Prints the result of apply. */
export async function showApplied(
  { environment, applied, rescued, notApplied = [], followUps = [], printed = [] }: Ended,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  const alreadyPrinted = new Set(printed.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !alreadyPrinted.has(identityOf(diagnostic)));
  await sayInWords(fresh, terminal);
  const results = applied?.results ?? notApplied;
  if (applied !== undefined) sayUnrecorded(applied, rescued, environment ?? "", terminal);
  if (format === "json") {
    const counts = resultOutcomes.map((outcome) => [outcome, countOf(results, outcome)] as const);
    const content = {
      environment,
      summary: Object.fromEntries(counts),
      results: results.map(resultJson),
      follow_ups: followUps.map(followUpJson),
    };
    terminal.out(diagnosticsJson(diagnostics, content));
    if (applied === undefined) return;
  } else if (applied !== undefined && !globals.quiet) {
    terminal.out(summaryText(results, environment, followUps, terminal));
    return;
  }
  // Problems are printed even with --quiet.
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
  const { styleOut } = terminal;
  const open = followUpsText(followUps, environment ?? "", styleOut);
  return [
    styleOut("bold", `${environment ?? "Apply"}: ${head}.`),
    ...troubles(results, environment ?? "", styleOut),
    ...(open === "" ? [] : ["", open.trimEnd()]),
    "",
  ].join("\n");
}

/** What was not done, and how to continue. */
function troubles(results: readonly Result[], environment: string, paint: Paint): string[] {
  return (["failed", "unknown", "not_attempted"] as const).flatMap((outcome) => {
    const own = results.filter((result) => result.outcome === outcome);
    const [word, style] = words[outcome];
    // A menu that was not attempted has no details.
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

/** Prints outcomes that could not be recorded: none of them may be lost. */
function sayUnrecorded(
  { unrecorded }: Applied,
  rescued: Rescued | undefined,
  environment: string,
  terminal: Terminal,
): void {
  if (unrecorded.length === 0) return;
  const file = rescued?.file;
  const lines =
    file === undefined
      ? [
          "This is known, but could not be recorded, and no file could be written to keep it.",
          ...(rescued === undefined ? [] : rescueLines(rescued.rescue, environment)),
          "Without that text, once the state can be written, run:",
        ]
      : [
          `This is known, but could not be recorded. It is kept in ${file}`,
          "The next command here that changes the state records it by itself. On another machine, run:",
          `  ${suggest("state push", [file], environment)}`,
          "Should that file be lost, run:",
        ];
  for (const { key, outcome, denied } of unrecorded) {
    if (denied?.another !== undefined) continue;
    const line = command(key, outcome, environment, denied !== undefined);
    lines.push(`  ${line}   # ${outcome.kind}${reasonOf(outcome)}`);
  }
  for (const one of unrecorded) {
    if (one.denied !== undefined) lines.push(terminal.style("red", deniedText(one, one.denied)));
  }
  terminal.say(`${lines.join("\n")}\n`);
}

/** Plain ASCII on one line, so that it can be copied from any log. */
function rescueLines(rescue: Rescue, environment: string): string[] {
  const text = JSON.stringify(rescue).replaceAll(
    /[\u007F-\uFFFF]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [
    "Save the next line in a file and, once the state can be written, run:",
    `  ${suggest("state push", ["FILE"], environment)}`,
    text,
  ];
}

/** Somebody recorded the menu as absent, but the service created it. */
function deniedText({ key, outcome }: Unrecorded, { by, another, intent }: Absent): string {
  const name = visible(intent.event.payload.name);
  const said = `${visible(key)}: the service created “${name}”${reasonOf(outcome)}, but ${visible(by.by)} recorded it as absent at ${second(by.at)} UTC`;
  if (another === undefined) return `${said}. The menu exists. It is not on record yet.`;
  const run = `the run ${visible(another.run)} of ${visible(another.by)}`;
  const [deed, verdict] = deniedWords[another.event.kind] ?? [
    "created it again",
    "TWO MENUS EXIST NOW",
  ];
  return `${said}, and ${run} ${deed} at ${second(another.at)} UTC. ${verdict}. This run's is not on record yet; once it is, it is a follow-up. Find out which of the two the number uses, and take the other one out of service.`;
}

const deniedWords: Readonly<Record<string, readonly [deed: string, verdict: string]>> = {
  intent: ["began to create it again", "TWO MENUS MAY EXIST NOW"],
  adopted: ["adopted a menu", "TWO MENUS EXIST NOW, unless that is this run's"],
};

function command(
  key: string,
  { kind, status, message }: Outcome,
  environment: string,
  isDenied: boolean,
): string {
  if (kind === "unknown") return suggest("state show", [key], environment);
  const fate = kind === "created" ? "--created" : "--absent";
  const evidence = `${kind} ${status ?? ""} ${message}`.replace(/[^\w .,:-]/g, " ").trim();
  return isDenied
    ? suggest("state adopt", [key], environment, `--evidence '${evidence}'`)
    : suggest("state resolve", [key], environment, `${fate} --evidence '${evidence}'`);
}
