import { canonicalKey } from "../project/options.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { readMenus } from "../compile/read-menus.ts";
import { rootsIn, writtenAt } from "../references/occurrences.ts";
import {
  type Edit,
  EditProblem,
  aliasOf,
  betweenFields,
  destinationEdits,
  endOfLine,
  insertAfter,
  lineEnd,
  ownSpan,
  removal,
  rewritten,
  textsAfter,
} from "../references/edits.ts";
import { destinationFieldNames } from "../schema/destination.ts";
import {
  type MapEntry,
  type MapNode,
  type Node,
  type ScalarNode,
  entriesOf,
  entry,
  itemsOf,
} from "../yaml/node.ts";
import { type Mapping, type Value, inline, quoted } from "../yaml/new-document.ts";

/** A document of a file: a menu by its key, or the first document of any other file. */
export interface Document {
  readonly file: string;
  readonly key?: string | undefined;
}

/** How a value replaces one that is there: field by field, or as a whole. */
export type Manner = "fields" | "whole";

/** The text of a file after one more edit of a document. */
export function textAfter(
  text: string,
  { file, key }: Document,
  editsOf: (root: MapNode) => readonly Edit[],
): string {
  const source = new Source(file, text);
  const roots =
    key === undefined
      ? rootsIn(source)
      : readMenus(source, new Diagnostics()).flatMap((menu) => (menu.key === key ? menu.root : []));
  const root = roots.find((one): one is MapNode => one.kind === "map");
  if (root === undefined) throw new EditProblem("ivrctl cannot read this file.", { file });
  return textsAfter(editsOf(root)).get(source) ?? text;
}

/**
 * The edits that give a mapping a value at a path. Comments, order and quotes stay. Without a value, the
 * field is removed. What the mapping gets with `<<` or an alias is overridden here, and never changed there.
 */
export function put(
  mapping: MapNode,
  [name = "", ...inner]: readonly string[],
  value: Value | undefined,
  manner: Manner = "fields",
): Edit[] {
  const own = ownEntry(mapping, name);
  if (own === undefined) return value === undefined ? [] : [added(mapping, name, inner, value)];
  if (inner.length > 0) {
    if (own.value.kind === "map" && aliasOf(own) === undefined) {
      return put(own.value, inner, value, manner);
    }
    throw new EditProblem("This is an alias, or not a mapping, so no field can be added.", own.key);
  }
  if (value === undefined) return [removal(own, mapping, [own])];
  const alias = aliasOf(own);
  if (alias !== undefined) return [{ at: alias, text: inline(value) }];
  ownSpan(own, mapping);
  return manner === "fields" ? valueEdits(own.value, value) : [replaced(own.value, value)];
}

/** The field of a mapping that is written in it. */
export function ownEntry(mapping: MapNode, name: string): MapEntry | undefined {
  return entriesOf(mapping).find(({ key, merged }) => !merged && canonicalKey(key.text) === name);
}

/** Writes a different value in the place of one, and as little as possible of it. */
export function valueEdits(node: Node, value: Value): Edit[] {
  if (typeof value === "string") {
    if (node.kind === "map") return optionEdits(node, { agent: value });
    if (node.kind === "scalar")
      return [isBlock(node) ? replaced(node, value) : retold(node, value)];
  }
  if (node.kind === "list" && isList(value)) return listEdits(node, node.items, value);
  if (!isMapping(value)) return [replaced(node, value)];
  const isDestination = Object.keys(value).some((name) => destinationFieldNames.has(name));
  if (node.kind === "map" && isDestination) return optionEdits(node, value);
  const isPlain = Object.keys(value).every((name) => destinationFieldNames.has(name));
  return node.kind === "scalar" && isPlain
    ? destinationEdits(node, value)
    : [replaced(node, value)];
}

/** Writes a different text. What a variable says in a text of several parts is still said by the variable. */
function retold(node: ScalarNode, text: string): Edit {
  const [template, ...variables] = node.via ?? [];
  if (template === undefined || writtenAt(node) !== undefined) return rewritten(node, text);
  const used = variables.filter(
    (one) =>
      one.text !== "" && template.text.includes(one.variable ?? "") && text.includes(one.text),
  );
  const values = new Map(used.map((one) => [one.text, `{{${one.variable}}}`]));
  const names = [...values.keys()].map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const parts = names.length === 0 ? [text] : text.split(new RegExp(`(${names.join("|")})`));
  const written = parts.map((part) => values.get(part) ?? part.replaceAll("{{", "{{{{"));
  return { at: template.at, text: quoted(written.join("")) };
}

