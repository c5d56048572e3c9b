import { type Document, type YAMLError, isCollection, isScalar, visit } from "yaml";
import type { Source, Span } from "../diagnostics/source.ts";

interface SyntaxFault {
  readonly span: Span;
  readonly code: "IVR101" | "IVR102";
  readonly message: string;
  readonly hint: string;
}

/** The YAML library's finding in the words of someone who writes menus. */
export function explainSyntax(source: Source, document: Document, error: YAMLError): SyntaxFault {
  const span = spanOf(source, error);
  const fault = (message: string, hint: string, where: Span = span): SyntaxFault => ({
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
        message: "A tab is used to indent; YAML allows only spaces.",
        hint: "Replace it with two spaces a level.",
      };
    case "BAD_ALIAS":
      return fault(
        "A text cannot start with * unless it is quoted: it would be an alias.",
        "Put the text in quotes, or name the anchor it repeats.",
      );
    case "MISSING_CHAR":
      if (error.message.includes("quote")) {
        const opening = lastQuote(source, document, span.start) ?? span;
        return fault(
          "This quote is never closed.",
          "Close it at the end of the text it opens.",
          opening,
        );
      }
      return fault(sentence(error.message), "Compare it with the line above.");
    case "BLOCK_AS_IMPLICIT_KEY":
      return fault(
        "A second `:` on one line makes the text before it a key.",
        "Put the text in quotes, or the nested key on a line of its own.",
        colonAfter(source, span),
      );
    case "MULTILINE_IMPLICIT_KEY":
      return fault(
        "A key must stand on one line, with `: ` right behind it.",
        "Is a colon missing, or the space after it?",
      );
    case "BAD_SCALAR_START":
      return fault(
        `A text cannot start with ${source.text[span.start] ?? "this character"} unless it is quoted.`,
        "Put the text in quotes.",
      );
    case "BAD_INDENT": {
      const opening = error.message.startsWith("Flow")
        ? lastOpening(source, document, span.start)
        : undefined;
      return opening === undefined
        ? fault(
            "This line is not indented like its neighbours.",
            "Items of one mapping start in one column.",
          )
        : fault(
            `This ${source.text[opening.start] ?? "bracket"} is not closed before the next key.`,
            "Close it, and indent what is inside further than its key.",
            opening,
          );
    }
    case "ALIAS_PROPS":
      return fault(
        "An alias cannot have a tag or an anchor of its own.",
        "Remove what is between the key and the `*`.",
      );
    case "UNEXPECTED_TOKEN":
      return fault(
        "This does not belong here: the value before it has ended.",
        "Put the whole text in quotes, or remove what is left over.",
      );
    default:
      return fault(sentence(error.message), "Compare it with the line above.");
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
    if (start <= before) found = source.span(start, start + 1);
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
