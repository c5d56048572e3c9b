import type { Source, Span } from "../diagnostics/source.ts";

type ParsedJson =
  | { readonly success: true; readonly value: unknown }
  /** The span is where the text stops being JSON. */
  | { readonly success: false; readonly span: Span };

/** Parses JSON, or returns the place of the first error. */
export function parseJsonSource(source: Source): ParsedJson {
  try {
    return { success: true, value: JSON.parse(source.text) };
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    if (position === undefined)
      return { success: false, span: wrongValue(source) ?? lastCharacter(source) };
    const start = Math.min(Number(position), source.text.trimEnd().length);
    return { success: false, span: source.span(start, Math.min(start + 1, source.text.length)) };
  }
}

/**
 * The first word or sign that is not a value, where JSON needs one. This is the only error for which
 * Node does not say the position, except for an incomplete text.
 */
function wrongValue(source: Source): Span | undefined {
  let before = ":";
  for (const { 0: token, index } of source.text.matchAll(tokens)) {
    const isValue = valueStart.test(token) || (before === "[" && token === "]");
    if (",:[".includes(before) && !isValue) return source.span(index, index + token.length);
    before = token;
  }
  return undefined;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[\w.+-]+|[^ \t\r\n]/gu;
const valueStart = /^(?:["[{]|-?\d|(?:true|false|null)$)/;

/** The last character of an incomplete text. */
function lastCharacter(source: Source): Span {
  const end = source.text.trimEnd().length;
  return source.span(Math.max(end - 1, 0), end);
}
