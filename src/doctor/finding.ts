import { entryOf } from "../diagnostics/texts.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Finding } from "../views/doctor.ts";

export const ok = (name: string, message: string): Finding => ({ name, status: "ok", message });

export const skipped = (name: string, message: string): Finding => ({
  name,
  status: "skipped",
  message,
});

export const warning = (name: string, message: string, mend: string): Finding => ({
  name,
  status: "warning",
  message,
  mend,
});

export const failed = (name: string, message: string, mend: string): Finding => ({
  name,
  status: "error",
  message,
  mend,
});

/** One diagnostic as a finding of its own. */
export function toldBy(name: string, { code, message, hint, severity }: Diagnostic): Finding {
  const mend = hint ?? entryOf(code).mend;
  return severity === "error" ? failed(name, message, mend) : warning(name, message, mend);
}

const maxPlaces = 5;

/** Several diagnostics, counted, with where they stand; `sound` where there are none. */
export function countedOf(
  name: string,
  diagnostics: readonly Diagnostic[],
  sound: string,
  more: string,
): Finding {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const shown = errors.length > 0 ? errors : diagnostics.filter(isWarning);
  const [first] = shown;
  if (first === undefined) return ok(name, sound);
  const places = shown
    .slice(0, maxPlaces)
    .map(({ file, line, column, code }) => `${file}:${line}:${column} (${code})`);
  const rest = shown.length - places.length;
  const list = rest === 0 ? places.join(", ") : `${places.join(", ")} and ${rest} more`;
  const { mend, status } = toldBy(name, first);
  const what = status === "error" ? "error" : "warning";
  const leading = shown.length === 1 ? "" : "The first: ";
  return {
    name,
    status,
    message: `${count(shown.length, what)}: ${list}.`,
    mend: `${leading}${first.message} ${mend ?? ""} ${more}`.trim(),
  };
}

function isWarning({ severity }: Diagnostic): boolean {
  return severity === "warning";
}

export function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
