import type { Code } from "../diagnostics/codes.ts";
import { allEntries, codeEntry } from "../diagnostics/entries.ts";
import type { Hint } from "../util/suggest.ts";
import type { Page } from "./terminal.ts";
import { severityNames } from "./diagnostics/severity.ts";
import { wrapAdvice } from "./text.ts";

interface Explained {
  readonly code: Code;
  /** The rule that reports the code, if there is one. */
  readonly rule: { readonly name: string } | undefined;
}

/** Returns the explanation of a code for JSON. */
export function codeJson({ code, rule }: Explained): object {
  const { severity, title, meaning, fix } = codeEntry(code);
  const about = { code, severity, title, meaning, fix };
  return rule === undefined ? about : { ...about, rule: rule.name };
}

export function codeText({ code, rule }: Explained, { prose }: Page): string {
  const { severity, title, meaning, fix } = codeEntry(code);
  const paragraphs: Hint[] = [
    `${code} (${severityNames[severity]}): ${title}`,
    meaning,
    `How to fix: ${fix}`,
  ];
  if (rule !== undefined) paragraphs.push(ruleHint(rule));
  return paragraphs.map((hint) => `${wrapAdvice(hint, "", prose)}\n`).join("\n");
}

function ruleHint({ name }: NonNullable<Explained["rule"]>): Hint {
  return {
    words: `The rule ${name} reports this. Set the rule under \`rules:\` in ivrctl.yaml. To ignore it on one line, add this comment to the line:`,
    command: `# ivrctl-ignore: ${name}`,
  };
}

/** Returns all codes for JSON. */
export function codesJson(): readonly object[] {
  return [...allEntries().values()].map(({ code, severity, title }) => ({ code, severity, title }));
}

export function codesText(): string {
  return [...allEntries().values()]
    .map(({ code, severity, title }) => `${code}  ${severityNames[severity].padEnd(7)}  ${title}\n`)
    .join("");
}
