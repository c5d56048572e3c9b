import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import type { Reported } from "../test/report.ts";
import { workflowCommand } from "../workflow-command.ts";
import { titleOf } from "./text.ts";
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
    title: titleOf(diagnostic),
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
