import stringWidth from "string-width";
import { type Diagnostic, diagnosticPlace, diagnosticRange } from "../../diagnostics/diagnostic.ts";
import { type Page, visible } from "../terminal.ts";
import { many } from "../../util/many.ts";
import { clip, wrap, wrapAdvice } from "../text.ts";
import { severityNames } from "./severity.ts";

const styles = { error: "red", warning: "yellow", info: "cyan" } as const;

/** The most warnings that are printed without --verbose. */
const maxWarnings = 20;

/** Returns diagnostics and their number as text. Empty if there are none. */
export function diagnosticsWithTotal(diagnostics: readonly Diagnostic[], page: Page): string {
  if (diagnostics.length === 0) return "";
  return `${diagnosticsText(diagnostics, page)}${tally(diagnostics)}\n`;
}

/**
 * Returns each diagnostic with its source line, and carets under the exact characters. Errors are never
 * left out.
 */
export function diagnosticsText(diagnostics: readonly Diagnostic[], page: Look): string {
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  const left = new Set(page.verbose ? [] : others.slice(maxWarnings));
  const printed = diagnostics.filter((diagnostic) => !left.has(diagnostic));
  const leftOut = tally([...left]).replace(" ", " more ");
  return [
    ...printed.map((diagnostic) => `${render(diagnostic, page)}\n`),
    leftOut === "" ? "" : `… and ${leftOut}; --verbose shows all\n\n`,
  ].join("");
}

type Look = Omit<Page, "prose">;

/** Returns the counts: "2 errors, 1 warning". Empty if there are no diagnostics. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  return (["error", "warning", "info"] as const)
    .flatMap((severity) => {
      const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
      return count === 0 ? [] : many(count, severityNames[severity]);
    })
    .join(", ");
}

/** The code and, if a rule reported the problem, its name. */
export function diagnosticTitle({ code, rule }: Pick<Diagnostic, "code" | "rule">): string {
  return rule === undefined ? code : `${code} ${rule}`;
}

function render(diagnostic: Diagnostic, page: Look): string {
  const { severity, message, file, line, hint } = diagnostic;
  const located = { ...diagnostic, file: page.path(file) };
  const style = styles[severity];
  const margin = " ".repeat(String(line ?? 1).length);
  const dim = (text: string) => page.style("dim", text);
  const head = `${severityNames[severity]}[${visible(diagnosticTitle(diagnostic))}]: `;
  const words = wrap(visible(message), "", page.wordWrap, head.length);
  const rows = [
    `${page.style(["bold", style], head.trimEnd())} ${words}`,
    `${margin}${dim("-->")} ${visible(diagnosticPlace(located))}`,
  ];
  const frame = sourceFrame(diagnostic, Math.max(page.columns - margin.length - 3, 20));
  if (frame !== undefined) {
    const { before, marked, after } = frame;
    const carets = "^".repeat(Math.max(stringWidth(marked), 1));
    rows.push(
      `${dim(`${line} |`)} ${(before + marked + after).trimEnd()}`,
      `${dim(`${margin} |`)} ${" ".repeat(stringWidth(before))}${page.style(style, carets)}`,
    );
  }
  if (hint !== undefined) {
    rows.push(`${margin} ${dim("=")} ${wrapAdvice(hint, `${margin}   `, page).trimStart()}`);
  }
  return `${rows.join("\n")}\n`;
}

/** A source line in three parts, of which the second is marked. */
interface Frame {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** Characters read on each side of the marked part: more than a terminal shows. */
const maxWindow = 1000;
const tab = "    ";

/** The source line, cut to `room` columns around the marked part; undefined if there is none to show. */
export function sourceFrame(diagnostic: Diagnostic, room: number): Frame | undefined {
  const { source } = diagnostic;
  if (source === undefined || source.text === "") return undefined;
  const { line, column, endLine, endColumn } = diagnosticRange(diagnostic);
  const from = column - 1;
  const text = source.line(line, Math.max(from - maxWindow, 0), from + 2 * maxWindow);
  if (text === undefined) return undefined;
  const start = Math.min(from, maxWindow);
  const length = endLine === line ? Math.max(endColumn - column, 0) : text.length;
  const show = (part: string) => visible(part.replaceAll("\t", tab));
  let before = show(text.slice(0, start));
  let marked = show(text.slice(start, start + length));
  let after = show(text.slice(start + length));
  if (before.length + marked.length + after.length > room / 2) {
    marked = clip(marked, Math.floor(room / 2));
    const kept = Math.min(10, stringWidth(after.slice(0, 10)));
    before = clip(before, room - stringWidth(marked) - kept, "start");
    after = clip(after, Math.max(room - stringWidth(before) - stringWidth(marked), 1));
  }
  return { before, marked, after };
}
