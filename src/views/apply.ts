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
import type { Confirmed, FollowUp } from "../schema/state.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./json.ts";
import { madeWords, resolveCommands } from "./plan/details.ts";
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
import { answerWords } from "./text.ts";
import { second } from "../util/time.ts";
import type { Absent } from "../deploy/state/rescue.ts";

const words: Readonly<Record<ResultOutcome, readonly [words: string, style: Style]>> = {
  created: ["created", "green"],
  failed: ["not created", "red"],
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
  readonly #inFlight = new Set<string>();
  #followUps: () => readonly FollowUp[] = () => [];
  /** The old menus that become current again, by key. */
  #restored: ReadonlyMap<string, Confirmed> = new Map();
  #total = 0;
  #finished = 0;

  constructor({ terminal, globals }: Audience) {
    this.#terminal = terminal;
    this.#quiet = globals.quiet;
  }

  /** Starts the progress of a plan. `followUps` returns the open follow-ups at any time. */
  begin({ changes }: Plan, followUps: () => readonly FollowUp[]): void {
    this.#total = changes.filter(isSending).length;
    this.#followUps = followUps;
    this.#restored = new Map(
      changes.flatMap((change) =>
        change.action === "restore" && change.before ? [[change.key, change.followUp.record]] : [],
      ),
    );
  }

  sending(key: string): void {
    this.#inFlight.add(key);
    this.#redraw();
  }

  waiting(key: string, seconds: number, reason: Reason): void {
    this.#inFlight.delete(key);
    this.#line(`${visible(key)}: ${reasonText(reason)}; trying again in ${seconds.toFixed(1)} s`);
  }

  finished(result: Result): void {
    const { key, outcome, action } = result;
    this.#inFlight.delete(key);
    if (action === "create" || action === "replace") this.#finished += 1;
    const [word, style] = words[outcome];
    const replaced = outcome === "created" && action === "replace";
    const shown = this.#terminal.style(style, replaced ? `new menu ${word}` : word);
    const old = this.#restored.get(key);
    const more = replaced
      ? this.#otherMenu(key, "old")
      : outcome === "restored" && old !== undefined
        ? `; point the phone number back to the menu ${madeWords(old)}${this.#otherMenu(key, "other")}`
        : explanationOf(result);
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
    this.#terminal.say(`${this.#terminal.live ? clearLine : ""}Interrupted. ${rest}\n`);
  }

  #otherMenu(key: string, which: "old" | "other"): string {
    const own = this.#followUps().filter(
      (followUp) => followUp.key === key && followUp.reason === "replaced",
    );
    const id = own.at(-1)?.id;
    return id === undefined ? "" : `; the ${which} one is follow-up ${id}`;
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
    const keys = [...this.#inFlight].map(visible).join(", ");
    const text = `${this.#finished} of ${this.#total} done${keys === "" ? "" : `; in flight: ${keys}`}`;
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
      line(`${why} Sending is paused. Waiting up to ${seconds} s for the state store.`),
    back: () => line("The state store is back. Sending continues."),
  };
}

type Reason = Pick<Result, "status" | "message">;

function reasonText({ status, message }: Reason): string {
  return visible(answerWords(status, message));
}

function inParentheses(reason: Reason): string {
  const text = reasonText(reason);
  return text === "" ? "" : ` (${text})`;
}

