import { type Diagnostic, diagnosticRange } from "../diagnostics/diagnostic.ts";
import type { DiagnosticOutput, FailureOutput } from "../schema/output/shared-fields.ts";
import { secrets } from "../util/secrets.ts";
import { hintText } from "../util/suggest.ts";

/** The version of every JSON shape that ivrctl prints. */
const formatVersion = "1.0";

/** Returns a value as JSON. Masks secrets inside the strings, so that the JSON stays valid. */
export function toJson(value: unknown): string {
  const mask = (_: string, part: unknown) => (typeof part === "string" ? secrets.mask(part) : part);
  return `${JSON.stringify(value, mask, 2)}\n`;
}

/** A result as JSON: its own content, then the diagnostics, in the shape of every command. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[], content: object = {}): string {
  const plain = diagnostics.map((diagnostic): DiagnosticOutput => {
    const { code, severity, message, file, hint } = diagnostic;
    const { line, column, endLine: end_line, endColumn: end_column } = diagnosticRange(diagnostic);
    return {
      code,
      severity,
      message,
      hint: hint && hintText(hint),
      file,
      line,
      column,
      end_line,
      end_column,
    };
  });
  return toJson({ format_version: formatVersion, ...content, diagnostics: plain });
}

/** What is printed instead of a result if an option has a wrong value. */
export function failureJson(message: string): string {
  const failure: FailureOutput = { format_version: formatVersion, diagnostics: [], error: message };
  return toJson(failure);
}
