import { type ParsedNode, isMap, isSeq, parseDocument } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { shorten } from "../util/nearest.ts";
import type { Entry, Node, ScalarNode } from "../yaml/node.ts";
import type { ExtractedText } from "./extracted-text.ts";

/** The maximum depth. No list or map of payloads is deeper. */
const maxDepth = 16;

/**
 * Reads JSON with the place of every value. `JSON.parse` loses information that an import needs:
 * the place of an error, duplicate fields, the digits of a long number. A string is a quoted
 * scalar, and every other scalar keeps its characters.
 */
export function readJson(json: ExtractedText, diagnostics: Diagnostics): Node | undefined {
  const { text } = json;
  const problem = firstProblem(json, diagnostics);
  if (problem !== undefined) {
    const start = Math.min(problem.at, Math.max(text.trimEnd().length - 1, 0));
    const place = json.span(start, Math.min(start + 1, text.length));
    diagnostics.add("IVR651", place, problem.message, problem.hint);
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

interface JsonProblem {
  readonly at: number;
  readonly message: string;
  readonly hint: string;
}

interface OpenBracket {
  readonly at: number;
  /** The names of the fields so far, and where each was first. */
  readonly names: Map<unknown, Span>;
  /** Where the name of the last field is. */
  name: { readonly start: number; readonly end: number } | undefined;
}

/** The first place where a text is not JSON or is nested too deeply. Also reports duplicate fields. */
function firstProblem(json: ExtractedText, diagnostics: Diagnostics): JsonProblem | undefined {
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
        return { at, message: "There is extra text after the JSON.", hint: "Remove it." };
      }
      reportRepeated(bracket, json, diagnostics);
      const opening = text[bracket.at];
      const close = closing(opening);
      if (next === undefined) {
        return {
          at: bracket.at,
          message: `This ${opening} is never closed.`,
          hint: `Add the closing ${close}.`,
        };
      }
      if (next === close) open.pop();
      else if (next !== ",") return unexpected(text, at, `a comma or ${close}`);
      else if (text[skip(blanks, text, at + 1)] === close) {
        return { at, message: `JSON does not allow a comma before ${close}.`, hint: "Remove it." };
      } else wanted = close === "}" ? "name" : "value";
      at += 1;
    } else if (wanted === "colon") {
      if (next !== ":") return unexpected(text, at, "a colon");
      wanted = "value";
      at += 1;
    } else if (wanted === "value" && open.length > maxDepth) {
      return {
        at,
        message: `This is nested more than ${maxDepth} levels deep.`,
        hint: "Import a payload, or a list or map of payloads.",
      };
    } else if (next === '"') {
      const end = skip(characters, text, at + 1);
      if (text[end] !== '"') return stringProblem(text, at, end);
      const bracket = open.at(-1);
      if (wanted === "name" && bracket !== undefined) bracket.name = { start: at, end: end + 1 };
      wanted = wanted === "name" ? "colon" : "comma";
      at = end + 1;
    } else if (wanted === "name") {
      return unexpected(text, at, "the name of a field in double quotes");
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

/** The end of the match of a sticky pattern; the start if it does not match. */
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
    "IVR651",
    span,
    `This field is already defined at ${line}:${column}.`,
    "Remove one of the two.",
  );
}

function stringProblem(text: string, start: number, end: number): JsonProblem {
  const last = text[end];
  if (last === undefined) {
    return {
      at: start,
      message: "This quote is never closed.",
      hint: "Add the closing quote.",
    };
  }
  return last === "\\"
    ? {
        at: end,
        message: "JSON does not know this escape.",
        hint: "Write the backslash twice if you mean a backslash.",
      }
    : {
        at: end,
        message: "JSON does not allow a control character in text.",
        hint: "Write \\n for a line break and \\t for a tab.",
      };
}

function unexpected(text: string, at: number, wanted: string): JsonProblem {
  switch (text[at]) {
    case undefined:
      return {
        at,
        message: `The JSON ends too early: ${wanted} is missing.`,
        hint: "Paste the whole text.",
      };
    case "'":
      return {
        at,
        message: "JSON does not allow single quotes.",
        hint: "Use double quotes.",
      };
    case "‘":
    case "’":
    case "“":
    case "”":
      return {
        at,
        message: `JSON needs ${wanted} here, not a curly quote.`,
        hint: "Replace all curly quotes with straight ones: ' around the body of a command, \" in JSON.",
      };
    case "\\":
      return {
        at,
        message: `JSON needs ${wanted} here, not a backslash.`,
        hint: "Remove the backslashes before quotes. Inside single quotes, a shell keeps them.",
      };
  }
  const word = /^[\p{L}_][\w.-]*/u.exec(text.slice(at, at + 40))?.[0];
  const message = `JSON needs ${wanted} here.`;
  if (word === undefined) return { at, message, hint: "Correct the JSON at this place." };
  const lower = /^(?:true|false|null)$/i.test(word)
    ? ` Write ${shorten(word.toLowerCase())} in lower case.`
    : "";
  return { at, message, hint: `Put text in double quotes.${lower}` };
}
