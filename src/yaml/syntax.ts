import { type Document, type YAMLError, isCollection, isScalar, visit } from "yaml";
import type { Source, Span } from "../diagnostics/source.ts";

interface SyntaxProblem {
  readonly span: Span;
  readonly code: "IVR101" | "IVR102";
  readonly message: string;
  readonly hint: string;
}

/** Explains an error of the YAML library to people who write menus. */
export function explainSyntax(source: Source, document: Document, error: YAMLError): SyntaxProblem {
  const span = spanOf(source, error);
  const problem = (message: string, hint: string, where: Span = span): SyntaxProblem => ({
    span: where,
    code: "IVR101",
    message,
    hint,
  });
  switch (error.code) {
    case "TAB_AS_INDENT":
      return {
        span,
        code: "IVR102",
        message: "This line is indented with a tab. YAML allows only spaces.",
        hint: "Indent with two spaces per level.",
      };
    case "BAD_ALIAS":
      return problem(
        "Text that starts with * must be in quotes, because YAML reads it as an alias.",
        "Put the text in quotes, or write the name of an anchor after the *.",
      );
    case "MISSING_CHAR":
      if (error.message.includes("quote")) {
        const opening = lastQuote(source, document, span.start) ?? span;
        return problem("This quote is never closed.", "Add the closing quote.", opening);
      }
      return problem(
        sentence(error.message),
        "Check the indentation, quotes and brackets in this line and the line above.",
      );
    case "BLOCK_AS_IMPLICIT_KEY":
      return problem(
        "This line has two `: `, so YAML reads two keys.",
        "Put the value in quotes, or write the second key on its own line.",
        colonAfter(source, span),
      );
    case "MULTILINE_IMPLICIT_KEY":
      return problem(
        "There is no `: ` after the key in this line.",
        "Add a colon and a space after the key, for example `name: Front desk`.",
      );
    case "BAD_SCALAR_START":
      return problem(
        `Text that starts with ${source.text[span.start] ?? "this character"} must be in quotes.`,
        "Put the text in quotes.",
      );
    case "BAD_INDENT": {
      const opening = error.message.startsWith("Flow")
        ? lastOpening(source, document, span.start)
        : undefined;
      return opening === undefined
        ? problem(
            "This line is not indented like the lines around it.",
            "Start all keys of one mapping in the same column.",
          )
        : problem(
            `This ${source.text[opening.start] ?? "bracket"} is not closed before the next key.`,
            "Close it. Indent everything inside it further than its key.",
            opening,
          );
    }
    case "ALIAS_PROPS":
      return problem(
        "An alias cannot have a tag or an anchor of its own.",
        "Remove the tag or anchor before the `*`.",
      );
    case "UNEXPECTED_TOKEN":
      return problem(
        "There is extra text after the end of the value.",
        "Put the whole value in quotes, or remove the extra text.",
      );
    default:
      return problem(
        sentence(error.message),
        "Check the indentation, quotes and brackets in this line and the line above.",
      );
  }
}

function spanOf(source: Source, error: YAMLError): Span {
  const { length } = source.text;
  const start = Math.min(error.pos[0], length);
  return source.span(start, Math.min(Math.max(error.pos[1], start), length));
}

function lastQuote(source: Source, document: Document, before: number): Span | undefined {
  let found: Span | undefined;
  visit(document, (_, node) => {
    if (!isScalar(node) || !node.range || !node.type?.startsWith("QUOTE")) return;
    const [start] = node.range;
    if (start <= before) found = source.span(start, start + 1);
  });
  return found;
}

function lastOpening(source: Source, document: Document, before: number): Span | undefined {
  let found: Span | undefined;
  visit(document, (_, node) => {
    if (!isCollection(node) || !node.range || node.flow !== true) return;
    const [start] = node.range;
    // A pair inside [ ] is a mapping without a bracket.
    if (start <= before && /[{[]/.test(source.text[start] ?? ""))
      found = source.span(start, start + 1);
  });
  return found;
}

function colonAfter(source: Source, span: Span): Span {
  const found = /:(?=\s|$)/.exec(source.text.slice(span.start, span.start + 1000));
  if (found === null) return span;
  const start = span.start + found.index;
  return source.span(start, start + 1);
}

function sentence(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}
