import type { FilePlace } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { type Mapping, inline, quoted } from "../yaml/new-document.ts";
import { destinationFieldNames } from "../schema/destination.ts";
import { digits } from "../schema/field-types.ts";
import { joined } from "../util/many.ts";
import { type MapEntry, type Node, type ScalarNode, entriesOf } from "../yaml/node.ts";
import { writtenAt } from "./occurrences.ts";

/** A new text for a part of a file. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}

/** Thrown for an edit that cannot be made safely. The message says why. */
export class EditProblem extends Error {
  readonly place: Span | FilePlace;

  constructor(message: string, place: Span | FilePlace) {
    super(message);
    this.place = place;
  }
}

/** The new texts of the files that edits change. The same edit may be there several times. */
export function textsAfter(edits: readonly Edit[]): Map<Source, string> {
  const texts = new Map<Source, string>();
  for (const { source } of new Set(edits.map(({ at }) => at))) {
    if (texts.has(source)) continue;
    const own = distinct(edits.filter(({ at }) => at.source.file === source.file));
    let text = source.text;
    for (const { at, text: replacement } of own.toReversed()) {
      text = text.slice(0, at.start) + replacement + text.slice(at.end);
    }
    texts.set(source, text);
  }
  return texts;
}

/** Edits of one file by place, each once. */
export function distinct(edits: readonly Edit[]): Edit[] {
  const sorted = edits.toSorted((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  return sorted.filter(({ at, text }, index) => {
    const before = sorted[index - 1];
    if (before === undefined) return true;
    if (before.at.start === at.start && before.at.end === at.end && before.text === text) {
      return false;
    }
    if (before.at.end <= at.start) return true;
    throw new EditProblem("This would have to change in two different ways.", at);
  });
}

/** Writes a different text in the place of a scalar, with the same quotes. */
export function rewritten(node: ScalarNode, text: string): Edit {
  const at = placeOf(node);
  return { at, text: inStyle(at, text) };
}

/** Writes a text in the place of another one, with the same quotes. */
export function inStyle({ source, start }: Span, text: string): string {
  const escaped = text.replaceAll("{{", "{{{{");
  const quote = source.text[start];
  if (quote === '"') return quoted(escaped);
  const isShown = quoted(escaped) === JSON.stringify(escaped);
  return quote === "'" && isShown ? `'${escaped.replaceAll("'", "''")}'` : inline(text);
}

/** Writes a different destination in the place of one. Other fields, such as `for:`, are kept. */
export function destinationEdits(node: Node, to: Mapping): Edit[] {
  if (node.kind === "scalar") {
    const { agent, ...others } = to;
    const isName = typeof agent === "string" && !digits.test(agent);
    if (isName && Object.keys(others).length === 0) return [rewritten(node, agent)];
    const at = placeOf(node);
    if (node.via?.some((origin) => origin.variable !== undefined && origin.at.start === at.start)) {
      const fields = Object.keys(to).map((name) => `\`${name}:\``);
      const message = `This variable can have only a name, but the new destination needs ${joined(fields, "and")}.`;
      throw new EditProblem(message, at);
    }
    return [{ at, text: inline(to) }];
  }
  const wanted = Object.entries(to);
  const all = entriesOf(node);
  const isKind = all.some(({ key }) => key.text === "kind");
  const old = all.filter(({ key: { text } }) => destinationFieldNames.has(text));
  const kept = new Map(old.map((one) => [one.key.text, one]));
  // With `kind`, the id is that of the destination.
  if (isKind !== Object.hasOwn(to, "kind")) kept.clear();
  const left = old.filter(
    ({ key }) => !kept.has(key.text) || !wanted.some(([name]) => name === key.text),
  );
  const edits: Edit[] = [];
  let last: MapEntry | undefined;
  const added: string[] = [];
  for (const [name, text] of wanted) {
    const same = kept.get(name);
    const other = same === undefined ? left.shift() : undefined;
    if (same?.value.kind === "scalar") {
      if (typeof text === "string" && same.value.text !== text)
        edits.push(rewritten(same.value, text));
      last ??= same;
    } else if (other === undefined) added.push(`${name}: ${inline(text)}`);
    else {
      edits.push({ at: ownSpan(other, node), text: `${name}: ${inline(text)}` });
      last ??= other;
    }
  }
  if (added.length > 0 && last !== undefined) edits.push(insertAfter(last, node, added));
  return [...edits, ...left.map((one) => removal(one, node, left))];
}

/** Writes new fields after a field of a mapping. A comment at the end of its line stays there. */
export function insertAfter(entry: MapEntry, mapping: Node, fields: readonly string[]): Edit {
  const { source, end } = ownSpan(entry, mapping);
  const separator = betweenFields(mapping);
  const at = separator === ", " ? end : endOfLine(source.text, end);
  return { at: source.span(at, at), text: fields.map((field) => separator + field).join("") };
}

/** What separates two fields of a mapping. */
export function betweenFields({ source, start }: Span): string {
  const indent = " ".repeat(source.position(start).column - 1);
  return source.text[start] === "{" ? ", " : lineEnd(source.text) + indent;
}

export function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Removes a field: in braces with its comma, otherwise with its line. */
export function removal(entry: MapEntry, mapping: Node, removed: readonly MapEntry[]): Edit {
  const { source, start, end } = ownSpan(entry, mapping);
  const own = entriesOf(mapping).filter(({ merged }) => !merged);
  const index = own.indexOf(entry);
  const lineStart = source.text.lastIndexOf("\n", start - 1) + 1;
  if (betweenFields(mapping) !== ", " && source.text.slice(lineStart, start).trim() === "") {
    const from = source.text.slice(0, lineStart).replace(/\r?\n$/, "").length;
    return { at: source.span(from, endOfLine(source.text, end)), text: "" };
  }
  const after = own[index + 1];
  const isFirst = own.slice(0, index).every((one) => removed.includes(one));
  const before = own[index - 1];
  return isFirst && after !== undefined
    ? { at: source.span(start, after.key.start), text: "" }
    : { at: source.span(before ? ownSpan(before, mapping).end : start, end), text: "" };
}

/** The end of the line, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const found = /\r?\n|$/.exec(text.slice(offset));
  return offset + (found?.index ?? 0);
}

/** The place of a field in its own mapping. */
export function ownSpan(field: MapEntry, mapping: Node): Span {
  const { key, value, merged } = field;
  const isHere = value.source === key.source && value.start >= key.end;
  const at = aliasOf(field) ?? (isHere ? value : undefined);
  if (!merged && key.source === mapping.source && at !== undefined)
    return key.source.span(key.start, at.end);
  throw new EditProblem("This uses `<<`, so fields cannot be added or removed here.", key);
}

/** The place of `*alias` after a key. */
export function aliasOf({ key: { source, end } }: MapEntry): Span | undefined {
  const [all, before = ""] = /^(["']?\s*:\s+)\*[^\s,[\]{}]+/.exec(source.text.slice(end)) ?? [];
  return all === undefined ? undefined : source.span(end + before.length, end + all.length);
}

function placeOf(node: ScalarNode): Span {
  const at = writtenAt(node);
  if (at !== undefined) return at;
  throw new EditProblem("This text is put together from variables.", node);
}
