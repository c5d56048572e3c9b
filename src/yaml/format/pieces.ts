/**
 * A part of a YAML text: a token or a comment, with where it belongs in the canonical
 * layout. Blanks and line breaks are no pieces; what matters of those is visible in the
 * text between two pieces.
 */
export type Piece = Token | Comment;

export interface Token {
  readonly kind: "token";
  readonly start: number;
  readonly end: number;
  /** Its own lines, without indentation. */
  readonly lines: readonly string[];
  /** The block collection that it is in. */
  readonly level: Level;
  readonly break: Break;
  /** Where it is when it begins a line. */
  readonly column: number;
  /** Whether a space is before it when it does not begin a line. */
  readonly gap: boolean;
  readonly role: Role;
  /** Whether the canonical layout has a comma behind it. */
  comma: boolean;
}

/** `kept`: as it is written. */
export type Break = "always" | "never" | "kept";

/** No blank line follows what `opens`, or precedes what `closes` or `follows`. */
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
  /** Where its items are written, and where they go. */
  readonly sourceColumn: number;
  readonly column: number;
}

/** How many columns a level is indented. */
export const step = 2;

export const topLevel: Level = { parent: undefined, sourceColumn: 0, column: 0 };

export function isWithin(level: Level, outer: Level): boolean {
  for (let at: Level | undefined = level; at !== undefined; at = at.parent) {
    if (at === outer) return true;
  }
  return false;
}

/** How many UTF-16 units are before it on its line. */
export function columnOf(text: string, offset: number): number {
  return offset === 0 ? 0 : offset - text.lastIndexOf("\n", offset - 1) - 1;
}

export function withoutBlanksAtEnd(text: string): string {
  return text.slice(0, endOf(text, " \t"));
}

/**
 * Where a text ends if these characters are taken off its end. A regular expression
 * that ends in `$` would take quadratic time for long runs of them.
 */
export function endOf(text: string, without: string): number {
  let end = text.length;
  while (end > 0 && without.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
