import type { Code } from "../diagnostics/codes.ts";
import { allEntries, entryOf } from "../diagnostics/texts.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text.ts";

interface Asked {
  readonly code: Code;
  /** The rule that finds it, if there is one. */
  readonly rule: string | undefined;
}

export function showCode({ code, rule }: Asked, format: string, terminal: Terminal): void {
  const { severity, title, meaning, mend } = entryOf(code);
  if (format === "json") {
    const about = { code, severity, title, meaning, mend };
    terminal.out(toJson(rule === undefined ? about : { ...about, rule }));
    return;
  }
  const paragraphs = [`${code} (${severity}): ${title}`, meaning, `To mend it: ${mend}`];
  if (rule !== undefined) {
    paragraphs.push(
      `Found by the rule ${rule}: set it in \`rules:\`, or silence it on a line with # ivrctl-ignore: ${rule}`,
    );
  }
  terminal.out(paragraphs.map((words) => `${wrap(words, "", terminal.prose)}\n`).join("\n"));
}

export function showCodes(format: string, terminal: Terminal): void {
  const list = allEntries().map(({ code, severity, title }) => ({ code, severity, title }));
  const lines = list.map((one) => `${one.code}  ${one.severity.padEnd(7)}  ${one.title}\n`);
  terminal.out(format === "json" ? toJson(list) : lines.join(""));
}
