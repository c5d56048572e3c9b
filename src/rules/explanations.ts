import page from "../../docs/diagnostics.md";
import { rules } from "./built-in/index.ts";
import {
  type Code,
  type Severity,
  defaultSeverity,
  isCode,
  listedCodes,
} from "../diagnostics/codes.ts";

/** What docs/diagnostics.md says about a code, and its severity. */
export interface CodeEntry {
  readonly code: Code;
  readonly severity: Severity;
  readonly title: string;
  readonly meaning: string;
  readonly fix: string;
}

export function codeEntry(code: Code): CodeEntry {
  const entry = allEntries().get(code);
  if (entry === undefined) throw new Error(`docs/diagnostics.md has no section for ${code}.`);
  return entry;
}

export function allCodes(): Code[] {
  return [...new Set([...listedCodes(), ...rules.map(({ code }) => code)])].sort();
}

function severityOf(code: Code): Severity {
  const severity = rules.find((rule) => rule.code === code)?.severity ?? "off";
  return severity === "off" ? defaultSeverity(code) : severity;
}

/** The sections of the page by their codes, in its order. */
export function allEntries(): ReadonlyMap<Code, CodeEntry> {
  entries ??= new Map(
    [...page.matchAll(section)].flatMap(([, code = "", title = "", meaning = "", fix = ""]) =>
      isCode(code)
        ? [[code, { code, severity: severityOf(code), title, meaning, fix: bare(fix) }]]
        : [],
    ),
  );
  return entries;
}

let entries: ReadonlyMap<Code, CodeEntry> | undefined;

const section = /^## (IVR\d+): (.+)\n\n(.+)\n\*\*How to fix:\*\* (.+)$/gm;

/** A fix without the backquotes around the command at its end, so that the command can be copied. */
function bare(fix: string): string {
  return fix.replace(/(?<=: )`([^`]+)`$/, "$1");
}
