import type { Severity } from "../../diagnostics/diagnostic.ts";

/** The word for each severity in everything that people read. Programs read `info`. */
export const severityNames: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  info: "note",
};
