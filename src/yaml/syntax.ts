import { type Document, type ErrorCode, type YAMLError, isCollection, isScalar, visit } from "yaml";
import type { Source, Span } from "../diagnostics/source.ts";

interface SyntaxProblem {
  readonly span: Span;
  readonly message: string;
  readonly hint: string;
}

/** Explains an error of the YAML library to people who write menus. */
export function explainSyntax(source: Source, document: Document, error: YAMLError): SyntaxProblem {
  const { length } = source.text;
  const start = Math.min(error.pos[0], length);
  const span = source.span(start, Math.min(Math.max(error.pos[1], start), length));
  const opening = openingBefore(source, document, error);
  if (opening !== undefined) {
    const sign = source.text[opening.start] ?? "";
    return {
      span: opening,
      message: `This ${/["']/.test(sign) ? "quote" : sign} is not closed before the next key.`,
      hint: "Close it. Indent everything inside brackets further than their key.",
    };
  }
  const [message = sentence(error.message), hint = check] = explanations[error.code] ?? [];
  return { span, message, hint };
}

const check = "Check the indentation, quotes and brackets in this line and the line above.";

/** Errors that no correction explains, in better words than those of the library. */
const explanations: Partial<Record<ErrorCode, readonly [message: string, hint: string]>> = {
  BLOCK_AS_IMPLICIT_KEY: [
    "A second key or a `-` cannot be here.",
    "Remove the `-`, put the text in quotes, or write the second key on its own line.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "There is no `: ` after the key in this line.",
    "Add a colon and a space after the key, for example `name: Front desk`.",
  ],
};

/** The quote or bracket that an error is about. The library reports it where it should be closed. */
function openingBefore(
  source: Source,
  document: Document,
  { code, message, pos }: YAMLError,
): Span | undefined {
  const isQuote = code === "MISSING_CHAR" && message.includes("quote");
  if (!isQuote && !(code === "BAD_INDENT" && message.startsWith("Flow"))) return undefined;
  let found: Span | undefined;
  visit(document, (_, node) => {
    const [start = Infinity] = isScalar(node) || isCollection(node) ? (node.range ?? []) : [];
    // A pair inside [ ] is a mapping without a bracket.
    const isOpening = (isQuote ? /["']/ : /[{[]/).test(source.text[start] ?? "");
    if (isOpening && isScalar(node) === isQuote && start <= pos[0]) {
      found = source.span(start, start + 1);
    }
  });
  return found;
}

function sentence(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}
