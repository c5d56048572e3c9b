import type { Action } from "../../deploy/plan/plan.ts";
import { listed } from "../../util/many.ts";
import { type Page, type Style, visible } from "../terminal.ts";
import { table, wrap } from "../text.ts";
import type { Matter } from "./matter.ts";
import { type Outlook, describeOutlook, isApplicable, unmanagedLine, wireDiff } from "./outlook.ts";
import type { Row } from "./rows.ts";

/** How much of a plan is shown. */
interface Look extends Pick<Page, "style" | "wordWrap" | "verbose" | "command"> {
  /** Whether each row is cut to one line. */
  readonly summary: boolean;
}

interface PlanText {
  /** What changes for callers, and what follows from it. */
  readonly changes: string;
  /** What needs manual action. */
  readonly left: string;
  /** The total, for the end. */
  readonly closing: string;
}

/** A plan as text. */
export function planText(outlook: Outlook, look: Look): PlanText {
  const { rows, following, matters, total } = describeOutlook(outlook, look.verbose);
  const { style, wordWrap, verbose } = look;
  const unmanaged = unmanagedLine(outlook);
  const listOfThem = verbose ? (outlook.plan.list?.unmanaged ?? []) : [];
  return {
    changes: [
      rows.length === 0 ? "" : `${style("bold", title)}\n${rowsText(rows, look)}\n`,
      following.length === 0
        ? ""
        : `${following.map((line) => `${wrap(visible(line), "", wordWrap)}\n`).join("")}\n`,
    ].join(""),
    left: matters.length === 0 ? "" : `${mattersText(matters, look)}\n`,
    closing: [
      ...(unmanaged === undefined ? [] : [unmanaged]),
      ...listOfThem.map(({ id, name }) => `  “${visible(name)}” (id ${visible(id)})`),
      style("bold", visible(total)),
      "",
    ].join("\n"),
  };
}

export const title = "What changes for callers";
export const mattersTitle = "Needs manual action";

/** Subjects wider than this are not aligned. */
const widest = 28;

function rowsText(rows: readonly Row[], look: Look): string {
  if (look.summary) return summaryText(rows, look);
  const width = Math.min(widest, Math.max(...rows.map(({ subject }) => visible(subject).length)));
  const indent = " ".repeat(width + 4);
  return rows
    .map((row) => {
      const { changes, subject, lines, isNamed } = row;
      const [first] = changes;
      const shown = visible(subject);
      const head = `  ${look.style(colors[first.action] ?? "yellow", shown)}${" ".repeat(Math.max(width - shown.length, 0))}  `;
      const texts = lines.map(({ text, mark }) => {
        const said = wrap(visible(text), indent, look.wordWrap).trimStart();
        return mark === undefined ? said : `${said}  ${look.style("magenta", visible(mark))}`;
      });
      const names = isNamed
        ? [
            wrap(
              visible(
                listed(
                  changes.map(({ name }) => name),
                  30,
                ),
              ),
              indent,
              look.wordWrap,
            ).trimStart(),
          ]
        : [];
      const payload = look.verbose
        ? wireDiff(first, look.style).map((line) => `    ${line}\n`)
        : [];
      return `${head}${[...texts, ...names].join(`\n${indent}`)}\n${payload.join("")}`;
    })
    .join("");
}

const colors: Partial<Record<Action, Style>> = {
  create: "green",
  delete: "red",
  forget: "red",
  restore: "cyan",
  blocked: "magenta",
};

/** The same lines, each row cut to one line. */
function summaryText(rows: readonly Row[], { wordWrap }: Look): string {
  const [head = [], ...body] = rows.map(({ subject, lines }) => [
    `  ${visible(subject)}`,
    visible(lines.map(({ text }) => text).join("; ")),
    visible([...new Set(lines.flatMap(({ mark }) => mark ?? []))].join(", ")),
  ]);
  return table(head, body, wordWrap);
}

function mattersText(matters: readonly Matter[], { style, wordWrap, command }: Look): string {
  const lines = matters.map(({ words, commands }) =>
    [
      `  ${wrap(visible(words), "  ", wordWrap).trimStart()}`,
      ...commands.map((argv) => `    ${command(argv)}`),
    ].join("\n"),
  );
  return `${style("bold", mattersTitle)}\n${lines.join("\n")}\n`;
}

/** The command that applies a plan. Empty if there is nothing to apply. */
export function nextText(
  outlook: Outlook,
  argv: readonly string[],
  { command }: Pick<Page, "command">,
): string {
  return isApplicable(outlook) ? `To apply this plan, run:\n  ${command(argv)}\n` : "";
}
