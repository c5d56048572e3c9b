import fc, { type GeneratorValue } from "fast-check";

/** Writes random YAML in random styles, with comments wherever YAML allows them. */
export class RandomYaml {
  readonly #g: GeneratorValue;
  #comments = 0;
  #anchors = 0;
  /** The last column for comments. After a block text, a comment further right would be part of it. */
  #commentsUpTo = Infinity;

  constructor(g: GeneratorValue) {
    this.#g = g;
  }

  file(): string {
    const documents = Array.from({ length: this.#pick(1, 1, 1, 2, 3) }, (_, index) => {
      const start = index > 0 || this.#chance(0.2) ? `---${this.#trail()}` : "";
      const body = this.#block(0, 3).replace(/^\n/, "");
      return `${start}${body}`;
    });
    const text = documents.join("") + this.#noise(0);
    return this.#chance(0.2) ? text.trimEnd() : text;
  }

  /** The lines of a block collection in this column. It starts on its own line. */
  #block(column: number, depth: number): string {
    return this.#chance(0.7) ? this.#map(column, depth) : this.#list(column, depth);
  }

  #map(column: number, depth: number): string {
    const keys = this.#some(["10", "2", '"1"', "01", "'*'", "for", "agent", "a b"], 1);
    return keys
      .map((key) => {
        const lead = this.#noise(column) + " ".repeat(column);
        return `${lead}${this.#anchor(0.05)}${key}${this.#gap(0)}:${this.#value(column, depth, true)}`;
      })
      .join("");
  }

  #list(column: number, depth: number): string {
    return Array.from({ length: this.#pick(1, 2, 3) }, () => {
      const lead = `${this.#noise(column)}${" ".repeat(column)}-`;
      if (depth === 0 || this.#chance(0.6)) return lead + this.#value(column, depth, false);
      const gap = this.#gap(1);
      this.#commentsUpTo = Infinity;
      const inner = column + 1 + gap.length;
      // The first item is on the line of the dash, so no comment may come before it.
      const first = `${gap}k${this.#pick("", " ")}:${this.#value(inner, depth - 1, true)}`;
      return lead + first + (this.#chance(0.5) ? this.#map(inner, depth - 1) : "");
    }).join("");
  }

  /** The value after a `:` or `-` in this column, up to the end of its last line. */
  #value(column: number, depth: number, inMap: boolean): string {
    this.#commentsUpTo = Infinity;
    const kind = this.#pick("scalar", "scalar", "flow", "nothing", "text", "lines", "block");
    const mark = () => this.#gap(1) + this.#anchor(0.1);
    switch (kind) {
      case "nothing":
        return this.#trail();
      case "text": {
        const inner = " ".repeat(column + this.#pick(1, 2, 5));
        const lines = this.#pick(["one"], ["one", "", "  two # no"], ["", "one", "two"]);
        const body = lines.map((line) => `${line === "" ? "" : inner + line}\n`).join("");
        const head = `${mark()}${this.#pick("|", ">", "|-", ">-")}${this.#trail()}`;
        this.#commentsUpTo = column;
        return head + body;
      }
      case "lines": {
        const inner = `\n${" ".repeat(column + this.#pick(1, 3, 4))}`;
        const start = this.#pick(mark(), `${this.#trail()}${inner.slice(1)}`);
        const [open, close] = this.#pick(["", ""], ['"', '"'], ["'", "'"]);
        return `${start}${open}one${this.#gap(0)}${inner}two\n${inner}three${close}${this.#trail()}`;
      }
      case "block": {
        if (depth === 0) return `${mark()}x${this.#trail()}`;
        const head = this.#pick("", ` ${this.#anchor(1).trimEnd()}`) + this.#trail();
        const nested = column + this.#pick(1, 2, 4);
        return (
          head +
          (inMap && this.#chance(0.3)
            ? this.#list(column, depth - 1)
            : this.#block(nested, depth - 1))
        );
      }
      case "flow":
        return mark() + this.#flow(column + 1, 2) + this.#trail();
      default: {
        const below = this.#chance(0.15);
        const lead = below ? this.#trail() + " ".repeat(column + 2) : mark();
        return lead + this.#scalar() + this.#trail();
      }
    }
  }

  #flow(column: number, depth: number): string {
    const isMap = this.#chance(0.5);
    const items = Array.from({ length: this.#pick(0, 1, 2, 3) }, (_, index) => {
      const value = depth > 0 && this.#chance(0.3) ? this.#flow(column, depth - 1) : this.#scalar();
      const key = isMap
        ? `${this.#pick(`k${index}`, `"q${index}"`, `0${index}`)}:${this.#wrap(column, 1)}`
        : "";
      return this.#wrap(column) + key + value + this.#wrap(column);
    });
    const last = items.length > 0 && this.#chance(0.2) ? `,${this.#wrap(column)}` : "";
    const inside = items.length === 0 ? this.#wrap(column) : items.join(",") + last;
    return isMap ? `{${inside}}` : `[${inside}]`;
  }

  /** White space between brackets, sometimes with a line break and comments. */
  #wrap(column: number, least = 0): string {
    if (!this.#chance(0.1)) return this.#gap(least);
    return this.#trail() + this.#noise(column, 1) + " ".repeat(column + this.#pick(0, 1, 4));
  }

  #scalar(): string {
    const plain = ["050123456789012345678", "1e3", "Asha Rao", "~", "no", "a#b", "http://x/y"];
    const quoted = ['"1004"', '"# no \\u0041"', "'it''s'", '""', '"a, b: c"'];
    return this.#pick("00042", ...plain, ...quoted);
  }

  /** The end of a line, sometimes with a comment. */
  #trail(): string {
    return `${this.#chance(0.2) ? `${this.#gap(1)}${this.#comment()}` : this.#gap(0)}\n`;
  }

  /** Blank lines and comments between two lines. */
  #noise(column: number, least = 0): string {
    return Array.from({ length: this.#pick(0, 0, 0, 0, 1, 2, 3) }, () => {
      if (this.#chance(0.5))
        return `${" ".repeat(Math.min(this.#pick(0, 2), this.#commentsUpTo))}\n`;
      const at = Math.min(this.#pick(least, column, column, column + 1, 9), this.#commentsUpTo);
      return `${" ".repeat(at)}${this.#comment()}${this.#gap(0)}\n`;
    }).join("");
  }

  /** A comment with a unique number. Nothing else looks like it. */
  #comment(): string {
    this.#comments += 1;
    return `#${this.#pick("", " ")}c${this.#comments}`;
  }

  #anchor(probability: number): string {
    if (!this.#chance(probability)) return "";
    this.#anchors += 1;
    return `&a${this.#anchors} `;
  }

  #gap(least: number): string {
    return " ".repeat(least + this.#pick(0, 0, 1, 3));
  }

  #pick<T>(first: T, ...others: readonly T[]): T {
    const index = this.#g(fc.nat, others.length);
    return [first, ...others][index] ?? first;
  }

  #some(values: readonly string[], least: number): readonly string[] {
    return this.#g(fc.shuffledSubarray<string>, [...values], { minLength: least, maxLength: 4 });
  }

  #chance(probability: number): boolean {
    return this.#g(fc.nat, 99) < probability * 100;
  }
}