/** Why a menu was not created, or may not exist, and what happens next. */
function explanationOf(result: Result): string {
  switch (result.outcome) {
    case "failed":
      return `${inParentheses(result)}; the next apply tries again`;
    case "unknown":
      return `${afterColon(result)} The menu may or may not exist.`;
    default:
      return "";
  }
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
  /** The diagnostics that were printed before. */
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
  } else if (applied !== undefined && !globals.quiet) {
    terminal.out(summaryText(applied, environment, followUps, terminal));
    return;
  }
  // Problems are printed even with --quiet.
  if (applied === undefined) return;
  for (const line of problemLines(applied, environment ?? "", terminal.style)) {
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
  applied: Applied,
  environment: string | null,
  followUps: readonly FollowUp[],
  terminal: Terminal,
): string {
  const counts = resultOutcomes
    .map((outcome) => [outcome, countOf(applied.results, outcome)] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${words[outcome][0]}`);
  const head = counts.length === 0 ? "nothing to do" : counts.join(", ");
  const { styleOut } = terminal;
  const open = followUpsText(followUps, environment ?? "", styleOut);
  return [
    ...(open === "" ? [] : [open]),
    styleOut("bold", `${environment ?? "Apply"}: ${head}.`),
    ...problemLines(applied, environment ?? "", styleOut),
    "",
  ].join("\n");
}

/** The menus that were not created, and how to continue. */
function problemLines(
  { results, unrecorded }: Applied,
  environment: string,
  paint: Paint,
): string[] {
  // `sayUnrecorded` has printed how to record them.
  const known = new Set(
    unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key)),
  );
  const lines = (["failed", "unknown", "not_attempted"] as const).flatMap((outcome) => {
    const own = results.filter((result) => result.outcome === outcome);
    const [word, style] = words[outcome];
    // A menu that was not attempted needs no explanation, so a long list is cut.
    const most = outcome === "not_attempted" ? maxListed : own.length;
    const shown = own.slice(0, most).map((result) => {
      const head = `  ${visible(result.key)}: ${paint(style, word)}`;
      if (known.has(result.key)) return head + afterColon(result);
      const line = head + explanationOf(result);
      return outcome === "unknown" ? `${line}\n${resolveHint(result, environment)}` : line;
    });
    if (own.length > most) shown.push(`  … and ${own.length - most} more`);
    if (outcome === "unknown" && own.some(({ key }) => !known.has(key))) {
      shown.push("  A menu with an unknown outcome is never sent again on its own.");
    }
    return shown;
  });
  const denied = results.find(({ outcome, status }) => outcome === "failed" && isDenied(status));
  if (denied !== undefined) {
    lines.push(
      `  Apply stopped, because the service rejected the token (HTTP ${denied.status}). Check the token, then run apply again.`,
    );
  }
  return lines;
}

const maxListed = 20;

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

/** Prints the outcomes that could not be recorded, and how to record them. */
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
          "These outcomes could not be recorded in the state, and no rescue file could be written.",
          ...(rescued === undefined ? [] : rescueLines(rescued.rescue, environment)),
          "If you do not have that line, run these when the state can be written again:",
        ]
      : [
          `These outcomes could not be recorded in the state. They are saved in ${file}`,
          "The next command here that changes the state records them. On another machine, run:",
          `  ${suggest("state push", [file], environment)}`,
          "If that file is lost, run:",
        ];
  for (const { key, outcome, denied } of unrecorded) {
    if (denied?.another !== undefined) continue;
    const line = command(key, outcome, environment, denied !== undefined);
    lines.push(`  ${line}   # ${kinds[outcome.kind]}${inParentheses(outcome)}`);
  }
  for (const one of unrecorded) {
    if (one.denied !== undefined) lines.push(terminal.style("red", deniedText(one, one.denied)));
  }
  terminal.say(`${lines.join("\n")}\n`);
}

/** Returns a rescue file as one line of ASCII, which can be copied from any log, and how to use it. */
function rescueLines(rescue: Rescue, environment: string): string[] {
  const text = JSON.stringify(rescue).replaceAll(
    /[\u007F-\uFFFF]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [
    "Save the long line below in a file. When the state can be written again, run:",
    `  ${suggest("state push", ["FILE"], environment)}`,
    text,
  ];
}

/** Says that a menu was recorded as absent although the service created it. */
function deniedText({ key, outcome }: Unrecorded, { by, another, intent }: Absent): string {
  const name = visible(intent.event.payload.name);
  const denied = `${visible(key)}: the service created “${name}”${inParentheses(outcome)}, but ${visible(by.by)} recorded it as absent at ${second(by.at)} UTC.`;
  if (another === undefined) return `${denied} The menu exists, but is not in the state yet.`;
  const run = `Then ${visible(another.by)} (run ${visible(another.run)})`;
  const [deed, result] = deniedWords[another.event.kind] ?? [
    "created it again",
    "TWO MENUS EXIST NOW.",
  ];
  return `${denied} ${run} ${deed} at ${second(another.at)} UTC. ${result} The menu of this run becomes a follow-up when it is recorded. Find out which of the two the phone number uses, and take the other one out of service.`;
}

const deniedWords: Readonly<Record<string, readonly [deed: string, result: string]>> = {
  intent: ["began to create it again", "TWO MENUS MAY EXIST NOW."],
  adopted: ["adopted a menu", "TWO MENUS EXIST NOW, unless both are the same menu."],
};

const kinds: Readonly<Record<Outcome["kind"], string>> = {
  created: "created",
  failed: "not created",
  "not-processed": "not created",
  unknown: "unknown",
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
