import { type Page, type Style, visible, withPaths } from "./terminal.ts";
import { many } from "../util/many.ts";
import { wrap, wrapAdvice } from "./text.ts";
import { type Hint, mapHint } from "../util/suggest.ts";

type Status = "ok" | "warning" | "error" | "skipped";

/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: Status;
  readonly message: string;
  /** How to fix the problem. */
  readonly fix?: Hint;
}

/** One line for each check. */
export function findingsText(findings: readonly Finding[], page: Page): string {
  const width = Math.max(0, ...findings.map(({ name }) => name.length));
  return findings.map((finding) => lineOf(finding, width, page)).join("");
}

export function isProblem({ status }: Finding): boolean {
  return status === "error" || status === "warning";
}

const signs: Readonly<Record<Status, readonly [sign: string, ascii: string, style: Style]>> = {
  ok: ["✓", "ok", "green"],
  warning: ["!", "warn", "yellow"],
  error: ["✗", "FAIL", "red"],
  skipped: ["-", "skip", "dim"],
};

const asciiWidth = 4;

function lineOf({ name, status, message, fix }: Finding, width: number, page: Page) {
  const [sign, ascii, style] = signs[status];
  const mark = page.signs ? sign : ascii.padEnd(asciiWidth);
  const indent = " ".repeat(mark.length + width + 3);
  const text = (hint: Hint) => {
    const shown = mapHint(hint, (part) => visible(withPaths(part, page.path)));
    return wrapAdvice(shown, indent, page.wordWrap, page.command);
  };
  const first = `${page.style(style, mark)} ${name.padEnd(width)}  ${text(message).trimStart()}\n`;
  return fix === undefined ? first : `${first}${text(fix)}\n`;
}

/** How many problems there are, and if plan and apply can run. */
export function doctorSummary(findings: readonly Finding[], { wordWrap }: Page): string {
  return `\n${wrap(summary(findings), "", wordWrap)}\n`;
}

function summary(findings: readonly Finding[]): string {
  const countOf = (wanted: Status) => findings.filter(({ status }) => status === wanted).length;
  const [errors, warnings] = [countOf("error"), countOf("warning")];
  const parts = [
    ...(errors === 0 ? [] : [many(errors, "error")]),
    ...(warnings === 0 ? [] : [many(warnings, "warning")]),
  ].join(", ");
  if (errors === 0) return `${parts || "No problems"}. plan and apply can run.`;
  return `${parts}. Fix the error${errors === 1 ? "" : "s"} before you run plan or apply.`;
}
