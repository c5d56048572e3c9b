export type Severity = "error" | "warning" | "info";

/** What `ivrctl explain` and docs/diagnostics.md say about a code. */
export interface CodeText {
  /** The severity of a diagnostic with this code, unless the configuration sets another one. */
  readonly severity: Severity;
  readonly title: string;
  readonly meaning: string;
  readonly mend: string;
}

export function error(title: string, meaning: string, mend: string): CodeText {
  return { severity: "error", title, meaning, mend };
}

export function warning(title: string, meaning: string, mend: string): CodeText {
  return { severity: "warning", title, meaning, mend };
}

export function info(title: string, meaning: string, mend: string): CodeText {
  return { severity: "info", title, meaning, mend };
}
