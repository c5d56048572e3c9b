import {
  type Comment,
  type Level,
  type Piece,
  type Token,
  columnOf,
  isWithin,
  step,
  topLevel,
} from "./pieces.ts";

/** Prints the pieces of a text in the canonical layout. */
export function print(text: string, pieces: readonly Piece[]): string {
  const printer = new Printer(text);
  let comments: Comment[] = [];
  for (const piece of pieces) {
    if (piece.kind === "comment") comments.push(piece);
    else {
      printer.put(comments, piece);
      comments = [];
    }
  }
  printer.put(comments, undefined);
  return printer.text();
}

class Printer {
  readonly #source: string;
  readonly #lines: string[] = [];
  /** The offset up to which the source is printed. */
  #end = 0;
  #before: Token | undefined;
  /** The columns of the last comment in the source and in the result; undefined after a token. */
  #comment: { readonly sourceColumn: number; readonly column: number } | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  text(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  /** Prints comments and the token after them, if there is one. */
  put(comments: readonly Comment[], token: Token | undefined): void {
    let edge = opensInto(this.#before, token);
    for (const comment of comments) {
      const breaks = this.#breaksBefore(comment);
      if (breaks === 0 && this.#lines.length > 0) this.#append(` ${comment.lines[0]}`);
      else {
        const column = this.#commentColumn(comment, breaks, token);
        this.#line(column, comment.lines[0], breaks > 1 && !edge);
        edge = false;
      }
      this.#comment = {
        sourceColumn: columnOf(this.#source, comment.start),
        column: (this.#lines.at(-1) ?? "").length - comment.lines[0].length,
      };
      this.#end = comment.end;
    }
    if (token !== undefined) this.#token(token, edge);
  }

  #token(token: Token, edge: boolean): void {
    const breaks = this.#breaksBefore(token);
    const [first = "", ...rest] = token.lines;
    const broken =
      this.#lines.length === 0 ||
      this.#comment !== undefined ||
      token.break === "always" ||
      (token.break === "kept" && breaks > 0);
    if (broken) {
      const tight = edge || token.role === "closes" || token.role === "follows";
      this.#line(token.column, first, breaks > 1 && !tight);
    } else this.#append(token.gap ? ` ${first}` : first);
    const hang = token.role === "item" ? token.column + step : token.column;
    for (const line of rest) this.#line(hang, line, false);
    if (token.comma) this.#append(",");
    this.#end = token.end;
    this.#before = token;
    this.#comment = undefined;
  }

  #commentColumn(comment: Comment, breaks: number, after: Token | undefined): number {
    const sourceColumn = columnOf(this.#source, comment.start);
    // A comment that continues below, in the same column, stays aligned.
    if (breaks === 1 && this.#comment?.sourceColumn === sourceColumn) return this.#comment.column;
    const before = this.#before?.level ?? topLevel;
    const floor = after?.level ?? topLevel;
    const level = isWithin(floor, before) ? floor : levelOf(sourceColumn, before, floor);
    if (level !== floor) return level.column;
    return after === undefined ? 0 : after.column + (after.role === "closes" ? step : 0);
  }

  #breaksBefore({ start }: Piece): number {
    return this.#source.slice(this.#end, start).split("\n").length - 1;
  }

  #line(column: number, text: string, blank: boolean): void {
    if (blank && this.#lines.length > 0) this.#lines.push("");
    this.#lines.push(text === "" ? "" : " ".repeat(column) + text);
  }

  #append(text: string): void {
    this.#lines.push((this.#lines.pop() ?? "") + text);
  }
}

/** Whether the second token is inside the first, so that no blank line separates them. */
function opensInto(before: Token | undefined, after: Token | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return (
    before.role === "opens" ||
    after.role === "follows" ||
    (after.level !== before.level && isWithin(after.level, before.level))
  );
}

/**
 * The level of a comment between two tokens: the innermost level whose items are not to the right
 * of the comment. If two levels have the same column, such as a list and the key above it, it is
 * the outer one.
 */
function levelOf(sourceColumn: number, inner: Level, floor: Level): Level {
  let found: Level | undefined;
  for (let at: Level | undefined = inner; at !== undefined; at = at.parent) {
    if (at.sourceColumn <= sourceColumn && at.sourceColumn >= (found?.sourceColumn ?? 0))
      found = at;
    if (at === floor) break;
  }
  return found ?? floor;
}
