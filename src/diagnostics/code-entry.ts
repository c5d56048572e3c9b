/** What is known about one code, for `ivrctl explain` and the docs. */
export interface CodeEntry {
  readonly severity: "error" | "warning" | "info";
  readonly title: string;
  readonly meaning: string;
  readonly mend: string;
}

export const error = (title: string, meaning: string, mend: string): CodeEntry => ({
  severity: "error",
  title,
  meaning,
  mend,
});

export const warning = (title: string, meaning: string, mend: string): CodeEntry => ({
  severity: "warning",
  title,
  meaning,
  mend,
});

export const info = (title: string, meaning: string, mend: string): CodeEntry => ({
  severity: "info",
  title,
  meaning,
  mend,
});
