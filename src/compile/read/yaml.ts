import {
  type Alias,
  type Document as YamlDocument,
  type Pair,
  type ParsedNode,
  type Range,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  visit,
} from "yaml";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Source, Span } from "../../diagnostics/source.ts";
import { shorten } from "../nearest.ts";
import type { Entry, Node, ScalarNode } from "./node.ts";
import { explainSyntax, firstDeeperThan } from "./syntax.ts";

/** One YAML document. Without a root it is empty, or so broken that it says nothing. */
export interface YamlText {
  readonly root: Node | undefined;
  readonly broken: boolean;
  /** Where it ends in the file, its last comments included. */
  readonly end: number;
}

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** Deeper than any menu; beyond it a file is a mistake or an attack. */
const maxDepth = 64;
/** How far aliases may multiply what is written before it is called a bomb. */
const maxGrowth = 10;
const smallEnough = 10_000;
const maxSyntaxErrors = 10;
const worthLooking = 500;
/** A mistake may hide the next one of its kind from the parser. */
const maxRepairs = 12;

/** The failsafe schema leaves every scalar as its own characters. */
const options = {
  schema: "failsafe",
  prettyErrors: false,
  uniqueKeys: false,
  logLevel: "silent",
} as const;

export function readYaml(source: Source, diagnostics: Diagnostics): YamlText[] {
  const unreadable = firstUnreadable(source);
  if (unreadable !== undefined) {
    diagnostics.add("IVR103", unreadable, controlMessage(source.text, unreadable.start));
    return [{ root: undefined, broken: true, end: source.text.length }];
  }
  if (mayBeDeep(source.text)) {
    const start = firstDeeperThan(maxDepth, source.text);
    if (start !== undefined) {
      reportDepth(source.span(start, start + 1), diagnostics);
      return [{ root: undefined, broken: true, end: source.text.length }];
    }
  }
  let documents = parse(source.text);
  let text = source.text;
  for (let round = 0; round < maxRepairs; round += 1) {
    const repaired = repair(source, text, documents, diagnostics);
    if (repaired === text) break;
    text = repaired;
    documents = parse(text);
  }
  const repaired = text !== source.text;
  return documents.map((document) => {
    const end = document.range[2];
    const broken = reportSyntax(source, document, diagnostics);
    if (broken) return { root: undefined, broken, end };
    const builder = new Builder(source, document, repaired, diagnostics);
    return { root: builder.root(), broken: builder.broken, end };
  });
}

function parse(text: string): YamlDocument.Parsed[] {
  const documents = parseAllDocuments(text, options);
  return Array.isArray(documents) ? documents : [];
}

// Two mistakes are so natural that reading goes on after explaining them: the
// characters at fault are replaced, one for one so that every position holds,
// by stand-ins that YAML takes for text, and put back in what was read.
const standIns = { "*": "\uE02A", "{": "\uE07B", "}": "\uE07D" } as const;
const originals = new Map<string, string>(Object.entries(standIns).map(([k, v]) => [v, k]));
const anyStandIn = /[\uE02A\uE07B\uE07D]/g;

function repair(
  source: Source,
  text: string,
  documents: readonly YamlDocument.Parsed[],
  found: Diagnostics,
): string {
  const repairs = new Map<number, string>();
  for (const error of documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])) {
    const [offset] = error.pos;
    if (error.code === "BAD_ALIAS") {
      const star = text[offset] === "*" ? offset : offset - 1;
      if (/^\*[ \t]*:(?=\s|$)/.test(text.slice(star, star + 40)) && !repairs.has(star)) {
        repairs.set(star, standIns["*"]);
        found.add(
          "IVR108",
          source.span(star, star + 1),
          "An unquoted `*` starts an alias in YAML, not a key.",
          'Write "*" in quotes, or `star`.',
        );
      }
    } else if (text[offset] === "{" && text[offset - 1] === "$") {
      const variable = /^\{[A-Za-z_][A-Za-z0-9_]*\}/.exec(text.slice(offset, offset + 200))?.[0];
      if (variable === undefined || repairs.has(offset)) continue;
      repairs.set(offset, standIns["{"]);
      repairs.set(offset + variable.length - 1, standIns["}"]);
      found.add(
        "IVR118",
        source.span(offset - 1, offset + variable.length),
        `Inside { } or [ ] the braces of $${variable} end the value.`,
        `Quote it: "$${variable}".`,
      );
    }
  }
  if (repairs.size === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const [offset, standIn] of [...repairs].sort(([a], [b]) => a - b)) {
    parts.push(text.slice(from, offset), standIn);
    from = offset + 1;
  }
  return parts.join("") + text.slice(from);
}

