import { type DocumentSymbol, SymbolKind } from "vscode-languageserver";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Entry, entriesOf, textField } from "../yaml/node.ts";
import { rangeIn } from "./convert.ts";
import { type OpenFile, rootsOf } from "./place.ts";

/** The outline of a file: its menus with their fields and options, or its fields. */
export function symbolsIn({ source, subject }: OpenFile): DocumentSymbol[] {
  if (subject !== "menu") return rootsOf(source).flatMap((root) => fieldsIn(entriesOf(root)));
  return readMenus(source, new Diagnostics()).map(({ key, name, top, end, root }) => ({
    name: key ?? name?.value ?? source.file,
    detail: name?.value ?? "",
    kind: SymbolKind.Module,
    range: rangeIn(source.span(top.start, end)),
    selectionRange: rangeIn(top),
    children: fieldsIn(root.entries, (entry) =>
      entry.key.text === "options" ? entriesOf(entry.value).flatMap(optionIn) : [],
    ),
  }));
}

function fieldsIn(
  entries: readonly Entry[],
  childrenOf: (entry: Entry) => DocumentSymbol[] = ({ value }) =>
    entriesOf(value).flatMap((entry) => symbolOf(entry)),
): DocumentSymbol[] {
  return entries.flatMap((entry) => symbolOf(entry, { children: childrenOf(entry) }));
}

function optionIn(option: Entry): DocumentSymbol[] {
  const { value } = option;
  const names = ["for", "agent", "menu"].flatMap((name) => textField(value, name) ?? []);
  return symbolOf(option, { detail: value.kind === "scalar" ? value.text : (names[0] ?? "") });
}

function symbolOf({ key, value, merged }: Entry, more: Partial<DocumentSymbol> = {}) {
  // A merged entry is in another mapping, and the value of an alias at its anchor.
  if (merged) return [];
  const end = value.start >= key.end ? Math.max(value.end, key.end) : key.end;
  const selectionRange = rangeIn(key);
  const range = rangeIn(key.source.span(key.start, end));
  return [{ name: key.text || " ", kind: SymbolKind.Field, range, selectionRange, ...more }];
}
