import { callCodes } from "./call-codes.ts";
import { ciCodes } from "./ci-codes.ts";
import { type Code, type CodeText, type Severity, isCode, severityOf } from "./codes.ts";
import { deployCodes } from "./deploy-codes.ts";
import { projectCodes } from "./project-codes.ts";
import { ruleCodes } from "./rule-codes.ts";
import { storeCodes } from "./store-codes.ts";

/** A code with its severity and text. */
export interface CodeEntry extends CodeText {
  readonly code: Code;
  readonly severity: Severity;
}

/** Returns the severity and text of a code. */
export function entryOf(code: Code): CodeEntry {
  return { code, severity: severityOf(code), ...texts[code] };
}

/** All codes, in the order of `ivrctl explain`. */
export function allEntries(): CodeEntry[] {
  return Object.keys(texts).filter(isCode).map(entryOf);
}

const texts: Readonly<Record<Code, CodeText>> = {
  ...projectCodes,
  ...deployCodes,
  ...ruleCodes,
  ...callCodes,
  ...storeCodes,
  ...ciCodes,
};