function reportSyntax(
  source: Source,
  document: YamlDocument.Parsed,
  diagnostics: Diagnostics,
): boolean {
  if (document.errors.length === 0) return false;
  const lines = new Set<number>();
  for (const error of document.errors) {
    const { line } = source.position(Math.min(error.pos[0], source.text.length));
    // What follows on the same line is nearly always the echo of the first.
    if (lines.has(line)) continue;
    lines.add(line);
    if (lines.size > maxSyntaxErrors) break;
    const { span, code, message, hint } = explainSyntax(source, document, error);
    diagnostics.add(code, span, message, hint);
  }
  return true;
}

/** Enough brackets, indentation or dashes that composing the tree could exhaust the stack. */
function mayBeDeep(text: string): boolean {
  let open = 0;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      open += 1;
      if (open > worthLooking) return true;
    }
  }
  return /^ {200}/m.test(text) || /(?:[-?] ){100}/.test(text);
}

function reportDepth({ source, start }: Span, diagnostics: Diagnostics): void {
  diagnostics.add(
    "IVR113",
    source.span(start, start + 1),
    `This is nested more than ${maxDepth} levels deep.`,
    "No menu needs that; is a bracket left open?",
  );
}

/** From the library's tree to ours: aliases and merges resolved, keys unique. */
class Builder {
  broken = false;
  readonly #source: Source;
  readonly #document: YamlDocument.Parsed;
  readonly #repaired: boolean;
  readonly #diagnostics: Diagnostics;
  readonly #anchors = new Map<string, { node: Node; size: number } | "open">();
  #written = 0;
  /** Nodes counted as if every alias were written out. */
  #size = 0;

  constructor(
    source: Source,
    document: YamlDocument.Parsed,
    repaired: boolean,
    diagnostics: Diagnostics,
  ) {
    this.#source = source;
    this.#document = document;
    this.#repaired = repaired;
    this.#diagnostics = diagnostics;
  }

