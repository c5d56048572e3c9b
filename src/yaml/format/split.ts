import { type CST, Parser } from "yaml";
import { blockScalarLines, flowScalarLines } from "./scalar.ts";
import {
  type Break,
  type Comment,
  type Level,
  type Piece,
  type Role,
  type Token,
  columnOf,
  step,
  topLevel,
  withoutBlanksAtEnd,
} from "./pieces.ts";

/** Splits valid YAML with `\n` line endings into pieces; undefined if a token is not supported. */
export function split(text: string): Piece[] | undefined {
  const splitter = new Splitter(text);
  for (const token of new Parser().parse(text)) splitter.stream(token);
  return splitter.pieces();
}

/** The place of a node in the layout. */
interface Place {
  readonly level: Level;
  /** Its column if it begins a line; for a block collection, the column of its items. */
  readonly column: number;
  /** The column of the closing bracket of a flow collection, if it begins a line. */
  readonly base: number;
  readonly break: Break;
  readonly gap: boolean;
  readonly role: Role;
  /** Whether a block collection can start on the current line, as after a `-`. */
  readonly compact: boolean;
  /** Whether a flow collection of several lines starts on its own line. */
  readonly detached: boolean;
}

class Splitter {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #comments: Comment[] = [];
  #unsupported = false;

  constructor(text: string) {
    this.#text = text;
  }

  pieces(): Piece[] | undefined {
    if (this.#unsupported) return undefined;
    return [...this.#tokens, ...this.#comments].sort((a, b) => a.start - b.start);
  }

  stream(token: CST.Token): void {
    switch (token.type) {
      case "directive":
      case "doc-end":
        this.#add(token, { ...atTop, break: "always" });
        if ("end" in token) this.#trivia(token.end);
        break;
      case "document":
        this.#document(token);
        break;
      default:
        this.#other(token);
    }
  }

  #document({ start, value, end }: CST.Document): void {
    for (const token of start) {
      if (token.type === "doc-start") {
        this.#add(token, { ...atTop, break: "always", role: "opens" });
      } else this.#property(token, atTop);
    }
    if (value !== undefined) this.#node(value, atTop);
    this.#trivia(end);
  }

  #node(token: CST.Token, place: Place): void {
    switch (token.type) {
      case "alias":
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        this.#flowScalar(token, place);
        break;
      case "block-scalar":
        this.#blockScalar(token, place);
        break;
      case "block-map":
        this.#blockMap(token, place);
        break;
      case "block-seq":
        this.#blockSequence(token, place);
        break;
      case "flow-collection":
        this.#flowCollection(token, place);
        break;
      default:
        this.#other(token);
    }
  }

