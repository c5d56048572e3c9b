import { type Code, codes } from "../../diagnostics/codes.ts";
import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import { toJson } from "../json.ts";

const levels: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** SARIF 2.1.0, as code scanning and editors read it. */
export function diagnosticsSarif(
  diagnostics: readonly Diagnostic[],
  prefix: string,
  version: string,
): string {
  const used = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return toJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "ivrctl", semanticVersion: version, rules: used.map(rule) } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => result(diagnostic, used, prefix)),
      },
    ],
  });
}

function rule(code: Code): object {
  const { title, meaning, mend, severity } = codes[code];
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: mend },
    defaultConfiguration: { level: levels[severity] },
  };
}

function result(diagnostic: Diagnostic, used: readonly Code[], prefix: string): object {
  const { code, severity, message, hint, file, line, column, endLine, endColumn } = diagnostic;
  const path = file.startsWith("/") ? file : prefix + file;
  return {
    ruleId: code,
    ruleIndex: used.indexOf(code),
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
          region: { startLine: line, startColumn: column, endLine, endColumn },
        },
      },
    ],
  };
}
