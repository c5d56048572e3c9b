import { entryOf } from "../diagnostics/texts.ts";
import { type Diagnostic, type Diagnostics, placeOf } from "../diagnostics/diagnostic.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined } from "./examine.ts";

/** A check looks at what was examined, and reads nothing itself. */
export type Check = (examined: Examined) => Finding | readonly Finding[];

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

/** A diagnostic as a finding. */
export function findingOf(name: string, { code, message, hint, severity }: Diagnostic): Finding {
  const mend = hint ?? entryOf(code).fix;
  return severity === "error" ? failed(name, message, mend) : warning(name, message, mend);
}

const maxPlaces = 5;

/** All errors, or else all warnings, as one finding; `valid` is its message if there are none. */
export function summaryOf(name: string, diagnostics: Diagnostics, valid: string): Finding {
  // Variables that are not set have findings of their own.
  const all = diagnostics.sorted().filter(({ code }) => code !== "IVR403");
  const errors = all.filter(({ severity }) => severity === "error");
  const shown = errors.length > 0 ? errors : all.filter(({ severity }) => severity === "warning");
  const [first] = shown;
  if (first === undefined) return ok(name, valid);
  const places = shown
    .slice(0, maxPlaces)
    .map((diagnostic) => `${placeOf(diagnostic)} (${diagnostic.code})`);
  const rest = shown.length - places.length;
  const list = rest === 0 ? places.join(", ") : `${places.join(", ")} and ${rest} more`;
  const { mend = "", status } = findingOf(name, first);
  const leading = shown.length === 1 ? "" : "The first: ";
  return {
    name,
    status,
    message: `${count(shown.length, status === "error" ? "error" : "warning")}: ${list}.`,
    mend: `${leading}${first.message} ${mend} \`ivrctl validate\` shows all.`,
  };
}

export function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
