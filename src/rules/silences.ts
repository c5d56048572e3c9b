import { Lexer } from "yaml";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";

/** One rule that a comment silences, by its name. */
export interface Silence {
  readonly name: string;
  /** Where the name stands. */
  readonly at: Span;
  /** The line whose findings it silences. */
  readonly line: number;
}

/** What the comments of a file silence, those that do not say what, and those that say too much. */
export interface Silences {
  readonly named: readonly Silence[];
  readonly nameless: readonly Span[];
  readonly excessive: readonly Span[];
}

const marker = "ivrctl-ignore";
const nothing: Silences = { named: [], nameless: [], excessive: [] };

/**
 * `# ivrctl-ignore: RULE[, RULE] reason` silences the line it stands on or,
 * alone on its line, the one below; several such lines silence the same one.
 */
export function silencesIn(source: Source): Silences {
  if (!source.text.includes(marker)) return nothing;
  const named: Silence[] = [];
  const nameless: Span[] = [];
  const excessive: Span[] = [];
  const comments = commentsIn(source).filter(({ text }) => isSilence.test(text));
  const lineOf = silencedLines(comments);
  for (const comment of comments) {
    const { text, start } = comment;
    const names = namesIn(text);
    if (names.length === 0) nameless.push(source.span(start, start + text.length));
    if (names.length > limits.ignoredRules) {
      excessive.push(source.span(start, start + text.length));
      continue;
    }
    for (const { name, at } of names) {
      const span = source.span(start + at, start + at + name.length);
      named.push({ name, at: span, line: lineOf(comment) });
    }
  }
  return { named, nameless, excessive };
}

/** For each comment the line that it silences. */
function silencedLines(comments: readonly Comment[]): (comment: Comment) => number {
  const alone = new Set(comments.filter((comment) => comment.alone).map(({ line }) => line));
  const lines = new Map<number, number>();
  // From the last to the first: of a stack only the last knows the line below it.
  for (const line of [...alone].toReversed()) {
    lines.set(line, alone.has(line + 1) ? (lines.get(line + 1) ?? line + 1) : line + 1);
  }
  return ({ line }) => lines.get(line) ?? line;
}

const isSilence = new RegExp(String.raw`^#+[ \t]*${marker}(?![\w-])`);
const head = new RegExp(String.raw`^#+[ \t]*${marker}[ \t]*:[ \t]*`);

/** The names up to the first that no comma follows; then comes the reason. At most one beyond the limit. */
function namesIn(comment: string): { name: string; at: number }[] {
  const names: { name: string; at: number }[] = [];
  const listed = /(?<name>[^\s,]+)(?<comma>[ \t]*,[ \t]*)?/y;
  listed.lastIndex = head.exec(comment)?.[0].length ?? comment.length;
  while (names.length <= limits.ignoredRules) {
    const at = listed.lastIndex;
    const { name, comma } = listed.exec(comment)?.groups ?? {};
    if (name === undefined) break;
    names.push({ name, at });
    if (comma === undefined) break;
  }
  return names;
}

interface Comment {
  readonly text: string;
  readonly start: number;
  readonly line: number;
  /** Nothing else stands on its line. */
  readonly alone: boolean;
}

const scalarFollows = "\u001F";
/** What the lexer adds to the characters of the text. */
const signs = new Set(["\u0002", "\u0018", scalarFollows]);

/** The comments as YAML sees them: a `#` inside a text is none. */
function commentsIn(source: Source): Comment[] {
  const comments: Comment[] = [];
  let start = 0;
  let last = "";
  for (const token of new Lexer().lex(source.text)) {
    if (!signs.has(token)) {
      if (token.startsWith("#") && last !== scalarFollows) {
        const { line, column } = source.position(start);
        const before = source.text.slice(start - column + 1, start);
        comments.push({ text: token.trimEnd(), start, line, alone: before.trim() === "" });
      }
      start += token.length;
    }
    last = token;
  }
  return comments;
}
