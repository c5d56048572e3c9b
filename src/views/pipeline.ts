import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { groupBy } from "../util/group-by.ts";
import { fieldName } from "../model/field-words.ts";
import type { Menu } from "../model/menu.ts";
import { changedFields } from "../model/menu-diff.ts";
import { listed, many } from "../util/many.ts";
import { minute } from "../util/time.ts";
import { withSentence } from "../util/suggest.ts";
import { advice, commentLimit, fitting, marker, markerRoom, message, prose } from "./markdown.ts";
import { type PlanDocument, concerns, describe } from "./plan/describe.ts";
import { planSection } from "./plan/plan-markdown.ts";

/** The plan of one environment, and what a reviewer has to know about it. */
export interface PlanForReview extends PlanDocument {
  /** The files that the change touches, and the files of the menus that the plan changes. */
  readonly changed: ReadonlySet<string>;
  readonly others: ReadonlyMap<string, string>;
  /** What other open pull requests change in the same menus, each with the name of its note. */
  readonly overlaps: ReadonlyMap<string, string>;
  /** Whether the run keeps a page that compares the menus with the target branch. */
  readonly hasPreview: boolean;
  /** Whether the service was asked. Otherwise, the plan is made from the agent list in the project. */
  readonly isLive: boolean;
}

/** The commit and the address of the run that a comment comes from. */
interface Source {
  readonly commit: string;
  readonly run: string;
}

interface Origin extends Source {
  /** The address of the files that the run keeps. */
  readonly kept: string;
  /** The checks and the menu tests that failed. */
  readonly failed: readonly string[];
  /** The folder of the project in its repository, if it is not the top. */
  readonly directory: string | undefined;
}

/** The comment on a pull request, with all environments of the pipeline. */
export function planComment(plans: readonly PlanForReview[], origin: Origin): string {
  const { run } = origin;
  const hasPlan = plans.some(({ plan }) => plan !== undefined);
  const notes = plans.flatMap(({ overlaps }) =>
    [...overlaps].map(([name, text]) => note(name, text)),
  );
  const first = [...notes, ...headline(origin.failed, hasPlan)];
  const hasPreview = plans.some((plan) => plan.hasPreview);
  const last = footnote(origin, hasPreview ? origin.kept : undefined);
  // Two characters separate blocks.
  const room =
    commentLimit - markerRoom - first.join("\n\n").length - last.length - 2 * (plans.length + 3);
  const sections = plans.map((plan) =>
    planSection(
      {
        ...plan,
        alerts: othersOf(plan),
        directory: origin.directory,
        ...(plan.isLive ? {} : { about: withoutConsole }),
        run,
      },
      Math.floor(room / plans.length),
    ).trimEnd(),
  );
  return [...first, ...sections, last].join("\n\n");
}

/** What failed. Until all is fixed, no plan of the commit counts. */
function headline(failed: readonly string[], hasPlan: boolean): string[] {
  if (failed.length === 0) return [];
  const what = hasPlan ? ["The plan below does not count until a commit passes."] : [];
  return [`### Failed: ${prose(listed(failed))}`, ...what];
}

/** The comment on a pull request without a plan. `words` are Markdown. */
export function shortComment(heading: string, words: string, origin: Source): string {
  return `### ${heading}\n\n${words}\n\n${footnote(origin)}`;
}

/** A comment with a plan, and what was learned since. Each name has one note. */
export function withNote(old: string, name: string, sentence: string): string {
  const mark = marker("note", name);
  const own = marker("plan").slice(0, -" -->".length);
  const isKept = (block: string) => !block.startsWith(mark) && !block.startsWith(own);
  const blocks = old.split("\n\n").filter(isKept);
  return [note(name, sentence), ...blocks].join("\n\n").trimEnd();
}

