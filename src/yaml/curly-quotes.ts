import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { shorten } from "../util/nearest.ts";

/** Warns about text in the quotes of a word processor, which YAML reads as a part of the text. */
export function reportCurlyQuotes(span: Span, text: string, diagnostics: Diagnostics): void {
  const inner = inQuotes
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (inner === undefined) return;
  diagnostics.add(
    "IVR131",
    span,
    "These are curly quotes. YAML reads them as a part of the text.",
    `Use straight quotes: \`"${shorten(inner)}"\`. To keep the curly quotes, write straight quotes around them.`,
    "warning",
  );
}

const inQuotes =
  /^[\u201C-\u201F\uFF02]([^\u201C-\u201F\uFF02]+)[\u201C-\u201F\uFF02]$|^[\u2018-\u201B\uFF07]([^\u2018-\u201B\uFF07]+)[\u2018-\u201B\uFF07]$/;
