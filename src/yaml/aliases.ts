import { CST, Lexer } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";

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
  const all = [...tokensIn(text)];
  return {
    anchors: all.flatMap(({ type, token, offset }) =>
      type === "anchor" ? { name: token.slice(1), offset } : [],
    ),
    starts: all.flatMap(({ type, offset }) => (type === "doc-start" ? offset : [])),
  };
}

/** Reports every tag. Values are text, so a tag has no use. */
export function reportTags(source: Source, diagnostics: Diagnostics): void {
  if (!/(?:^|[\s,[{])!/.test(source.text)) return;
  for (const { type, token, offset } of tokensIn(source.text)) {
    if (type !== "tag") continue;
    diagnostics.addAs(
      "structure",
      "IVR101",
      source.span(offset, offset + token.length),
      `The tag \`${token}\` is not allowed.`,
      "Remove the tag. ivrctl reads every value as text and keeps all digits.",
    );
  }
}

/** The tokens of a text with their types and offsets. */
function* tokensIn(text: string) {
  let offset = 0;
  let before: string | null = null;
  for (const token of new Lexer().lex(text)) {
    // The text of a scalar may look like another token.
    const type: string | null = before === "scalar" ? "text" : CST.tokenType(token);
    before = type;
    // The lexer marks documents and scalars with characters that the text does not have.
    if (type === "scalar" || type === "doc-mode" || type === "flow-error-end") continue;
    yield { type, token, offset };
    offset += token.length;
  }
}