  #flowScalar(token: CST.FlowScalar, place: Place): void {
    // Between brackets, an empty value is a token too.
    if (token.source !== "") {
      const lines = flowScalarLines(token.source);
      // Text of several lines may start below its key. Text of one line moves next to its key.
      const kept = lines.length > 1 && place.break === "never" ? "kept" : place.break;
      this.#add(token, { ...place, break: kept }, lines);
    }
    this.#trivia(token.end);
  }

  #blockScalar({ props, indent, source }: CST.BlockScalar, place: Place): void {
    const header = props[0];
    if (header?.type !== "block-scalar-header") {
      this.#unsupported = true;
      return;
    }
    this.#add(header, place);
    let start = header.offset + header.source.length;
    for (const token of props.slice(1)) {
      this.#other(token);
      if ("source" in token) start = token.offset + token.source.length;
    }
    const { lines, length, indicator } = blockScalarLines(header.source, indent, source);
    if (lines.length === 0) return;
    const column = place.level.column + (indicator ?? step);
    const below: Place = { ...place, break: "always", column, role: "follows" };
    this.#push(below, lines, start, start + length);
  }

  #blockMap({ items }: CST.BlockMap, place: Place): void {
    const level = this.#level(items, place);
    let lead: Break = place.compact ? place.break : "always";
    const key: Place = { ...inBlock(level), column: level.column };
    for (const item of items) {
      const explicit = item.start.some(({ type }) => type === "explicit-key-ind");
      let next: Place = { ...key, break: lead, role: "item", gap: place.gap };
      for (const token of item.start) {
        if (token.type === "explicit-key-ind") {
          this.#add(token, next);
          next = afterIndicator(level);
        } else if (this.#property(token, next)) next = afterProperty(next);
      }
      if (item.key != null) this.#node(item.key, next);
      if (item.sep !== undefined) this.#blockValue(item.sep, item, level, explicit);
      if (item.key !== undefined || explicit) lead = "always";
    }
  }

  #blockValue(
    sep: readonly CST.SourceToken[],
    { key, value }: CST.CollectionItem,
    level: Level,
    explicit: boolean,
  ): void {
    let place = inBlock(level);
    for (const token of sep) {
      if (token.type === "map-value-ind") {
        this.#add(token, {
          ...place,
          break: explicit ? "always" : "never",
          column: explicit ? level.column : place.column,
          role: explicit ? "item" : "follows",
          // Without the space, `*name:` would be an alias called `name:`.
          gap: key?.type === "alias",
        });
        if (explicit) place = afterIndicator(level);
      } else if (this.#property(token, place)) place = afterProperty(place);
    }
    if (value !== undefined) this.#node(value, place);
  }

  #blockSequence({ items }: CST.BlockSequence, place: Place): void {
    const level = this.#level(items, place);
    let lead: Break = place.compact ? place.break : "always";
    for (const { start, value } of items) {
      let inner = afterIndicator(level);
      for (const token of start) {
        if (token.type === "seq-item-ind") {
          this.#add(token, { ...inner, column: level.column, break: lead, role: "item" });
          lead = "always";
        } else if (this.#property(token, inner)) inner = afterProperty(inner);
      }
      if (value !== undefined) this.#node(value, inner);
    }
  }

  #flowCollection(token: CST.FlowCollection, place: Place): void {
    const { start, items, end } = token;
    const [close, ...rest] = end;
    if (close === undefined) {
      this.#unsupported = true;
      return;
    }
    const filled = items.filter(isFilled);
    const comments = items.some(({ start, sep }) =>
      [...start, ...(sep ?? [])].some(({ type }) => type === "comment"),
    );
    // A collection on one line stays there. Any other gets one line per item.
    const tall =
      (filled.length > 0 || comments) &&
      this.#text.slice(token.offset, close.offset).includes("\n");
    const own: Place = tall && place.detached ? { ...place, break: "always" } : place;
    this.#add(start, { ...own, role: "opens" });
    const isMap = start.type === "flow-map-start";
    const column = place.base + step;
    const item: Place = {
      ...place,
      break: tall ? "always" : "never",
      column,
      base: column,
      gap: isMap,
      role: "item",
      compact: false,
      detached: false,
    };
    for (const each of items) {
      const first = filled.length === 0 || each === filled[0];
      this.#flowItem(each, first ? item : { ...item, gap: true });
      const last = this.#tokens.at(-1);
      if (isFilled(each) && each !== filled.at(-1) && last !== undefined) last.comma = true;
    }
    this.#add(close, {
      ...item,
      column: place.base,
      gap: isMap && filled.length > 0,
      role: "closes",
    });
    this.#trivia(rest);
  }

  #flowItem({ start, key, sep = [], value }: CST.CollectionItem, place: Place): void {
    const inner: Place = {
      ...place,
      break: "never",
      column: place.column + step,
      gap: true,
      role: "follows",
    };
    let next = place;
    for (const token of start) {
      if (token.type === "explicit-key-ind") {
        this.#add(token, next);
        next = inner;
      } else if (token.type !== "comma" && this.#property(token, next)) next = inner;
    }
    if (key != null) this.#node(key, next);
    for (const token of sep) {
      if (token.type === "map-value-ind") {
        this.#add(token, { ...inner, gap: key?.type === "alias" });
      } else this.#property(token, inner);
    }
    if (value !== undefined) this.#node(value, sep.length === 0 ? next : inner);
  }

  #level(items: readonly CST.CollectionItem[], { level, column }: Place): Level {
    for (const { start, key, sep } of items) {
      const first = [...start, key, ...(sep ?? [])].find(
        (token) => token && !trivia.has(token.type),
      );
      if (first) return { parent: level, sourceColumn: columnOf(this.#text, first.offset), column };
    }
    return { parent: level, sourceColumn: 0, column };
  }

  /** Adds the token if it is an anchor or a tag, and returns whether it is. */
  #property(token: CST.SourceToken, place: Place): boolean {
    if (token.type !== "anchor" && token.type !== "tag") {
      this.#other(token);
      return false;
    }
    this.#add(token, place);
    return true;
  }

  #trivia(tokens: readonly CST.SourceToken[] | undefined): void {
    for (const token of tokens ?? []) this.#other(token);
  }

  /** Keeps a comment, ignores trivia, and marks any other token as unsupported. */
  #other(token: CST.Token): void {
    if (token.type === "comment") {
      const { offset: start, source } = token;
      const lines = [withoutBlanksAtEnd(source)] as const;
      this.#comments.push({ kind: "comment", start, end: start + source.length, lines });
    } else if (!trivia.has(token.type)) this.#unsupported = true;
  }

  #add(
    { offset, source }: { readonly offset: number; readonly source: string },
    place: Place,
    lines: readonly string[] = [withoutBlanksAtEnd(source)],
  ): void {
    this.#push(place, lines, offset, offset + source.length);
  }

  #push(place: Place, lines: readonly string[], start: number, end: number): void {
    const { level, column, gap, role } = place;
    const position = { level, column, gap, role, break: place.break };
    this.#tokens.push({ kind: "token", start, end, lines, ...position, comma: false });
  }
}

const atTop: Place = {
  level: topLevel,
  column: 0,
  base: 0,
  break: "kept",
  gap: true,
  role: "item",
  compact: false,
  detached: false,
};

/** The place of the value of an item. */
function inBlock(level: Level): Place {
  return {
    level,
    column: level.column + step,
    base: level.column + step,
    break: "never",
    gap: true,
    role: "follows",
    compact: false,
    detached: true,
  };
}

/** The place after a `-`, or after the `?` or `:` of an explicit key. */
function afterIndicator(level: Level): Place {
  return { ...inBlock(level), compact: true, detached: false };
}

/** The place after an anchor or a tag. */
function afterProperty(place: Place): Place {
  return { ...place, break: "never", role: "follows", gap: true, compact: false };
}

function isFilled({ start, key, sep, value }: CST.CollectionItem): boolean {
  return (
    key != null ||
    value !== undefined ||
    (sep ?? []).some(({ type }) => type === "map-value-ind") ||
    start.some(({ type }) => type === "anchor" || type === "tag" || type === "explicit-key-ind")
  );
}

/** Tokens that are not part of the layout. */
const trivia: ReadonlySet<CST.Token["type"]> = new Set([
  "space",
  "newline",
  "comment",
  "byte-order-mark",
]);
