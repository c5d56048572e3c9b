import { entryOf } from "../diagnostics/entries.ts";
import { type Diagnostic, type Diagnostics, placeOf } from "../diagnostics/diagnostic.ts";
import { listed, many } from "../util/many.ts";
import { splitCommand } from "../util/split-command.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined } from "./examine.ts";
import { type Argv, type Hint, commandText } from "../util/suggest.ts";

/** A check of what `examine` has read. It reads nothing itself. */
export type Check = (examined: Examined) => Finding | readonly Finding[];

export const ok = (name: string, message: string): Finding => ({ name, status: "ok", message });

export const skipped = (name: string, message: string): Finding => ({
  name,
  status: "skipped",
  message,
});

export const warning = (name: string, message: string, fix: Hint): Finding => ({
  name,
  status: "warning",
  message,
  fix,
});

export const failed = (name: string, message: string, fix: Hint): Finding => ({
  name,
  status: "error",
  message,
  fix,
});

/** Returns a diagnostic as a finding. */
export function findingOf(name: string, { code, message, hint, severity }: Diagnostic): Finding {
  const fix = hint ?? entryOf(code).fix;
  return severity === "error" ? failed(name, message, fix) : warning(name, message, fix);
}

const maxPlaces = 5;

/**
 * Returns all errors, or else all warnings, as one finding. Its message is `valid` if there are none.
 * `argv` shows all of them.
 */
export function summaryOf(
  name: string,
  diagnostics: Diagnostics,
  valid: string,
  argv: Argv,
): Finding {
  // Variables that are not set have separate findings.
  const all = diagnostics.sorted().filter(({ code }) => code !== "IVR403");
  const errors = all.filter(({ severity }) => severity === "error");
  const shown = errors.length > 0 ? errors : all.filter(({ severity }) => severity === "warning");
  const [first] = shown;
  if (first === undefined) return ok(name, valid);
  const places = shown.map((diagnostic) => `${placeOf(diagnostic)} (${diagnostic.code})`);
  const { fix = "", status } = findingOf(name, first);
  const help = inOneSentence(fix);
  const leading = shown.length === 1 ? "" : "The first one: ";
  return {
    name,
    status,
    message: `${many(shown.length, status)}: ${listed(places, maxPlaces)}.`,
    fix: { words: `${leading}${first.message} ${help} To see all problems, run:`, argv },
  };
}

/** A hint with its command in backquotes. */
function inOneSentence(hint: Hint): string {
  const { words, command } =
    typeof hint === "string"
      ? splitCommand(hint)
      : { words: hint.words, command: commandText(hint.argv) };
  return command === undefined ? words : `${words} \`${command}\`.`;
}
