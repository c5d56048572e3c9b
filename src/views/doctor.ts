import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { diagnosticsJson } from "./json.ts";
import { type Audience, type Style, type Terminal, visible, withPaths } from "./terminal.ts";
import { many } from "../util/many.ts";
import { wrap, wrapAdvice } from "./text.ts";

type Status = "ok" | "warning" | "error" | "skipped";

/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: Status;
  readonly message: string;
  /** How to fix the problem. */
  readonly fix?: string;
}

interface Shown {
  readonly environment: string | null;
  readonly findings: readonly Finding[];
  readonly diagnostics: readonly Diagnostic[];
}

export function showDoctor(
  { environment, findings, diagnostics }: Shown,
  { format, globals, terminal }: Audience,
): void {
  if (format === "json") {
    terminal.out(diagnosticsJson(diagnostics, { environment, checks: findings }));
    return;
  }
  const shown = globals.quiet
    ? findings.filter(({ status }) => status === "error" || status === "warning")
    : findings;
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  for (const finding of shown) terminal.out(lineOf(finding, width, terminal));
  if (!globals.quiet) terminal.out(`\n${wrap(summary(findings), "", terminal.outColumns)}\n`);
}

const signs: Readonly<Record<Status, readonly [sign: string, ascii: string, style: Style]>> = {
  ok: ["✓", "ok", "green"],
  warning: ["!", "warn", "yellow"],
  error: ["✗", "FAIL", "red"],
  skipped: ["-", "skip", "dim"],
};

const asciiWidth = 4;

function lineOf({ name, status, message, fix }: Finding, width: number, terminal: Terminal) {
  const [sign, ascii, style] = signs[status];
  const mark = terminal.signs ? sign : ascii.padEnd(asciiWidth);
  const indent = " ".repeat(mark.length + width + 3);
  const text = (words: string) =>
    wrapAdvice(visible(withPaths(words, terminal.path)), indent, terminal.outColumns);
  const first = `${terminal.styleOut(style, mark)} ${name.padEnd(width)}  ${text(message).trimStart()}\n`;
  return fix === undefined ? first : `${first}${text(fix)}\n`;
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
