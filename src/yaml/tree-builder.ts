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
  visit,
} from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";
import { shorten } from "../util/nearest.ts";
import { type Entry, type Node, type ScalarNode, isUnusable } from "./node.ts";
import { reportUnresolvedAlias } from "./aliases.ts";
import { reportCurlyQuotes } from "./curly-quotes.ts";
import { restored } from "./repair.ts";

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** How many times larger aliases may make a document before it is refused. */
const maxGrowth = 10;
const smallEnough = 10_000;

/** Builds our tree from that of the library: resolves aliases and merges, reports duplicate keys. */
export class Builder {
  broken = false;
  readonly #source: Source;
  readonly #document: Document.Parsed;
  readonly #repaired: boolean;
  readonly #diagnostics: Diagnostics;
  readonly #keepUnresolvedAliases: boolean;
  readonly #anchors = new Map<string, { node: Node; size: number } | "open">();
  #written = 0;
  /** Nodes counted as if every alias were written out. */
  #size = 0;

  constructor(
    source: Source,
    document: Document.Parsed,
    repaired: boolean,
    diagnostics: Diagnostics,
    keepUnresolvedAliases: boolean,
  ) {
    this.#source = source;
    this.#document = document;
    this.#repaired = repaired;
    this.#diagnostics = diagnostics;
    this.#keepUnresolvedAliases = keepUnresolvedAliases;
  }

  root(): Node | undefined {
    const { contents } = this.#document;
    if (contents === null) return undefined;
    if (isScalar(contents) && contents.type === "PLAIN" && /^(?:~|null)?$/i.test(contents.source)) {
      return undefined;
    }
    const node = this.#node(contents, 0);
    if (isUnusable(node)) this.broken = true;
    if (this.#size > this.#allowance()) {
      this.broken = true;
      this.#diagnostics.addAs(
        "size",
        "IVR101",
        this.#firstAlias() ?? this.#source.top(),
        `Aliases expand this document from ${this.#written} to ${this.#size} values.`,
        "Write the values out, or use fewer aliases.",
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
    if (depth > limits.depth) {
      if (!this.broken) reportDepth(span, this.#diagnostics);
      this.broken = true;
      return this.#nothing(span);
    }
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
    // Write each field: an object that is made with a spread takes twice as much memory in V8.
    const { source, start, end } = span;
    if (isMap(node)) {
      return { kind: "map", source, start, end, entries: this.#entries(node.items, depth) };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item, depth + 1));
      return { kind: "list", source, start, end, items };
    }
    const written = typeof node.value === "string" ? node.value : (node.source ?? "");
    const text = this.#restore(written);
    const plain = node.type === "PLAIN";
    if (plain) reportCurlyQuotes(span, text, this.#diagnostics);
    return { kind: "scalar", source, start, end, text, plain };
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

  #key(pair: ParsedPair, depth: number): ScalarNode | undefined {
    const key = this.#node(pair.key, depth + 1);
    if (this.broken || isUnusable(key)) return undefined;
    if (key.kind !== "scalar" || (key.plain && key.text === "")) {
      this.#diagnostics.addAs(
        "structure",
        "IVR101",
        key,
        key.kind === "scalar"
          ? "There is no key before this `:`."
          : `A ${key.kind === "map" ? "mapping" : "list"} cannot be a key.`,
        "Write a word or a number as the key.",
      );
      return undefined;
    }
    if (key.text === "__proto__") {
      this.#diagnostics.addAs(
        "structure",
        "IVR101",
        key,
        "`__proto__` cannot be a key.",
        "Use another name.",
      );
      return undefined;
    }
    return key;
  }

  #merged(value: Node): readonly Entry[] {
    if (value.kind === "map") return value.entries;
    if (isUnusable(value) || (value.kind === "list" && value.items.some(isUnusable))) {
      // Fields that seem to be missing may come from the alias.
      this.broken = true;
      return [];
    }
    if (value.kind === "list" && value.items.every((item) => item.kind === "map")) {
      return value.items.flatMap((item) => (item.kind === "map" ? item.entries : []));
    }
    this.#diagnostics.addAs(
      "structure",
      "IVR101",
      value,
      "`<<` can merge only a mapping or a list of mappings.",
      "Use the alias of a mapping, for example `<<: *common`.",
    );
    return [];
  }

  #alias(node: Alias.Parsed): Node {
    const [start, end] = node.range;
    const span = this.#source.span(start, end);
    const name = this.#restore(node.source);
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      this.broken ||= !this.#keepUnresolvedAliases;
      reportUnresolvedAlias(span, name, this.#diagnostics);
      return { kind: "scalar", ...span, text: `*${name}`, plain: false, unusable: "alias" };
    }
    if (target === "open") {
      this.broken = true;
      this.#diagnostics.addAs(
        "structure",
        "IVR101",
        span,
        `The alias \`*${name}\` is inside its own anchor \`&${name}\`.`,
        "Write the value out instead.",
      );
      return this.#nothing(span);
    }
    this.#size += target.size;
    return target.node;
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

  /** An empty value at the end of its key. */
  #nothing(after: Span): ScalarNode {
    return { kind: "scalar", ...this.#source.span(after.end, after.end), text: "", plain: true };
  }

  #restore(text: string): string {
    return this.#repaired ? restored(text) : text;
  }
}

/** Reports a text that is nested too deeply. */
export function reportDepth({ source, start }: Span, diagnostics: Diagnostics): void {
  diagnostics.addAs(
    "size",
    "IVR101",
    source.span(start, start + 1),
    `This is nested more than ${limits.depth} levels deep.`,
    "Check for a bracket that is not closed.",
  );
}
