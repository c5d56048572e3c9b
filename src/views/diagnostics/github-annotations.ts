import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import type { Reported } from "../test/test-report.ts";
import { visible } from "../terminal.ts";
import { diagnosticTitle } from "./diagnostics-text.ts";
import { hintText } from "../../util/suggest.ts";

const commands: Record<Severity, string> = { error: "error", warning: "warning", info: "notice" };

/**
 * The diagnostics as GitHub workflow commands, which become annotations. `prefix` is the path from
 * the root of the repository to the project.
 */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[], prefix: string): string {
  return diagnostics.map((diagnostic) => annotation(diagnostic, prefix)).join("");
}

/** The failed tests as GitHub workflow commands. */
export function failedTestsGithub(failed: readonly Reported[], prefix: string): string {
  return failed
    .map(({ key, name, file, line }) => {
      const properties = { file: prefix + file, line, title: "A menu test failed" };
      return workflowCommand("error", properties, `${key}: ${name}`);
    })
    .join("");
}

function annotation(diagnostic: Diagnostic, prefix: string): string {
  const { severity, message, hint } = diagnostic;
  const { file } = diagnostic;
  const properties: Record<string, string | number> = {
    file: file.startsWith("/") ? file : prefix + file,
    ...linesOf(diagnostic),
    title: diagnosticTitle(diagnostic),
  };
  const words = hint === undefined ? message : `${message}\n${hintText(hint)}`;
  return workflowCommand(commands[severity], properties, words);
}

function linesOf({ line, column, endLine, endColumn }: Diagnostic): Record<string, number> {
  if (line === undefined || endLine === undefined) return {};
  // GitHub accepts columns only within one line. Its end column is inclusive.
  if (endLine !== line || column === undefined || endColumn === undefined) return { line, endLine };
  return { line, endLine, col: column, endColumn: Math.max(endColumn - 1, column) };
}

/** A command to the runner of GitHub Actions. Its texts may come from outside. */
function workflowCommand(
  name: string,
  properties: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(String(value))}`,
  );
  return `::${name} ${list.join(",")}::${data(text)}\n`;
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
