import {
  type Alias,
  type Document,
  type Pair,
  type ParsedNode,
  type Range,
  isAlias,
  isMap,
  isScalar,
  isSeq,
} from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";
import { shorten } from "../util/nearest.ts";
import { type MapEntry, type Node, type ScalarNode, isUnusable } from "./node.ts";

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** Thrown for a text that is too deep or too large to be read, which has been reported. */
export class Excess extends Error {}

export function reportDepth({ source, start }: Span, diagnostics: Diagnostics): void {
  const message = `This is nested more than ${limits.depth} levels deep.`;
  const hint = "Check for a bracket that is not closed.";
  diagnostics.add("IVR101", source.span(start, start + 1), message, hint);
}

/** Builds our tree from that of the library: resolves aliases and merges, reports duplicate keys. */
export class Builder {
  broken = false;
  readonly #source: Source;
  readonly #document: Document.Parsed;
  readonly #diagnostics: Diagnostics;
  /** The nodes with an anchor. Each alias builds its node again. */
  readonly #anchors = new Map<string, ParsedNode>();
  /** How many nodes may be built. A text without aliases has fewer nodes than characters. */
  #left: number;

  constructor(source: Source, document: Document.Parsed, diagnostics: Diagnostics) {
    this.#source = source;
    this.#document = document;
    this.#diagnostics = diagnostics;
    this.#left = Math.max(10_000, source.text.length);
  }

  root(): Node | undefined {
    const { contents } = this.#document;
    if (contents === null) return undefined;
    if (isScalar(contents) && contents.type === "PLAIN" && /^(?:~|null)?$/i.test(contents.source)) {
      return undefined;
    }
    const node = this.#node(contents, 0);
    if (isUnusable(node)) this.broken = true;
    return this.broken ? undefined : node;
  }

  #node(node: ParsedNode, depth: number): Node {
    if (isAlias(node)) return this.#alias(node, depth);
    const span = this.#source.span(node.range[0], this.#endOf(node.range));
    if (depth > limits.depth) {
      reportDepth(span, this.#diagnostics);
      throw new Excess();
    }
    this.#left -= 1;
    const built = this.#build(node, span, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
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
    // Write each field: an object that is made with a spread takes twice as much memory in V8.
    const { source, start, end } = span;
    if (isMap(node)) {
      return { kind: "map", source, start, end, entries: this.#entries(node.items, depth) };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item, depth + 1));
      return { kind: "list", source, start, end, items };
    }
    const text = node.source ?? "";
    const plain = node.type === "PLAIN";
    if (plain) reportCurlyQuotes(span, text, this.#diagnostics);
    return { kind: "scalar", source, start, end, text, plain };
  }

  #entries(pairs: readonly ParsedPair[], depth: number): MapEntry[] {
    const entries = new Map<string, MapEntry>();
    for (const pair of pairs) {
      const key = this.#key(pair, depth);
      const value =
        pair.value === null
          ? this.#nothing(key?.end ?? pair.key.range[1])
          : this.#node(pair.value, depth + 1);
      if (key === undefined) continue;
      if (key.plain && key.text === "<<") {
        for (const { key: k, value: v } of this.#merged(value)) {
          if (!entries.has(k.text)) entries.set(k.text, { key: k, value: v, merged: true });
        }
        continue;
      }
      const earlier = entries.get(key.text);
      if (earlier !== undefined && !earlier.merged) {
        const { line, column } = earlier.key.source.position(earlier.key.start);
        this.#diagnostics.addSecond(
          "IVR107",
          key,
          earlier.key,
          `\`${shorten(key.text)}\` is already defined at ${line}:${column}.`,
          "Remove one of the two.",
        );
        continue;
      }
      entries.set(key.text, { key, value, merged: false });
    }
    return [...entries.values()];
  }

  /** The key of a pair. Undefined, and reported, if it cannot be one. */
  #key(pair: ParsedPair, depth: number): ScalarNode | undefined {
    const key = this.#node(pair.key, depth + 1);
    if (isUnusable(key)) return undefined;
    if (key.kind !== "scalar") {
      this.#report(key, `A ${key.kind === "map" ? "mapping" : "list"} cannot be a key.`, keyHelp);
    } else if (key.plain && key.text === "") {
      this.#report(key, "There is no key before this `:`.", keyHelp);
    } else if (key.text === "__proto__") {
      this.#report(key, "`__proto__` cannot be a key.", "Use a different name.");
    } else return key;
    return undefined;
  }

  #merged(value: Node): readonly MapEntry[] {
    if (value.kind === "map") return value.entries;
    const items = value.kind === "list" ? value.items : [value];
    if (items.some(isUnusable)) {
      // Fields that seem to be missing may come from the alias.
      this.broken = true;
      return [];
    }
    const merged = items.flatMap((item) => (item.kind === "map" ? [item.entries] : []));
    if (merged.length === items.length) return merged.flat();
    this.#report(
      value,
      "`<<` can merge only a mapping or a list of mappings.",
      "Use the alias of a mapping, for example `<<: *common`.",
    );
    return [];
  }

  #alias({ range: [start, end], source: name }: Alias.Parsed, depth: number): Node {
    const span = this.#source.span(start, end);
    if (this.#left <= 0) {
      const message = "The aliases make this document too large.";
      const hint = "Write the values out, or use fewer aliases.";
      this.#diagnostics.add("IVR130", span, message, hint);
      throw new Excess();
    }
    const target = this.#anchors.get(name);
    if (target !== undefined) return this.#node(target, depth);
    this.#report(
      span,
      `There is no anchor \`&${name}\` before this alias.`,
      "Add the anchor above it, in the same document. If you mean text that starts with *, put it in quotes.",
    );
    return { kind: "scalar", ...span, text: `*${name}`, plain: false, unusable: "alias" };
  }

  #report(at: Span, message: string, hint: string): void {
    this.#diagnostics.addStructure("IVR101", at, message, hint);
  }

  /** An empty value. */
  #nothing(at: number): ScalarNode {
    return { kind: "scalar", ...this.#source.span(at, at), text: "", plain: true };
  }
}

const keyHelp = "Write a word or a number as the key.";

/** Warns about text in the quotes of a word processor, which YAML reads as a part of the text. */
function reportCurlyQuotes(span: Span, text: string, diagnostics: Diagnostics): void {
  const inner = inQuotes
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (inner === undefined) return;
  diagnostics.add(
    "IVR131",
    span,
    "These are curly quotes. YAML reads them as a part of the text.",
    `Use straight quotes: \`"${shorten(inner)}"\`. To keep the curly quotes, write straight quotes around them.`,
    "warning",
  );
}

const inQuotes =
  /^[\u201C-\u201F\uFF02]([^\u201C-\u201F\uFF02]+)[\u201C-\u201F\uFF02]$|^[\u2018-\u201B\uFF07]([^\u2018-\u201B\uFF07]+)[\u2018-\u201B\uFF07]$/;
