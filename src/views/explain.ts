import type { Code } from "../diagnostics/codes.ts";
import { allEntries, entryOf } from "../diagnostics/texts.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text.ts";

interface Explained {
  readonly code: Code;
  /** The rule that reports the code, if there is one. */
  readonly rule: string | undefined;
}

export function showCode({ code, rule }: Explained, format: string, terminal: Terminal): void {
  const { severity, title, meaning, fix } = entryOf(code);
  if (format === "json") {
    const about = { code, severity, title, meaning, mend: fix };
    terminal.out(toJson(rule === undefined ? about : { ...about, rule }));
    return;
  }
  const paragraphs = [`${code} (${severity}): ${title}`, meaning, `How to fix: ${fix}`];
  if (rule !== undefined) {
    paragraphs.push(
      `Reported by the rule ${rule}. Set it under \`rules:\` in ivrctl.yaml, or ignore it on one line: # ivrctl-ignore: ${rule}`,
    );
  }
  terminal.out(paragraphs.map((words) => `${wrap(words, "", terminal.prose)}\n`).join("\n"));
}

export function showCodes(format: string, terminal: Terminal): void {
  const list = allEntries().map(({ code, severity, title }) => ({ code, severity, title }));
  const lines = list.map((one) => `${one.code}  ${one.severity.padEnd(7)}  ${one.title}\n`);
  terminal.out(format === "json" ? toJson(list) : lines.join(""));
}