/** Writes what an option is for, where it goes, and its message. */
function optionEdits(node: MapNode, value: Mapping): Edit[] {
  const names = new Set([...Object.keys(value), ...node.entries.map(({ key }) => key.text)]);
  const others = [...names].filter((name) => !destinationFieldNames.has(name));
  const to = Object.entries(value).filter(([name]) => destinationFieldNames.has(name));
  const edits = others.flatMap((name): Edit[] => {
    const [wanted, own] = [value[name], entry(node, name)];
    if (wanted === undefined) return own === undefined ? [] : [removal(own, node, [own])];
    if (own === undefined) return [added(node, name, [], wanted)];
    if (own.value.kind !== "scalar" || typeof wanted !== "string") {
      return [replaced(own.value, wanted)];
    }
    return own.value.text === wanted ? [] : [retold(own.value, wanted)];
  });
  return [...edits, ...destinationEdits(node, Object.fromEntries(to))];
}

/** Writes the items of a list. One that takes the place of another is written there. */
function listEdits(list: Node, items: readonly Node[], values: readonly unknown[]): Edit[] {
  const wanted = values.map(String);
  const textOf = (item: Node) => (item.kind === "scalar" ? item.text.replaceAll(" ", "") : "");
  const left = items.filter((item) => !wanted.includes(textOf(item)));
  const added = wanted.filter((text) => !items.some((item) => textOf(item) === text));
  const edits: Edit[] = [];
  for (const item of left) {
    const next = added.shift();
    if (next === undefined) edits.push(withoutItem(list, item));
    else edits.push(item.kind === "scalar" ? rewritten(item, next) : replaced(item, next));
  }
  return [...edits, ...added.map((text) => newItem(list, inline(text)))];
}

function withoutItem(list: Node, item: Node): Edit {
  const { source, start, end } = item;
  if (source.text[list.start] === "[") {
    const items = itemsOf(list);
    const index = items.indexOf(item);
    const [before, after] = [items[index - 1], items[index + 1]];
    return {
      at: source.span(after ? start : (before?.end ?? start), after?.start ?? end),
      text: "",
    };
  }
  const from = source.text.lastIndexOf("\n", start - 1);
  return { at: source.span(from, endOfLine(source.text, end)), text: "" };
}

export function newItem(list: Node, text: string): Edit {
  const last = itemsOf(list).at(-1);
  if (last === undefined) return { at: list, text: `[${text}]` };
  const { source, end } = last;
  if (source.text[list.start] === "[") return { at: source.span(end, end), text: `, ${text}` };
  const indent = " ".repeat(source.position(list.start).column - 1);
  const at = endOfLine(source.text, end);
  return { at: source.span(at, at), text: `${lineEnd(source.text)}${indent}- ${text}` };
}

/** A new field. What an option is for comes first, and keys come in the order of a phone. */
function added(mapping: MapNode, name: string, inner: readonly string[], value: Value): Edit {
  const nested = inner.reduceRight((text, key) => `{ ${written(key)}: ${text} }`, inline(value));
  const field = `${written(name)}: ${nested}`;
  const own = entriesOf(mapping).filter(({ merged }) => !merged);
  const [first] = own;
  if (first === undefined) throw new EditProblem("This mapping has no fields of its own.", mapping);
  const isKey = rankOf(name) !== -1 && rankOf(first.key.text) !== -1;
  const before = isKey
    ? own.findLast(({ key }) => rankOf(canonicalKey(key.text)) < rankOf(name))
    : name === "for"
      ? undefined
      : (own.findLast(({ key }) => key.text !== "tests") ?? own.at(-1));
  if (before !== undefined) return insertAfter(before, mapping, [field]);
  const { source, start } = first.key;
  return { at: source.span(start, start), text: field + betweenFields(mapping) };
}

/** The place of a key in the order in which people announce keys: the operator comes last. */
function rankOf(key: string): number {
  return "1234567890*#".indexOf(key.length === 1 ? key : "none");
}

function written(name: string): string {
  return /^\d+$/.test(name) ? name : inline(name);
}

/** A text over several lines, after `|` or `>`. */
function isBlock({ source, start }: Span): boolean {
  return /[|>]/.test(source.text[start] ?? "");
}

function replaced({ source, start, end }: Span, value: Value): Edit {
  const text = source.text.slice(start, end);
  // The last line break belongs to a block, but not to the text that replaces it.
  const [tail = ""] = isBlock(source.span(start, end)) ? (/\s*$/.exec(text) ?? []) : [];
  return { at: source.span(start, end - tail.length), text: inline(value) };
}

function isList(value: Value): value is readonly (string | number)[] {
  return Array.isArray(value);
}

function isMapping(value: Value): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