  root(): Node | undefined {
    const { contents } = this.#document;
    if (contents === null) return undefined;
    if (isScalar(contents) && contents.type === "PLAIN" && /^(?:~|null)?$/i.test(contents.source)) {
      return undefined;
    }
    const node = this.#node(contents, 0);
    if (this.#size > this.#allowance()) {
      this.#fault(
        "IVR112",
        this.#firstAlias() ?? this.#source.top(),
        `Aliases blow this document up to ${this.#size} values, from ${this.#written} written.`,
        "Write out what is needed, or repeat less.",
      );
    }
    return this.broken ? undefined : node;
  }

  /** How large the document may be with its aliases written out. */
  #allowance(): number {
    return Math.max(smallEnough, this.#written * maxGrowth);
  }

  #node(node: ParsedNode, depth: number): Node {
    this.#written += 1;
    if (isAlias(node)) return this.#alias(node);
    const [start] = node.range;
    const span = this.#source.span(start, this.#endOf(node.range));
    if (depth > maxDepth) {
      if (!this.broken) reportDepth(span, this.#diagnostics);
      this.broken = true;
      return this.#nothing(span);
    }
    if (node.tag !== undefined) this.#tag(node.tag, start);
    const before = this.#size;
    this.#size += 1;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, "open");
    const built = this.#build(node, span, depth);
    if (node.anchor !== undefined) {
      this.#anchors.set(node.anchor, { node: built, size: this.#size - before });
    }
    return built;
  }

  /** Where the text of a node ends: a block reaches to the start of the next line. */
  #endOf([start, end]: Range): number {
    const { text } = this.#source;
    let last = end;
    while (last > start && /\s/.test(text[last - 1] ?? "")) last -= 1;
    return last;
  }

  #build(node: Exclude<ParsedNode, Alias.Parsed>, span: Span, depth: number): Node {
    if (isMap(node)) return { kind: "map", ...span, entries: this.#entries(node.items, depth) };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item, depth + 1));
      return { kind: "list", ...span, items };
    }
    const text = typeof node.value === "string" ? node.value : (node.source ?? "");
    const plain = node.type === "PLAIN" && node.tag !== "tag:yaml.org,2002:str";
    return { kind: "scalar", ...span, text: this.#restore(text), plain };
  }

  #entries(pairs: readonly ParsedPair[], depth: number): Entry[] {
    const entries = new Map<string, Entry>();
    for (const pair of pairs) {
      const key = this.#key(pair, depth);
      const value =
        pair.value === null
          ? this.#nothing(key ?? this.#source.span(pair.key.range[1], pair.key.range[1]))
          : this.#node(pair.value, depth + 1);
      if (key === undefined) continue;
      if (key.plain && key.text === "<<") {
        if (this.#size > this.#allowance()) continue;
        for (const { key: k, value: v } of this.#merged(value)) {
          if (!entries.has(k.text)) entries.set(k.text, { key: k, value: v, merged: true });
        }
        continue;
      }
      const earlier = entries.get(key.text);
      if (earlier !== undefined && !earlier.merged) {
        const { line, column } = earlier.key.source.position(earlier.key.start);
        this.#diagnostics.add(
          "IVR107",
          key,
          `\`${shorten(key.text)}\` is given twice; the first one is at ${line}:${column}.`,
          "Remove one of the two.",
        );
        continue;
      }
      entries.set(key.text, { key, value, merged: false });
    }
    return [...entries.values()];
  }

  #key(pair: ParsedPair, depth: number): ScalarNode | undefined {
    const key = this.#node(pair.key, depth + 1);
    if (this.broken) return undefined;
    if (key.kind !== "scalar" || (key.plain && key.text === "")) {
      this.#diagnostics.add(
        "IVR114",
        key,
        key.kind === "scalar" ? "A `:` without a key before it." : `A ${key.kind} cannot be a key.`,
        "A key is a word or a number.",
      );
      return undefined;
    }
    if (key.text === "__proto__") {
      this.#diagnostics.add("IVR117", key, "`__proto__` is not allowed as a key.");
      return undefined;
    }
    return key;
  }

  #merged(value: Node): readonly Entry[] {
    if (value.kind === "map") return value.entries;
    if (value.kind === "list" && value.items.every((item) => item.kind === "map")) {
      return value.items.flatMap((item) => (item.kind === "map" ? item.entries : []));
    }
    this.#diagnostics.add(
      "IVR115",
      value,
      "`<<` merges a mapping or a list of mappings, and this is neither.",
      "Give it an alias such as `*common`.",
    );
    return [];
  }

  #alias(node: Alias.Parsed): Node {
    const [start, end] = node.range;
    const span = this.#source.span(start, end);
    const name = this.#restore(node.source);
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      this.#fault(
        "IVR110",
        span,
        `No anchor \`&${name}\` stands before this alias.`,
        "A text that starts with * must be quoted.",
      );
      return this.#nothing(span);
    }
    if (target === "open") {
      this.#fault("IVR111", span, `\`*${name}\` stands inside \`&${name}\`: it never ends.`);
      return this.#nothing(span);
    }
    this.#size += target.size;
    return target.node;
  }

  #tag(tag: string, before: number): void {
    if (/^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/.test(tag)) return;
    const line = this.#source.text.lastIndexOf("\n", before - 1) + 1;
    const written = this.#source.text.lastIndexOf("!", before);
    const start = Math.max(line, written);
    const shown = /^\S*/.exec(this.#source.text.slice(start, before))?.[0] ?? "";
    this.#diagnostics.add(
      "IVR116",
      this.#source.span(start, start + shown.length),
      `The tag \`${shown}\` means nothing here.`,
      "Remove it; everything is text, and ids keep their digits anyway.",
    );
  }

  #fault(code: "IVR110" | "IVR111" | "IVR112", span: Span, message: string, hint?: string): void {
    this.broken = true;
    this.#diagnostics.add(code, span, message, hint);
  }

  #firstAlias(): Span | undefined {
    let span: Span | undefined;
    visit(this.#document, {
      Alias: (_, { range }) => {
        if (!range) return undefined;
        span = this.#source.span(range[0], range[1]);
        return visit.BREAK;
      },
    });
    return span;
  }

  /** An absent value, standing where its key ends. */
  #nothing(after: Span): ScalarNode {
    return { kind: "scalar", ...this.#source.span(after.end, after.end), text: "", plain: true };
  }

  #restore(text: string): string {
    return this.#repaired ? text.replace(anyStandIn, (c) => originals.get(c) ?? c) : text;
  }
}

// eslint-disable-next-line no-control-regex -- these are the characters looked for
const unreadableCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/;

function firstUnreadable(source: Source): Span | undefined {
  const start = source.text.search(unreadableCharacter);
  return start === -1 ? undefined : source.span(start, start + 1);
}

function controlMessage(text: string, offset: number): string {
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  return code === "0000"
    ? "A NUL byte (U+0000): this is not a text file, or it is damaged."
    : `The control character U+${code} cannot stand in YAML.`;
}
