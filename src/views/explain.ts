import type { Code } from "../diagnostics/codes.ts";
import { allEntries, entryOf } from "../diagnostics/entries.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";
import { severityWords } from "./diagnostics/severity.ts";
import { wrapAdvice } from "./text.ts";

interface Explained {
  readonly code: Code;
  /** The rule that reports the code, if there is one. */
  readonly rule: { readonly name: string; readonly mandatory?: true } | undefined;
}

export function showCode({ code, rule }: Explained, format: string, terminal: Terminal): void {
  const { severity, title, meaning, fix } = entryOf(code);
  if (format === "json") {
    const about = { code, severity, title, meaning, fix };
    terminal.out(toJson(rule === undefined ? about : { ...about, rule: rule.name }));
    return;
  }
  const paragraphs = [
    `${code} (${severityWords[severity]}): ${title}`,
    meaning,
    `How to fix: ${fix}`,
  ];
  if (rule !== undefined) paragraphs.push(ruleWords(rule));
  terminal.out(paragraphs.map((words) => `${wrapAdvice(words, "", terminal.prose)}\n`).join("\n"));
}

function ruleWords({ name, mandatory }: NonNullable<Explained["rule"]>): string {
  return mandatory === true
    ? `The rule ${name} reports this. It cannot be turned off or ignored.`
    : `The rule ${name} reports this. Set the rule under \`rules:\` in ivrctl.yaml. To ignore it on one line, add this comment to the line: # ivrctl-ignore: ${name}`;
}

export function showCodes(format: string, terminal: Terminal): void {
  const list = [...allEntries().values()].map(({ code, severity, title }) => ({
    code,
    severity,
    title,
  }));
  const lines = list.map(
    (one) => `${one.code}  ${severityWords[one.severity].padEnd(7)}  ${one.title}\n`,
  );
  terminal.out(format === "json" ? toJson(list) : lines.join(""));
}
