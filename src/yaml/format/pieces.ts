/**
 * A part of a YAML text, a token or a comment, with its place in the canonical layout. Spaces
 * and line breaks are not pieces. The printer sees them in the text between two pieces.
 */
export type Piece = Token | Comment;

export interface Token {
  readonly kind: "token";
  readonly start: number;
  readonly end: number;
  /** Its own lines, without indentation. */
  readonly lines: readonly string[];
  /** The block collection around it. */
  readonly level: Level;
  readonly break: Break;
  /** Its column if it begins a line. */
  readonly column: number;
  /** Whether a space comes before it if it does not begin a line. */
  readonly gap: boolean;
  readonly role: Role;
  /** Whether a comma follows it. */
  comma: boolean;
}

/** Whether a line break comes before a token. `kept`: as in the source. */
export type Break = "always" | "never" | "kept";

/** No blank line comes after a token that `opens`, or before one that `closes` or `follows`. */
export type Role = "item" | "opens" | "closes" | "follows";

export interface Comment {
  readonly kind: "comment";
  readonly start: number;
  readonly end: number;
  readonly lines: readonly [string];
}

/** A block collection, or the stream around all of them. */
export interface Level {
  readonly parent: Level | undefined;
  /** The column of its items in the source and in the result. */
  readonly sourceColumn: number;
  readonly column: number;
}

/** The indentation of a level, in columns. */
export const step = 2;

export const topLevel: Level = { parent: undefined, sourceColumn: 0, column: 0 };

export function isWithin(level: Level, outer: Level): boolean {
  for (let at: Level | undefined = level; at !== undefined; at = at.parent) {
    if (at === outer) return true;
  }
  return false;
}

/** The number of UTF-16 units before an offset on its line. */
export function columnOf(text: string, offset: number): number {
  return offset === 0 ? 0 : offset - text.lastIndexOf("\n", offset - 1) - 1;
}

export function withoutBlanksAtEnd(text: string): string {
  return text.slice(0, endOf(text, " \t"));
}

/**
 * The length of a text without these characters at its end. A regular expression that ends in
 * `$` would take quadratic time.
 */
export function endOf(text: string, without: string): number {
  let end = text.length;
  while (end > 0 && without.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
