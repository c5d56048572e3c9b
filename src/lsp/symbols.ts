import { type DocumentSymbol, SymbolKind, type WorkspaceSymbol } from "vscode-languageserver";
import type { LoadedProject } from "../workspace/load-project.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { visible } from "../util/visible.ts";
import { type Node, entriesOf, textField } from "../yaml/node.ts";
import { type FileUri, rangeIn, toLocation } from "./convert.ts";
import { eachPlace, occurrencesIn, rootsIn } from "../references/occurrences.ts";
import type { OpenFile } from "./place.ts";

/** The outline of a file: its menus with their fields and options, or its fields without values. */
export function symbolsIn({ source, subject }: OpenFile): DocumentSymbol[] {
  if (subject !== "menu") return rootsIn(source).flatMap((root) => fieldsIn(root, () => ""));
  return readMenus(source, new Diagnostics()).map(({ key, top, end, root }) => ({
    name: key ?? textField(root, "name") ?? source.file,
    detail: textField(root, "name") ?? "",
    kind: SymbolKind.Module,
    range: rangeIn(source.span(top.start, end)),
    selectionRange: rangeIn(top),
    children: fieldsIn(root, aboutValue),
  }));
}

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

const kinds = {
  agent: SymbolKind.Object,
  menu: SymbolKind.Module,
  recording: SymbolKind.Constant,
  "SMS template": SymbolKind.Constant,
  variable: SymbolKind.Variable,
  destination: SymbolKind.Constant,
} as const;

/** The agents, menus, recordings, SMS templates and variables of a project with a text in their names. */
export function namedSymbols(
  project: LoadedProject,
  query: string,
  uriOf: FileUri,
): WorkspaceSymbol[] {
  const wanted = query.toLowerCase();
  const all = occurrencesIn(project).filter(
    ({ name, isDefinition }) => isDefinition && name.toLowerCase().includes(wanted),
  );
  return eachPlace(all).map(({ kind, name, spans: [at] }) => ({
    name: visible(name),
    kind: kinds[kind],
    containerName: kind,
    location: toLocation(at, uriOf),
  }));
}
