import { standardWire } from "../../project/environment.ts";
import type { ResultIn } from "../result.ts";
import { type Action, actions } from "../../deploy/plan/changes/actions.ts";
import { type Matter, isInFile } from "../../deploy/reasons/kinds.ts";
import { listed } from "../../util/many.ts";
import { type Argv, suggest } from "../../util/suggest.ts";
import { type Page, type Style, visible } from "../terminal.ts";
import { isUrgent, matterLines } from "../matter-lines.ts";
import stringWidth from "string-width";
import { wrap, wrapParts } from "../text.ts";
import {
  type PlanReport,
  type PlanDocument,
  describe,
  endOf,
  problemsIn,
  wireDiff,
} from "./describe.ts";
import { comparisonJson, planJson } from "./plan-json.ts";
import { type ChangeRow, type RowLine, fewNamed } from "./rows.ts";

export type { PlanDocument } from "./describe.ts";

/** A plan in every format. `next` is the command that applies it. */
export function planResult(report: PlanDocument, next?: Argv): PlanResult {
  const { plan, refused } = report;
  const isApplicable = !refused && plan?.changes.some(({ action }) => !actions[action].isLeft);
  return {
    ...resultOf(report, () => planJson(report)),
    next: ({ command }) =>
      isApplicable && next ? `To apply this plan, run:\n  ${command(next)}\n` : "",
  };
}

/** A comparison in every format. `about` says what is compared. */
export function comparisonResult(compared: PlanReport, comparison: string): PlanResult {
  const report = { ...compared, kind: "diff", about: comparison } as const;
  return resultOf(report, () => comparisonJson(report));
}

/** What a comparison is about. `agents` is the agent list that was used. Without one, it is that of the service. */
export function aboutComparison(agents: string | undefined): string {
  return agents === undefined
    ? "This compares the files with the menus and the agents that the service has now."
    : `This compares only files, not the state or the service. Both revisions use the current \`${agents}\`.`;
}

type PlanResult = ResultIn<"json" | "markdown">;

function resultOf(report: PlanReport, json: () => string): PlanResult {
  return {
    summary: (page) => changesText(report, page),
    brief: (page) => quietText(report, page),
    diagnostics: problemsIn(report).problems,
    diagnosticsFirst: report.refused !== true && report.plan !== undefined,
    closing: (page) => endText(report, page),
    formats: {
      json,
      async markdown() {
        const { planMarkdown } = await import("./plan-markdown.ts");
        return planMarkdown(report);
      },
    },
  };
}

/** What `apply` will do, and its total. Empty if it refuses. The end of apply says how to go on. */
export function planBefore(report: PlanReport, page: Page) {
  if (report.refused) return { changes: "", closing: "" };
  return { changes: changesText(report, page), closing: endText(report, page) };
}

export const title = "What changes for callers";
const nowTitle = "What callers reach now";
export const mattersTitle = "Needs manual action";

/** What changes for callers, what follows from it, and what needs manual action. */
function changesText(report: PlanReport, page: Page): string {
  if (report.plan === undefined) return "";
  const { style, wordWrap, verbose } = page;
  const { banners, rows, following, matters } = describe(report, verbose);
  const block = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `${[head, ...lines].join("")}\n`;
  return [
    ...banners.map((line) => `${style(["bold", "red"], line)}\n\n`),
    matterBlock(nowTitle, matters.filter(isUrgent), page),
    block(`${style("bold", title)}\n`, rowsText(rows, page, report)),
    block(
      "",
      following.map((line) => `${wrap(visible(line), "", wordWrap)}\n`),
    ),
    matterBlock(
      mattersTitle,
      matters.filter((one) => !isUrgent(one)),
      page,
    ),
  ].join("");
}

/** What is wrong in the files. Without --quiet, more is printed. */
function quietText(report: PlanReport, page: Page): string {
  const matters = describe(report).matters.filter(isInFile);
  return matterBlock(mattersTitle, matters, page).replace(/\n\n$/, "\n");
}

