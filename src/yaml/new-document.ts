import { Document, visit } from "yaml";

/** A value of a menu file. */
export type Value = string | number | true | null | readonly (string | number)[] | Mapping;
export interface Mapping {
  readonly [name: string]: string | true | Mapping;
}

/** Control characters, and characters that reorder or hide text. They are escaped, so that a review shows them. */
const unseen =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u00A0\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202F\u205F-\u206F\u3000\uFEFF\uFFF0-\uFFFF]|[\u{E0000}-\u{E0FFF}]|[\uD800-\uDFFF]/gu;

/** A new document. Words such as `yes`, which older parsers do not read as text, get quotes. */
export function newDocument(): Document {
  return new Document(undefined, { compat: "yaml-1.1" });
}

/** The text of a document whose values are texts of a menu: `{{` does not start a variable. */
export function documentText(document: Document): string {
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== "string") return;
      const text = key === "key" ? node.value : node.value.replaceAll("{{", "{{{{");
      node.value = text;
      if (text.search(unseen) !== -1) node.type = "QUOTE_DOUBLE";
    },
  });
  const style = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY };
  return document.toString({ ...style, blockQuote: "literal" }).replace(unseen, escaped);
}

/** A value of a menu in one line, which is also valid inside braces. */
export function inline(value: Value): string {
  if (isList(value)) return `[${value.map(inline).join(", ")}]`;
  const document = newDocument();
  document.contents = document.createNode([value], { flow: true });
  return documentText(document).slice("[ ".length, -" ]\n".length);
}

function isList(value: Value): value is readonly (string | number)[] {
  return Array.isArray(value);
}

/** A text in quotes, unchanged. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(unseen, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const [letter, width] = code > 0xffff ? ["U", 8] : ["u", 4];
  return `\\${letter}${code.toString(16).toUpperCase().padStart(width, "0")}`;
}
