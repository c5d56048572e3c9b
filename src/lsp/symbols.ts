import { type DocumentSymbol, SymbolKind } from "vscode-languageserver";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Node, entriesOf, textField } from "../yaml/node.ts";
import { rangeIn } from "./convert.ts";
import { type OpenFile, readableDocuments } from "./place.ts";

/** The outline of a file: its menus with their fields and options, or its fields without values. */
export function symbolsIn({ source, subject }: OpenFile): DocumentSymbol[] {
  if (subject !== "menu")
    return readableDocuments(source).flatMap((root) => fieldsIn(root, () => ""));
  return readMenus(source, new Diagnostics()).map(({ key, top, end, root }) => ({
    name: key ?? textField(root, "name") ?? source.file,
    detail: textField(root, "name") ?? "",
    kind: SymbolKind.Module,
    range: rangeIn(source.span(top.start, end)),
    selectionRange: rangeIn(top),
    children: fieldsIn(root, aboutValue),
  }));
}

/** The fields of a mapping, and the fields in them. */
function fieldsIn(node: Node, about: (value: Node) => string, depth = 2): DocumentSymbol[] {
  if (depth === 0) return [];
  return entriesOf(node).flatMap(({ key, value, merged }) => {
    // A merged entry is in another mapping, and the value of an alias at its anchor.
    if (merged) return [];
    const isHere = value.start >= key.end;
    return {
      name: key.text || " ",
      detail: about(value),
      kind: SymbolKind.Field,
      range: rangeIn(key.source.span(key.start, isHere ? Math.max(value.end, key.end) : key.end)),
      selectionRange: rangeIn(key),
      children: isHere ? fieldsIn(value, about, depth - 1) : [],
    };
  });
}

function aboutValue(value: Node): string {
  if (value.kind === "scalar") return value.text;
  return ["for", "agent", "menu"].flatMap((name) => textField(value, name) ?? [])[0] ?? "";
}