function matterBlock(head: string, matters: readonly Matter[], page: Page): string {
  const lines = matters.map((one) => `${matterLines(one, "  ", page)}\n`);
  return lines.length === 0 ? "" : `${page.style("bold", head)}\n${lines.join("")}\n`;
}

/** The problems that are only counted, and the total of a plan. */
function endText(report: PlanReport, { style, verbose, command, wordWrap }: Page): string {
  const { unmanaged, total } = endOf(report);
  const { elsewhere } = problemsIn(report);
  const validate = command(suggest("validate", [], report.environment ?? undefined));
  const others =
    elsewhere === undefined
      ? ""
      : `${wrap(`${elsewhere} To see all problems, run:`, "", wordWrap)}\n  ${validate}\n`;
  if (total === undefined) return others;
  const listOfThem = verbose ? (report.plan?.list?.unmanaged ?? []) : [];
  const lines = [
    ...(unmanaged === undefined ? [] : [unmanaged]),
    ...listOfThem.map(({ id, name }) => `  “${visible(name)}” (id ${visible(id)})`),
    style("bold", visible(`${total.what}: ${total.counts}.`)),
  ];
  return others + lines.map((line) => `${line}\n`).join("");
}

/** Subjects wider than this are not aligned. */
const widest = 28;

/** More names are only counted. */
export const mostNames = 12;

function rowsText(
  rows: readonly ChangeRow[],
  page: Page,
  { plan, summary: isSummary = false }: Pick<PlanReport, "plan" | "summary">,
): string[] {
  const { style, wordWrap, verbose } = page;
  const width = Math.min(
    widest,
    Math.max(0, ...rows.map(({ subject }) => visible(subject).length)),
  );
  const indent = " ".repeat(width + 4);
  const wrapped = (text: string) => wrapParts(text, indent, wordWrap).trimStart();
  return rows.map((row) => {
    const { changes, subject, names } = row;
    const [first] = changes;
    const name = visible(subject);
    const head = `  ${style(colors[first.action] ?? "yellow", name)}${" ".repeat(Math.max(width - name.length, 0))}  `;
    const lines = isSummary ? [summaryLine(row, wordWrap - indent.length)] : row.lines;
    const texts = lines.flatMap(({ text, mark }) => {
      if (mark === undefined) return wrapped(visible(text));
      const [is, marked] = [visible(text), style("magenta", visible(mark))];
      // At the end of several lines, nobody would see it.
      const isBeside = stringWidth(`${indent}${is}  ${marked}`) <= wordWrap;
      return isBeside ? `${is}  ${marked}` : [wrapped(is), wrapped(marked)];
    });
    if (names.length > 0 && (!isSummary || names.length <= fewNamed)) {
      texts.push(wrapped(visible(listed(names, mostNames))));
    }
    const payload = verbose
      ? wireDiff(first, plan?.wire ?? standardWire, style).map((line) => `    ${line}\n`)
      : [];
    return `${head}${texts.join(`\n${indent}`)}\n${payload.join("")}`;
  });
}

/** A row as one line. If there is too little room, how often and how long is only counted. */
function summaryLine({ lines }: ChangeRow, room: number): RowLine {
  const mark = [...new Set(lines.flatMap(({ mark }) => mark ?? []))].join(", ") || undefined;
  const all = lines.map(({ text }) => text).join("; ");
  const most = lines.filter(({ isCount }) => isCount !== true);
  const isFitting = all.length + (mark === undefined ? 0 : mark.length + 2) <= room;
  const left = lines.length - most.length;
  if (isFitting || left === 0 || most.length === 0) return { text: all, mark };
  return { text: [...most.map(({ text }) => text), `${left} more`].join("; "), mark };
}

const colors: Partial<Record<Action, Style>> = {
  create: "green",
  delete: "red",
  forget: "red",
  restore: "cyan",
  blocked: "magenta",
};

/** Where the plan is saved, and how to apply it. */
export function savedText(file: string, { path, command }: Page): string {
  const shown = path(file);
  return `The plan is saved in ${visible(shown)}. To apply it, run:\n  ${command(["apply", shown])}\n`;
}
