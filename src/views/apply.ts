import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Watcher,
  resultOutcomes,
} from "../deploy/apply/apply-plan.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import { type Plan, isSending } from "../deploy/plan/plan.ts";
import type { StoreWatcher } from "../deploy/state/store.ts";
import { groupBy } from "../util/group-by.ts";
import { suggest } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Confirmed, FollowUp } from "../schema/state.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./json.ts";
import { madeWords, numbersOf } from "./follow-ups.ts";
import { resolveCommands, unknownHint } from "./plan/details.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsCount } from "./plan/text.ts";
import { idHintAfter, waitsBriefly } from "./plan/waiting.ts";
import { Progress } from "./progress.ts";
import { type Audience, type Paint, type Style, type Terminal, visible } from "./terminal.ts";
import { answerInParentheses, answerWords } from "./text.ts";
import { sayUnrecorded } from "./unrecorded.ts";

const words: Readonly<Record<ResultOutcome, readonly [words: string, style: Style]>> = {
  created: ["created", "green"],
  failed: ["not created", "red"],
  unknown: ["unknown", "magenta"],
  not_attempted: ["not attempted", "yellow"],
  waiting: ["waiting", "blue"],
  moved: ["moved", "cyan"],
  forgotten: ["forgotten", "cyan"],
  restored: ["restored", "cyan"],
};

/** Prints a line for each menu while apply runs, and shows the progress. */
export class ApplyProgress implements Watcher {
  readonly #audience: Audience;
  readonly #inFlight = new Set<string>();
  readonly #retrying = new Set<string>();
  #followUps: () => readonly FollowUp[] = () => [];
  /** The old menus that become current again, by key. */
  #restored: ReadonlyMap<string, Confirmed> = new Map();
  #progress: Progress | undefined;
  #total = 0;
  #done = 0;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /** Shows the progress of a plan. `followUps` returns the open follow-ups at any time. */
  async during<T>(
    { changes }: Plan,
    limit: number | null,
    followUps: () => readonly FollowUp[],
    work: () => Promise<T>,
  ): Promise<T> {
    this.#total = changes.filter(isSending).length;
    this.#followUps = followUps;
    this.#restored = new Map(
      changes.flatMap((change) =>
        change.action === "restore" && change.before ? [[change.key, change.followUp.record]] : [],
      ),
    );
    if (this.#total === 0) return work();
    const task = { what: "Recording", noun: "menu", limit };
    this.#progress = new Progress(task, this.#audience);
    return this.#progress.during(work());
  }

  sending(key: string): void {
    this.#retrying.delete(key);
    this.#inFlight.add(key);
    this.#update();
  }

  waiting(key: string, seconds: number, reason: Reason): void {
    this.#inFlight.delete(key);
    this.#retrying.add(key);
    this.#line(`${visible(key)}: ${reasonText(reason)}; trying again in ${seconds.toFixed(1)} s`);
  }

  finished(result: Result): void {
    const { key, outcome, action } = result;
    this.#inFlight.delete(key);
    this.#retrying.delete(key);
    if (action === "create" || action === "replace") this.#done += 1;
    const [word, style] = words[outcome];
    const replaced = outcome === "created" && action === "replace";
    const shown = this.#audience.terminal.style(style, replaced ? `new menu ${word}` : word);
    const old = this.#restored.get(key);
    const more = replaced
      ? this.#otherMenu(key, "old")
      : outcome === "restored" && old !== undefined
        ? `; point ${numbersOf(old.naming)} back to the menu ${madeWords(old)}${this.#otherMenu(key, "other")}`
        : briefly(result);
    this.#line(`${visible(key)}: ${shown}${more}`);
  }

  /** Reports that apply stops, and what a second signal would do. */
  interrupted(): void {
    const count = this.#inFlight.size;
    const rest =
      count === 0
        ? "No request is in flight, and no new one is sent. Press Ctrl-C again to quit now."
        : count === 1
          ? "Stopping after the request in flight. Press Ctrl-C again to quit now; that request must then be checked by hand."
          : `Stopping after the ${count} requests in flight. Press Ctrl-C again to quit now; those ${count} must then be checked by hand.`;
    this.#audience.terminal.say(`Interrupted. ${rest}\n`);
    // The other menus are not sent, so the progress does not count them any more.
    this.#total = this.#done + count + this.#retrying.size;
    this.#update();
  }

