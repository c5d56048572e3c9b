import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { formatVersion, toJson } from "../json.ts";

export function diagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return toJson({ format_version: formatVersion, diagnostics: plainDiagnostics(diagnostics) });
}

/** As they stand under `diagnostics` in every JSON that ivrctl prints. */
export function plainDiagnostics(diagnostics: readonly Diagnostic[]): object[] {
  return diagnostics.map(({ source, rule, ...shown }) => shown);
}
