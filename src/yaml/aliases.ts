import { CST, Lexer } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";

/** Reports an alias without an anchor, and says where the anchor is instead. */
export function reportUnresolvedAlias(at: Span, name: string, diagnostics: Diagnostics): void {
  const { message, hint } = explain(at, name);
  diagnostics.addAs("structure", "IVR101", at, message, hint);
}

function explain({ source, start }: Span, name: string) {
  const { anchors, starts } = anchorsIn(source.text);
  const documentOf = (offset: number) => starts.filter((begin) => begin <= offset).length;
  const named = anchors.filter((anchor) => anchor.name === name);
  const own = named.find(({ offset }) => documentOf(offset) === documentOf(start));
  const [found = own] = own === undefined ? named : [];
  if (found === undefined) {
    return {
      message: `There is no anchor \`&${name}\` before this alias.`,
      hint: "Add the anchor. If you mean text that starts with *, put it in quotes.",
    };
  }
  const { line } = source.position(found.offset);
  return own === undefined
    ? {
        message: `The anchor \`&${name}\` is in another document of this file, in line ${line}. An anchor is valid only up to the next \`---\`.`,
        hint: `Define \`&${name}\` in this document too, for example in a field \`x-${name}: &${name}\` at its top.`,
      }
    : {
        message: `The anchor \`&${name}\` comes after this alias, in line ${line}.`,
        hint: "Move the anchor above the alias.",
      };
}

/** All anchors of a text, and where its documents after the first one start. */
function anchorsIn(text: string) {
  const anchors: { readonly name: string; readonly offset: number }[] = [];
  const starts: number[] = [];
  let offset = 0;
  let before: string | null = null;
  for (const token of new Lexer().lex(text)) {
    // The text of a scalar may look like an anchor.
    const type: string | null = before === "scalar" ? "text" : CST.tokenType(token);
    before = type;
    // The lexer marks documents and scalars with characters that the text does not have.
    if (type === "scalar" || type === "doc-mode" || type === "flow-error-end") continue;
    if (type === "anchor") anchors.push({ name: token.slice(1), offset });
    if (type === "doc-start") starts.push(offset);
    offset += token.length;
  }
  return { anchors, starts };
}
