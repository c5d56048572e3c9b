import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import { visible } from "../terminal.ts";
import { titleOf } from "./text.ts";

const commands: Record<Severity, string> = { error: "error", warning: "warning", info: "notice" };

/**
 * Workflow commands, which become annotations on the source lines. `prefix` is the path from the
 * repository's root to the project's.
 */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[], prefix: string): string {
  return diagnostics.map((diagnostic) => annotation(diagnostic, prefix)).join("");
}

function annotation(diagnostic: Diagnostic, prefix: string): string {
  const { severity, message, hint } = diagnostic;
  const { file, line, column, endLine, endColumn } = diagnostic;
  const properties = {
    file: file.startsWith("/") ? file : prefix + file,
    line,
    endLine,
    // GitHub takes columns only within one line, and counts the last one.
    ...(endLine === line ? { col: column, endColumn: Math.max(endColumn - 1, column) } : {}),
    title: titleOf(diagnostic),
  };
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(String(value))}`,
  );
  const words = hint === undefined ? message : `${message}\n${hint}`;
  return `::${commands[severity]} ${list.join(",")}::${data(words)}\n`;
}

function data(text: string): string {
  return text
    .split("\n")
    .map(visible)
    .join("\n")
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