  #otherMenu(key: string, which: "old" | "other"): string {
    const own = this.#followUps().filter(
      (followUp) => followUp.key === key && followUp.reason === "replaced",
    );
    const id = own.at(-1)?.id;
    return id === undefined ? "" : `; the ${which} one is follow-up ${id}`;
  }

  #line(text: string): void {
    const { globals, terminal } = this.#audience;
    if (!globals.quiet) terminal.say(`${text}\n`);
    this.#update();
  }

  #update(): void {
    const [inFlight, retrying] = [this.#inFlight.size, this.#retrying.size];
    this.#progress?.update({ done: this.#done, total: this.#total, inFlight, retrying });
  }
}

/** Reports that the state store cannot be reached, and that it is back. */
export function storeProgress({ terminal, globals }: Audience): StoreWatcher {
  const line = (text: string) => {
    if (!globals.quiet) terminal.say(`${visible(text)}\n`);
  };
  return {
    lost: (why, seconds) =>
      line(`${why} Sending is paused. Waiting up to ${seconds} s for the state store.`),
    back: () => line("The state store is back. Sending continues."),
  };
}

type Reason = Pick<Result, "status" | "message">;

function reasonText({ status, message }: Reason): string {
  return visible(answerWords(status, message));
}

/** The reason of a problem, for the line that is printed at once. The end of apply explains it. */
function briefly(result: Result): string {
  return result.outcome === "failed" || result.outcome === "unknown"
    ? answerInParentheses(result)
    : "";
}

function afterColon(result: Result): string {
  const reason = reasonText(result).replace(/[.\s]+$/, "");
  return reason === "" ? "." : `: ${reason}.`;
}

export function sayNotApplied(terminal: Terminal): void {
  terminal.say("Nothing was applied.\n");
}

interface Ended {
  readonly environment: string | null;
  readonly applied?: Applied;
  readonly rescued?: Rescued;
  /** The results of a plan that was not applied. */
  readonly notApplied?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
  /** The command that continues an apply that did not do everything. */
  readonly next: string;
  /** The diagnostics that were printed before. */
  readonly printed?: readonly Diagnostic[];
}

/** Prints the result of apply. What needs a person comes last. */
export async function showApplied(
  { environment, applied, rescued, notApplied = [], followUps = [], next, printed = [] }: Ended,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  const alreadyPrinted = new Set(printed.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !alreadyPrinted.has(identityOf(diagnostic)));
  const results = applied?.results ?? notApplied;
  if (format === "json") {
    const counts = resultOutcomes.map((outcome) => [outcome, countOf(results, outcome)] as const);
    const content = {
      environment,
      summary: Object.fromEntries(counts),
      results: results.map(resultJson),
      follow_ups: followUps.map(followUpJson),
    };
    terminal.out(diagnosticsJson(diagnostics, content));
  }
  if (applied !== undefined) {
    // Problems are printed even with --quiet.
    const isText = format === "text" && !globals.quiet;
    const print = (text: string) => (isText ? terminal.out(text) : terminal.say(text));
    if (isText) {
      print(followUpsCount(followUps, environment ?? "", terminal.outColumns));
      print(`${terminal.styleOut("bold", countsText(applied, environment))}\n`);
    }
    const paint = isText ? terminal.styleOut : terminal.style;
    for (const line of problemLines(applied, environment ?? "", paint)) print(`${line}\n`);
    sayUnrecorded(applied, rescued, environment ?? "", terminal);
  }
  await sayInWords(fresh, terminal);
  // Errors have their own advice.
  const isDone = fresh.some(({ severity }) => severity === "error") || globals.quiet;
  if (applied !== undefined && !isDone) terminal.say(nextText(applied, next));
}

function resultJson(result: Result): object {
  const { waitsFor, ...rest } = result;
  const { key, name, action, outcome, status, message, attempts } = rest;
  const waits = waitsFor === undefined ? {} : { waits_for: waitsFor };
  return { key, name, action, outcome, status, message, attempts, ...waits };
}

function identityOf({ code, file, line, column, message }: Diagnostic): string {
  return [code, file, line, column, message].join(" ");
}

function countOf(results: readonly Result[], outcome: ResultOutcome): number {
  return results.filter((result) => result.outcome === outcome).length;
}

