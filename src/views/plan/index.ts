import { type Lock, describeLock } from "../../deploy/state/store.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { PlannedFrom } from "../../deploy/plan/plan-file.ts";
import type { DescribedPlan, Plan } from "../../deploy/plan/plan.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Result } from "../../cli/result.ts";
import { many } from "../../util/many.ts";
import type { Argv } from "../../util/suggest.ts";
import { type Page, visible } from "../terminal.ts";
import { comparisonJson, planJson } from "./json.ts";
import type { Comment } from "./markdown.ts";
import type { Outlook, Revision } from "./outlook.ts";
import { concerningChanges } from "./problems.ts";
import { nextText, planText } from "./text.ts";

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
  /** Whether another run is in progress. */
  readonly running?: boolean;
  /** Whether each change is cut to one line. */
  readonly summary?: boolean;
  readonly made?: { readonly from: PlannedFrom; readonly at: string } | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** A plan in every format. `next` is the command that applies it. */
export function planResult(shown: ShownPlan, next?: Argv): Omit<Result, "exit"> {
  const comment = commentOf(shown);
  const { outlook } = comment;
  return {
    ...resultOf(comment, () => planDocument(shown)),
    next: (page) => (outlook && next ? nextText(outlook, next, page) : ""),
  };
}

/** The document of a plan. */
export function planDocument(shown: ShownPlan): string {
  const { plan, environment, state, made, diagnostics } = shown;
  const outlook = plan && { plan, ...situation(shown) };
  return planJson({ outlook, environment, state, made, diagnostics });
}

function situation({ refused, running = false }: ShownPlan) {
  return { refused, running };
}

/** Returns what a comment on a pull request shows of a plan. */
export function commentOf(shown: ShownPlan): Comment {
  const { plan, environment, summary = false, diagnostics } = shown;
  const outlook: Outlook | undefined = plan && { plan, ...situation(shown) };
  const { near, others } = concerningChanges(diagnostics, plan?.changes);
  return {
    kind: "plan",
    outlook,
    environment,
    banners: bannersOf(shown),
    summary,
    diagnostics: near,
    elsewhere: elsewhereText(others),
  };
}

/** How many problems are not shown, because they are in menus that do not change. */
export function elsewhereText(count: number): string | undefined {
  return count === 0 ? undefined : `${many(count, "more problem")} in menus that do not change.`;
}

interface ShownComparison {
  readonly comparison: { readonly plan: DescribedPlan; readonly revision: Revision } | undefined;
  readonly environment: string | null;
  /** Whether each change is cut to one line. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The agent list that was used. */
  readonly agents: string;
}

/** A comparison in every format. */
export function comparisonResult({
  comparison,
  environment,
  summary = false,
  diagnostics,
  agents,
}: ShownComparison): Omit<Result, "exit"> {
  const about = aboutComparison(agents);
  const outlook = comparison && { ...comparison, refused: false, running: false };
  const comment = {
    kind: "diff",
    outlook,
    environment,
    banners: [],
    summary,
    diagnostics,
    about,
  } as const;
  return resultOf(comment, () => comparisonJson(outlook, environment, diagnostics));
}

/** What a comparison is about. `agents` is the agent list that was used. */
export function aboutComparison(agents: string): string {
  return `This compares only files, not the state or the service. Both revisions use the current \`${agents}\`.`;
}

function resultOf(comment: Comment, json: () => string): Omit<Result, "exit"> {
  const { outlook, diagnostics, elsewhere, banners, summary = false } = comment;
  const textIn = (page: Page) => outlook && planText(outlook, { ...page, summary });
  return {
    summary: (page) => {
      const text = textIn(page);
      return text ? `${bannersText(banners, page)}${text.changes}${text.left}` : "";
    },
    diagnostics,
    closing: (page) =>
      `${elsewhere === undefined ? "" : `${elsewhere} To see all problems, run:\n  ${page.command(["validate"])}\n`}${textIn(page)?.closing ?? ""}`,
    formats: {
      json,
      async markdown() {
        const { planMarkdown } = await import("./markdown.ts");
        return planMarkdown(comment);
      },
    },
  };
}

/** What `apply` will do, and its total. Empty if it refuses. The end of apply says how to go on. */
export function planBefore(
  shown: ShownPlan,
  page: Page,
): { readonly changes: string; readonly closing: string } {
  const { plan, refused, summary = false } = shown;
  if (plan === undefined || refused) return { changes: "", closing: "" };
  const outlook = { plan, ...situation(shown), isApplied: !page.verbose };
  const { changes, left, closing } = planText(outlook, { ...page, summary });
  return { changes: `${bannersText(bannersOf(shown), page)}${changes}${left}`, closing };
}

/** The warnings above the plan. */
function bannersOf({ plan, noState, refused }: ShownPlan): string[] {
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

function bannersText(lines: readonly string[], { style }: Page): string {
  return lines.map((line) => `${style(["bold", "red"], line)}\n\n`).join("");
}

/** Where the plan is saved, and how to apply it. */
export function savedText(file: string, { path, command }: Page): string {
  const shown = path(file);
  return `The plan is saved in ${visible(shown)}. To apply it, run:\n  ${command(["apply", shown])}\n`;
}

/** Warns that the requests of another run in progress look like unknown outcomes. */
export function inProgressText(lock: Lock): string {
  const who = visible(describeLock(lock));
  return `Another run is in progress: ${who}. Its requests in flight are shown as unknown. Do not resolve them.\n`;
}
