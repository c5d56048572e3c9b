import { codeEntry } from "../../rules/explanations.ts";
import { type Diagnostic, type Severity, diagnosticRange } from "../../diagnostics/diagnostic.ts";
import { toJson } from "../json.ts";
import { hintText } from "../../util/suggest.ts";
import { version } from "../../util/version.ts";

const levels: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** The diagnostics as SARIF 2.1.0, for code scanning and editors. */
export function diagnosticsSarif(diagnostics: readonly Diagnostic[], prefix: string): string {
  const kinds = new Map(diagnostics.map((diagnostic) => [idOf(diagnostic), diagnostic]));
  const used = [...kinds.keys()].sort();
  const rules = used.flatMap((id) => descriptor(id, kinds.get(id)));
  return toJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "ivrctl", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => result(diagnostic, used, prefix)),
      },
    ],
  });
}

/** Returns the id of a rule. Custom rules share a code, but each has its own id. */
function idOf({ code, rule }: Diagnostic): string {
  return rule?.includes("/") === true ? `${code}/${rule}` : code;
}

function descriptor(id: string, diagnostic: Diagnostic | undefined): object[] {
  if (diagnostic === undefined) return [];
  const { code, rule } = diagnostic;
  const { title, meaning, fix, severity } = codeEntry(code);
  return [
    {
      id,
      ...(rule === undefined ? {} : { name: rule }),
      shortDescription: sarifMessage(title),
      fullDescription: sarifMessage(meaning),
      help: sarifMessage(fix),
      defaultConfiguration: { level: levels[severity] },
    },
  ];
}

function result(diagnostic: Diagnostic, used: readonly string[], prefix: string): object {
  const { severity, message, hint, file } = diagnostic;
  const { line, column, endLine, endColumn } = diagnosticRange(diagnostic);
  const id = idOf(diagnostic);
  const path = file.startsWith("/") ? file : prefix + file;
  return {
    ruleId: id,
    ruleIndex: used.indexOf(id),
    level: levels[severity],
    message: sarifMessage(hint === undefined ? message : `${message} ${hintText(hint)}`),
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

/**
 * A text as a SARIF message that shows it unchanged. Braces are doubled, because `{0}` is a
 * placeholder (§3.11.5). Brackets need a backslash only where they could be a link, as in
 * `[text](address)` (§3.11.6). Elsewhere the backslash would be shown.
 */
function sarifMessage(text: string): { readonly text: string } {
  const braced = text.replace(/[{}]/g, "$&$&");
  return { text: braced.includes("](") ? braced.replace(/[\\[\]]/g, String.raw`\$&`) : braced };
}
