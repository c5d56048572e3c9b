import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { formatVersion, toJson } from "../json.ts";

export function diagnosticsJson(diagnostics: readonly Diagnostic[], beside: object = {}): string {
  const plain = plainDiagnostics(diagnostics);
  return toJson({ format_version: formatVersion, ...beside, diagnostics: plain });
}

/** As they stand under `diagnostics` in every JSON that ivrctl prints. */
export function plainDiagnostics(diagnostics: readonly Diagnostic[]): object[] {
  return diagnostics.map(({ source, rule, precision, ...shown }) => shown);
}
