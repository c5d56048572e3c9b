import { type CST, Parser } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";

/** Reports a text that is nested too deeply to build a tree, and returns whether it is. */
export function isTooDeep(source: Source, diagnostics: Diagnostics): boolean {
  const start = mayBeDeep(source.text) ? firstTooDeep(source.text) : undefined;
  if (start === undefined) return false;
  reportDepth(source.span(start, start + 1), diagnostics);
  return true;
}

/** Whether a text has so many open brackets, dashes or spaces that building its tree could exhaust the stack. */
function mayBeDeep(text: string): boolean {
  const open = text.replaceAll(closedBrackets, "").match(/[{[]/g) ?? [];
  return open.length > limits.depth || /^ {200}/m.test(text) || /(?:[-?] ){100}/.test(text);
}

/** Brackets that are certainly closed in the same line: neither a comment nor a text contains a bracket. */
const closedBrackets = /[{[](?:[^{}[\]"'#\n]|"[^"{}[\]\n]*"|'[^'{}[\]\n]*')*[}\]]/g;

export function reportDepth({ source, start }: Span, diagnostics: Diagnostics): void {
  diagnostics.addAs(
    "size",
    "IVR101",
    source.span(start, start + 1),
    `This is nested more than ${limits.depth} levels deep.`,
    "Check for a bracket that is not closed.",
  );
}

/** The offset of the first token that is nested too deeply. Reads only the tokens, because the tree cannot be built. */
function firstTooDeep(text: string): number | undefined {
  const open: { token: CST.Token; depth: number }[] = [];
  // The root is in a token for its document.
  for (const token of new Parser().parse(text)) open.push({ token, depth: -1 });
  open.reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > limits.depth) return token.offset;
    for (const child of childrenOf(token).toReversed())
      open.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value]).filter((child) => child != null);
}