function note(name: string, sentence: string): string {
  const words = `${sentence[0]?.toUpperCase()}${sentence.slice(1)}`;
  return `${marker("note", name)}\n> [!WARNING]\n> <b>${prose(words)}</b> Whichever is merged last needs a new plan.`;
}

/** A plan in a line. */
export function planLine(plan: PlanDocument | null): string {
  return (plan && describe(plan).total?.counts.split(";", 1)[0]) ?? "nothing to do";
}

/** What a commit shows about an environment. `pending`: done, except for what a person has to do on the console. */
export interface Status {
  readonly state: "success" | "pending" | "failure";
  readonly words: string;
}

/** What the last commit of the default branch shows. */
export function liveStatus(hasFailed: boolean, numbers: number): Status {
  if (hasFailed) return { state: "failure", words: "needs attention" };
  return numbers > 0
    ? { state: "pending", words: `${many(numbers, "phone number")} to point` }
    : { state: "success", words: "applied" };
}

/** A menu with what differs: `Front desk (key 2)`. */
export function changedMenuWords(
  menus: Readonly<Record<"before" | "after", Menu | undefined>> | undefined,
): string {
  const { before, after } = menus ?? {};
  const fields = before && after ? changedFields(before, after) : [];
  const words = fields.flatMap((one) => {
    const field = one.after ?? one.before;
    return field === undefined ? [] : fieldName(field);
  });
  const name = (after ?? before)?.name ?? "";
  return words.length === 0 ? name : `${name} (${listed(words, 5)})`;
}

/** Which change is not applied: a pull request or a commit, and when. Undefined if none brought it. */
export function notApplied(
  from: { readonly name: string; readonly at: string; readonly pull: unknown } | undefined,
  keys: readonly string[],
): string {
  const menus = listed(keys);
  if (from === undefined) return `Not applied, although no recent commit changed it: ${menus}.`;
  const { name, at, pull } = from;
  const when = `${pull ? "merged " : ""}${minute(at)} UTC`;
  return `${name[0]?.toUpperCase()}${name.slice(1)} (${when}) is not applied: ${menus}.`;
}

/** The issue about an environment: everything that needs a person, each with its command. */
export function attentionIssue(
  problems: readonly Diagnostic[],
  { commit, run, directory }: Source & Pick<Origin, "directory">,
): string {
  const lines = problems.map(({ message: words, hint }) =>
    hint === undefined
      ? `- ${message(words)}`
      : `- ${advice(withSentence(words, hint), directory)}`,
  );
  return fitting(commentLimit - markerRoom, (most) =>
    [
      lines.slice(0, most).join("\n"),
      ...(lines.length > most ? [`${lines.length - most} more: see the run.`] : []),
      `This issue is updated by each check, and closed when all is well.`,
      footnote({ commit, run }),
    ].join("\n\n"),
  );
}

function footnote({ commit, run }: Source, preview?: string): string {
  const pages =
    preview === undefined
      ? ""
      : ` Call the menus before and after: <a href="${preview}">preview</a>.`;
  return `<sub>Commit ${commit}, <a href="${run}">this run</a>.${pages}</sub>`;
}

const withoutConsole =
  "Made from the agent list in the repository and the state. The console was not looked at: apply compares the plan with the service before it sends anything.";

/** Errors first, then problems in menus that change. GitHub shows only the first annotations. */
export function changedFirst(
  diagnostics: readonly Diagnostic[],
  changed: ReadonlySet<string>,
): readonly Diagnostic[] {
  const rank = (diagnostic: Diagnostic) =>
    diagnostic.severity === "error" ? 0 : concerns(diagnostic, changed) ? 1 : 2;
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

/** What the plan sends that is not from this change. */
function othersOf({ others }: PlanForReview): string[] {
  return [...groupBy([...others], ([, from]) => from)].map(([from, menus]) =>
    message(
      `Not from this change: ${listed(menus.map(([key]) => key))} (from ${from}, merged, not applied yet). Who approves this plan sends that, too.`,
    ),
  );
}
