/**
 * A YAML text taken apart: every token and every comment, in the order written,
 * each with where it belongs in the canonical layout. Blanks and line breaks are
 * not among them; what matters of those is seen in the text between two pieces.
 */
export type Piece = Token | Comment;

export interface Token {
  readonly kind: "token";
  readonly start: number;
  readonly end: number;
  /** Its own lines, without indentation. */
  readonly lines: readonly string[];
  /** The block collection that it stands in. */
  readonly level: Level;
  readonly break: Break;
  /** Where it stands when it begins a line. */
  readonly column: number;
  /** Where its further lines stand. */
  readonly hang: number;
  /** Where comments on lines of their own before it stand. */
  readonly commentColumn: number;
  /** Whether a space is before it when it does not begin a line. */
  readonly gap: boolean;
  readonly role: Role;
  /** Whether the canonical layout has a comma behind it. */
  comma: boolean;
}

/** `kept`: as it is written. */
export type Break = "always" | "never" | "kept";

/** `opens` and `closes`: no blank line inside them at the edge. `follows`: nor before it. */
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
 * Where a text ends without those of the characters that stand last. A regular
 * expression that ends in `$` would look at every run of them in the text anew
 * from each of its characters.
 */
export function endOf(text: string, without: string): number {
  let end = text.length;
  while (end > 0 && without.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
