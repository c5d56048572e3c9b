import { type ParsedNode, isMap, isSeq, parseDocument } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { shorten } from "../util/nearest.ts";
import type { Entry, Node, ScalarNode } from "../yaml/node.ts";
import type { ExtractedText } from "./extracted-text.ts";

/** Deeper than any payload, a list or map of them included. */
const maxDepth = 16;

/**
 * JSON with the place of every value. `JSON.parse` would lose what an import must
 * report or keep: where a fault is, a field given twice, the digits of a long
 * number. A string is a quoted scalar; anything else keeps its own characters.
 */
export function readJson(json: ExtractedText, diagnostics: Diagnostics): Node | undefined {
  const { text } = json;
  const fault = firstFault(json, diagnostics);
  if (fault !== undefined) {
    const start = Math.min(fault.at, Math.max(text.trimEnd().length - 1, 0));
    const place = json.span(start, Math.min(start + 1, text.length));
    diagnostics.add("IVR652", place, fault.message, fault.hint);
    return undefined;
  }
  // JSON is YAML, except for a few characters. They are replaced here and read from `json` below.
  const { contents } = parseDocument(text.replace(/[\t\r\n\u007F\uFFFE\uFFFF]/g, " "), {
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
  });
  return contents === null ? undefined : nodeOf(contents, json);
}

function nodeOf(parsed: ParsedNode, json: ExtractedText): Node {
  const span = json.span(parsed.range[0], parsed.range[1]);
  if (isSeq(parsed)) {
    const items = parsed.items.map((item) => nodeOf(item, json));
    return { kind: "list", ...span, items };
  }
  if (!isMap(parsed)) return scalarOf(parsed, json);
  const entries = new Map<string, Entry>();
  for (const pair of parsed.items) {
    const key = scalarOf(pair.key, json);
    if (pair.value === null || entries.has(key.text)) continue;
    entries.set(key.text, { key, value: nodeOf(pair.value, json), merged: false });
  }
  return { kind: "map", ...span, entries: [...entries.values()] };
}

function scalarOf({ range: [start, end] }: ParsedNode, json: ExtractedText): ScalarNode {
  const written = json.text.slice(start, end);
  const plain = !written.startsWith('"');
  const text = plain ? written : String(JSON.parse(written));
  return { kind: "scalar", ...json.span(start, end), text, plain };
}

interface JsonFault {
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

interface OpenBracket {
  readonly at: number;
  /** The names of the fields so far, and where each was first. */
  readonly names: Map<unknown, Span>;
  /** Where the name of the last field is. */
  name: { readonly start: number; readonly end: number } | undefined;
}

/** Where a text stops being JSON, or is nested too deeply. Repeated fields are reported on the way. */
function firstFault(json: ExtractedText, diagnostics: Diagnostics): JsonFault | undefined {
  const { text } = json;
  const open: OpenBracket[] = [];
  let wanted: "name" | "colon" | "value" | "comma" = "value";
  let at = 0;
  for (;;) {
    at = skip(blanks, text, at);
    const next = text[at];
    if (wanted === "comma") {
      const bracket = open.at(-1);
      if (bracket === undefined) {
        if (next === undefined) return undefined;
        return { at, message: "The JSON has ended before this.", hint: "Remove what is left." };
      }
      reportRepeated(bracket, json, diagnostics);
      const opening = text[bracket.at];
      const close = closing(opening);
      if (next === undefined) {
        return { at: bracket.at, message: `This ${opening} is never closed.` };
      }
      if (next === close) open.pop();
      else if (next !== ",") return unexpected(text, at, `a comma or ${close}`);
      else if (text[skip(blanks, text, at + 1)] === close) {
        return { at, message: `JSON has no comma before ${close}.`, hint: "Remove it." };
      } else wanted = close === "}" ? "name" : "value";
      at += 1;
    } else if (wanted === "colon") {
      if (next !== ":") return unexpected(text, at, "a colon");
      wanted = "value";
      at += 1;
    } else if (wanted === "value" && open.length > maxDepth) {
      return { at, message: `This is nested more than ${maxDepth} levels deep.` };
    } else if (next === '"') {
      const end = skip(characters, text, at + 1);
      if (text[end] !== '"') return stringFault(text, at, end);
      const bracket = open.at(-1);
      if (wanted === "name" && bracket !== undefined) bracket.name = { start: at, end: end + 1 };
      wanted = wanted === "name" ? "colon" : "comma";
      at = end + 1;
    } else if (wanted === "name") {
      return unexpected(text, at, "a field's name in double quotes");
    } else if (next === "{" || next === "[") {
      open.push({ at, names: new Map(), name: undefined });
      const isEmpty = text[skip(blanks, text, at + 1)] === closing(next);
      wanted = isEmpty ? "comma" : next === "{" ? "name" : "value";
      at += 1;
    } else {
      const end = skip(numberOrWord, text, at);
      if (end === at) return unexpected(text, at, "a value");
      wanted = "comma";
      at = end;
    }
  }
}

const blanks = /[ \t\r\n]*/y;
const characters =
  /[^"\\\u0000-\u001F]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001F]*)*/y;
const numberOrWord =
  /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

/** Where a sticky pattern's match ends; where it begins if there is none. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function closing(bracket: string | undefined): "}" | "]" {
  return bracket === "{" ? "}" : "]";
}

function reportRepeated(
  { name, names }: OpenBracket,
  json: ExtractedText,
  diagnostics: Diagnostics,
): void {
  if (name === undefined) return;
  const key: unknown = JSON.parse(json.text.slice(name.start, name.end));
  const span = json.span(name.start, name.end);
  const first = names.get(key);
  if (first === undefined) {
    names.set(key, span);
    return;
  }
  const { line, column } = span.source.position(first.start);
  diagnostics.add(
    "IVR652",
    span,
    `This field is given twice; the first one is at ${line}:${column}.`,
    "Remove the one that was not meant.",
  );
}

function stringFault(text: string, start: number, end: number): JsonFault {
  const last = text[end];
  if (last === undefined) return { at: start, message: "This quote is never closed." };
  return last === "\\"
    ? {
        at: end,
        message: "JSON has no such escape.",
        hint: "A backslash that is meant is written twice.",
      }
    : {
        at: end,
        message: "A control character inside a text.",
        hint: "Inside a text a line break is written \\n and a tab \\t.",
      };
}

function unexpected(text: string, at: number, wanted: string): JsonFault {
  switch (text[at]) {
    case undefined:
      return { at, message: `The JSON ends where ${wanted} should be.` };
    case "'":
      return { at, message: "JSON has double quotes, and here is a single one." };
    case "\\":
      return {
        at,
        message: `Here should be ${wanted}, and here is a backslash.`,
        hint: "Inside single quotes a backslash stays: write the quotes of the JSON without it.",
      };
  }
  const word = /^[\p{L}_][\w.-]*/u.exec(text.slice(at, at + 40))?.[0];
  if (word === undefined) return { at, message: `Here should be ${wanted}.` };
  const small = /^(?:true|false|null|none)$/i.test(word)
    ? `; ${shorten(word.toLowerCase())} is written small`
    : "";
  return {
    at,
    message: `Here should be ${wanted}.`,
    hint: `A text stands in double quotes${small}.`,
  };
}
