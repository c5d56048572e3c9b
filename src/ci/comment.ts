import type { Result } from "../deploy/apply/apply-plan.ts";
import { type Lock, describeLock } from "../deploy/state/store.ts";
import type { Performed } from "../commands/apply.ts";
import { many } from "../util/many.ts";
import { suggest } from "../util/suggest.ts";
import { code, fenced, message, prose } from "../views/markdown.ts";
import { resolveCommands } from "../views/plan/details.ts";
import { type Comment, commentLimit, planSection } from "../views/plan/markdown.ts";
import { answerWords } from "../views/text.ts";
import type { Forge } from "./forge.ts";

/** What a comment says about one environment. */
export interface Section {
  readonly comment: Comment;
  readonly lock: Lock | null;
  /** Whether the run that holds the lock has ended; undefined if that is unknown. */
  readonly lockEnded: boolean | undefined;
  readonly unknown: readonly string[];
  readonly followUps: number;
}

/** The comment on a pull request, with all environments of the pipeline. */
export function planComment(first: string, sections: readonly Section[], footnote: string): string {
  // Two characters separate blocks.
  const room = commentLimit - first.length - footnote.length - 2 * (sections.length + 2);
  const parts = sections.map((section) => {
    const comment = { ...section.comment, alerts: alertsOf(section) };
    return planSection(comment, Math.floor(room / sections.length)).trimEnd();
  });
  return `${[first, ...parts, footnote].join("\n\n")}\n`;
}

/** Says which checks failed, and for which commit and run. */
export function footnoteOf({ commit, run }: Forge, failed: readonly string[]): string {
  const faults = failed.length === 0 ? "" : `<b>Failed: ${failed.map(prose).join(", ")}.</b> `;
  return `<sub>${faults}Commit ${commit}, <a href="${run}">this run</a>.</sub>`;
}

/** What a person has to know before the changes of an environment. */
function alertsOf({ comment, lock, lockEnded, unknown, followUps }: Section): string[] {
  const environment = comment.environment ?? "";
  return [
    ...(lock === null ? [] : [lockWords(lock, lockEnded, environment)]),
    ...(unknown.length === 0 ? [] : [unknownWords(unknown, environment)]),
    ...(followUps === 0
      ? []
      : [
          `${many(followUps, "follow-up")} open. To see them: ${code(suggest("state list", [], environment))}`,
        ]),
  ];
}

function lockWords(lock: Lock, hasEnded: boolean | undefined, environment: string): string {
  const held = `The state is locked by ${prose(describeLock(lock))}.`;
  const release = code(suggest("unlock", [lock.id], environment));
  if (hasEnded === true) return `${held} That run has ended. Release its lock: ${release}`;
  return hasEnded === false
    ? `${held} That run is in progress.`
    : `${held} If that run has ended, release its lock: ${release}`;
}

function unknownWords(keys: readonly string[], environment: string): string {
  const shown = keys.slice(0, 10).map(code).join(", ");
  const more = keys.length > 10 ? ` and ${keys.length - 10} more` : "";
  return `The outcome of ${shown}${more} is unknown. Nothing is sent for ${keys.length === 1 ? "it" : "them"} until a person resolves this: ${code(suggest("state resolve", [], environment))}`;
}

/** The result of an apply, for the pull request and the page of the run. */
export function resultComment(
  { ended, diagnostics }: Performed,
  { environment, heading, advice, run }: ResultOptions,
): string {
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const blocks = [
    `### ${prose(heading)}`,
    results.map((result) => lineOf(result, environment)).join("\n"),
    errors
      .map(({ code: id, message: words, hint }) =>
        [`- ${id}: ${message(words)}`, ...(hint === undefined ? [] : [message(hint)])].join("<br>"),
      )
      .join("\n"),
    advice,
    `<sub><a href="${run}">This run</a> applied the plan.</sub>`,
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

interface ResultOptions {
  readonly environment: string;
  readonly heading: string;
  /** What to do next, as Markdown. May be empty. */
  readonly advice: string;
  readonly run: string;
}

function lineOf(result: Result, environment: string): string {
  const { key, name, outcome, status, message: words } = result;
  const head = `- <b>${outcome.replace("_", " ")}</b>: ${code(key)} “${prose(name)}”`;
  const answer = answerWords(status, words);
  if (outcome === "failed") return `${head}: ${prose(answer)}`;
  if (outcome !== "unknown") return head;
  const ways = resolveCommands(key, environment).map(
    ({ when, command }) => `  - ${prose(when)}: ${code(command)}`,
  );
  const look = `The menu may or may not exist. Look for “${prose(name)}” on the console.`;
  return [`${head}: ${prose(answer)} ${look}`, ...ways].join("\n");
}

/** A message as a block that shows it unchanged. */
export function quoted(text: string): string {
  return fenced("text", text.trimEnd().split("\n"));
}
