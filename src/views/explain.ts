import { type Code, codes } from "../diagnostics/codes.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

export function showCode(code: Code, format: string, terminal: Terminal): void {
  const { severity, title, meaning, mend } = codes[code];
  if (format === "json") {
    terminal.out(toJson({ code, severity, title, meaning, mend }));
    return;
  }
  terminal.out(
    `${code} (${severity}): ${title}\n\n${wrap(meaning, "", terminal.prose)}\n\n${wrap(`To mend it: ${mend}`, "", terminal.prose)}\n`,
  );
}

export function showCodes(format: string, terminal: Terminal): void {
  const list = Object.entries(codes).map(([code, { severity, title }]) => ({
    code,
    severity,
    title,
  }));
  terminal.out(
    format === "json"
      ? toJson(list)
      : list
          .map(({ code, severity, title }) => `${code}  ${severity.padEnd(7)}  ${title}\n`)
          .join(""),
  );
}
