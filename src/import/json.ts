import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { shorten } from "../util/nearest.ts";
import type { Entry, Node, ScalarNode } from "../yaml/node.ts";
import type { Decoded } from "./decoded.ts";

/** Deeper than any payload, a list or map of them included. */
const maxDepth = 16;

/**
 * JSON with the place of every value. `JSON.parse` would lose what an import
 * must tell or keep: where a fault is, a field given twice, the digits of a long
 * number. A string is a quoted scalar; anything else keeps its own characters.
 */
export function readJson(decoded: Decoded, diagnostics: Diagnostics): Node | undefined {
  try {
    return new Reader(decoded, diagnostics).document();
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const { at, message, hint } = error;
    const start = Math.min(at, Math.max(decoded.text.trimEnd().length - 1, 0));
    const length = decoded.text.length > start ? 1 : 0;
    diagnostics.add("IVR652", decoded.span(start, start + length), message, hint);
    return undefined;
  }
}

class SyntaxFault extends Error {
  readonly at: number;
  readonly hint: string | undefined;

  constructor(at: number, message: string, hint?: string) {
    super(message);
    this.at = at;
    this.hint = hint;
  }
}

class Reader {
  readonly #decoded: Decoded;
  readonly #text: string;
  readonly #diagnostics: Diagnostics;
  #at = 0;

  constructor(decoded: Decoded, diagnostics: Diagnostics) {
    this.#decoded = decoded;
    this.#text = decoded.text;
    this.#diagnostics = diagnostics;
  }

  document(): Node {
    const root = this.#value(0);
    this.#blanks();
    if (this.#at < this.#text.length) {
      throw new SyntaxFault(this.#at, "The JSON has ended before this.", "Remove what is left.");
    }
    return root;
  }

  #value(depth: number): Node {
    this.#blanks();
    if (depth > maxDepth) {
      throw new SyntaxFault(this.#at, `This is nested more than ${maxDepth} levels deep.`);
    }
    switch (this.#text[this.#at]) {
      case "{":
        return this.#map(depth);
      case "[":
        return this.#list(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #map(depth: number): Node {
    const start = this.#at;
    const entries = new Map<string, Entry>();
    this.#items("}", () => {
      if (this.#text[this.#at] !== '"') throw this.#unexpected("a field's name in double quotes");
      const key = this.#string();
      this.#blanks();
      if (this.#text[this.#at] !== ":") throw this.#unexpected("a colon");
      this.#at += 1;
      const value = this.#value(depth + 1);
      const earlier = entries.get(key.text);
      if (earlier === undefined) entries.set(key.text, { key, value, merged: false });
      else {
        const { line, column } = key.source.position(earlier.key.start);
        this.#diagnostics.add(
          "IVR652",
          key,
          `This field is given twice; the first one is at ${line}:${column}.`,
          "Remove the one that was not meant.",
        );
      }
    });
    return {
      kind: "map",
      ...this.#decoded.span(start, this.#at),
      entries: [...entries.values()],
    };
  }

  #list(depth: number): Node {
    const start = this.#at;
    const items: Node[] = [];
    this.#items("]", () => items.push(this.#value(depth + 1)));
    return { kind: "list", ...this.#decoded.span(start, this.#at), items };
  }

  /** Between brackets: items and the commas between them. */
  #items(close: string, item: () => void): void {
    const opening = this.#at;
    this.#at += 1;
    this.#blanks();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#blanks();
      item();
      this.#blanks();
      const next = this.#text[this.#at];
      if (next === undefined) {
        throw new SyntaxFault(opening, `This ${this.#text[opening]} is never closed.`);
      }
      if (next !== "," && next !== close) throw this.#unexpected(`a comma or ${close}`);
      const comma = this.#at;
      this.#at += 1;
      if (next === close) return;
      this.#blanks();
      if (this.#text[this.#at] === close) {
        throw new SyntaxFault(comma, `JSON has no comma before ${close}.`, "Remove it.");
      }
    }
  }

  #string(): ScalarNode {
    const start = this.#at;
    for (let at = start + 1; ; at += 1) {
      const character = this.#text[at];
      if (character === undefined) throw new SyntaxFault(start, "This quote is never closed.");
      if (character < " ") {
        const hint = "Inside a text a line break is written \\n and a tab \\t.";
        throw new SyntaxFault(at, "A control character inside a text.", hint);
      }
      if (character === "\\") {
        const escape = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(this.#text.slice(at + 1, at + 6));
        if (escape === null) {
          const hint = "A backslash that is meant is written twice.";
          throw new SyntaxFault(at, "JSON has no such escape.", hint);
        }
        at += escape[0].length;
      } else if (character === '"') {
        this.#at = at + 1;
        const text = String(JSON.parse(this.#text.slice(start, this.#at)));
        return { kind: "scalar", ...this.#decoded.span(start, this.#at), text, plain: false };
      }
    }
  }

  /** A number, true, false or null. */
  #word(): ScalarNode {
    const start = this.#at;
    const word =
      /^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.+-])/.exec(
        this.#text.slice(start, start + maxWord),
      )?.[0];
    if (word === undefined) throw this.#unexpected("a value");
    this.#at += word.length;
    return {
      kind: "scalar",
      ...this.#decoded.span(start, this.#at),
      text: word,
      plain: true,
    };
  }

  #blanks(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #unexpected(wanted: string): SyntaxFault {
    const found = this.#text[this.#at];
    if (found === undefined)
      return new SyntaxFault(this.#at, `The JSON ends where ${wanted} should be.`);
    if (found === "'") {
      return new SyntaxFault(this.#at, `JSON has double quotes, and here is a single one.`);
    }
    if (found === "\\") {
      return new SyntaxFault(
        this.#at,
        `Here should be ${wanted}, and here is a backslash.`,
        "Inside single quotes a backslash stays: write the quotes of the JSON without it.",
      );
    }
    return new SyntaxFault(this.#at, `Here should be ${wanted}.`, this.#almost());
  }

  #almost(): string | undefined {
    const word = /^[\p{L}_][\w.-]*/u.exec(this.#text.slice(this.#at, this.#at + 40))?.[0];
    if (word === undefined) return undefined;
    return `A text stands in double quotes${/^(?:true|false|null|none)$/i.test(word) ? `; ${shorten(word.toLowerCase())} is written small` : ""}.`;
  }
}

/** No number of a payload is longer. */
const maxWord = 400;
