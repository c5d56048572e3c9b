import type { Severity } from "../diagnostics/diagnostic.ts";

/** The severities that `rules:` accepts. */
export const severityWords = ["error", "warn", "info", "off"] as const;
export type SeverityWord = (typeof severityWords)[number];

export function severityOf(word: SeverityWord): Severity | "off" {
  return word === "warn" ? "warning" : word;
}