function countsText({ results }: Applied, environment: string | null): string {
  const counts = resultOutcomes
    .map((outcome) => [outcome, countOf(results, outcome)] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${words[outcome][0]}`);
  const head = counts.length === 0 ? "nothing to do" : counts.join(", ");
  return `${environment ?? "Apply"}: ${head}.`;
}

/** How to continue; empty if everything was tried and created. */
function nextText({ results }: Applied, command: string): string {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const denied = failed.find(({ status }) => isDenied(status));
  const words =
    denied !== undefined
      ? `Apply stopped, because the service rejected the token (HTTP ${denied.status}). Check the token, then run:`
      : countOf(results, "not_attempted") > 0
        ? "To continue, run:"
        : failed.length > 0
          ? "To try again, run:"
          : idHintAfter(results, "") !== undefined
            ? "Then, to continue with the menus that wait, run:"
            : undefined;
  return words === undefined ? "" : `${words}\n  ${command}\n`;
}

/** The menus that were not created. Those that a person must look for come last. */
function problemLines(
  { results, unrecorded }: Applied,
  environment: string,
  paint: Paint,
): string[] {
  const of = (wanted: ResultOutcome) => results.filter(({ outcome }) => outcome === wanted);
  const painted = (outcome: ResultOutcome) => paint(words[outcome][1], words[outcome][0]);
  // `sayUnrecorded` prints how to record them.
  const known = new Set(
    unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key)),
  );
  const unknown = of("unknown");
  const earlier = unknown.filter(({ action }) => action === "unknown").map(({ key }) => key);
  const recent = unknown.filter(({ action }) => action !== "unknown");
  const open = unknown.filter(({ key }) => !known.has(key));
  const why = (result: Result) =>
    `${afterColon(result)}${open.length === 1 && open[0] === result ? " The menu may or may not exist." : ""}`;
  return [
    ...waitingLines(results, painted("waiting"), environment),
    ...notAttemptedLine(of("not_attempted"), painted("not_attempted")),
    ...[...groupBy(of("failed"), reasonText).values()].map(
      (own) =>
        `  ${own.map(({ key }) => visible(key)).join(", ")}: ${painted("failed")}${answerInParentheses(own[0])}`,
    ),
    ...(earlier.length === 0
      ? []
      : [`  ${earlier.map(visible).join(", ")}: ${painted("unknown")} since an earlier run`]),
    ...[...groupBy(recent, why)].map(
      ([reason, own]) =>
        `  ${own.map(({ key }) => visible(key)).join(", ")}: ${painted("unknown")}${reason}`,
    ),
    ...resolveLines(open, environment),
  ];
}

/** How to resolve unknown outcomes. */
function resolveLines(open: readonly Result[], environment: string): string[] {
  const [first, ...more] = open;
  if (first === undefined) return [];
  const keys = open.map(({ key }) => key);
  const { words: advice, command } = unknownHint(keys, environment);
  if (more.length > 0) {
    return [
      "  Menus with an unknown outcome may or may not exist. They are never sent again on their own.",
      `  ${advice}`,
      `    ${command}`,
    ];
  }
  return [
    ...(first.action === "unknown"
      ? [`    ${advice}`, `      ${command}`]
      : [resolveHint(first, environment)]),
    "  A menu with an unknown outcome is never sent again on its own.",
  ];
}

/** The menus that wait, and how to record the ids that they wait for. */
function waitingLines(results: readonly Result[], word: string, environment: string): string[] {
  const waiting = results.filter(({ outcome }) => outcome === "waiting");
  const hint = idHintAfter(results, environment);
  return [
    ...[...groupBy(waiting, ({ waitsFor = [] }) => waitsBriefly(waitsFor))].map(
      ([what, own]) => `  ${keysText(own)}: ${word} for ${visible(what)}`,
    ),
    ...(hint === undefined
      ? []
      : [`  ${visible(hint.words)}`, ...hint.commands.map((command) => `    ${command}`)]),
  ];
}

/** A menu that was not attempted needs no explanation, so a long list is cut. */
function notAttemptedLine(own: readonly Result[], word: string): string[] {
  return own.length === 0 ? [] : [`  ${keysText(own)}: ${word}`];
}

function keysText(results: readonly Result[]): string {
  const keys = results.slice(0, maxListed).map(({ key }) => visible(key));
  const more = results.length > maxListed ? `, and ${results.length - maxListed} more` : "";
  return `${keys.join(", ")}${more}`;
}

const maxListed = 12;

function isDenied(status: number | null): boolean {
  return status === 401 || status === 403;
}

function resolveHint({ key, name }: Result, environment: string): string {
  return [
    `    Look for “${visible(name)}” on the console. To see what was sent, and when:`,
    `      ${suggest("state show", [key], environment)}`,
    ...resolveCommands(key, environment).flatMap(({ when, command }) => [
      `    ${when}:`,
      `      ${command}`,
    ]),
  ].join("\n");
}
