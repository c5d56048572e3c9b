import { Lexer } from "yaml";
import type { Source, Span } from "../../diagnostics/source.ts";

/** One rule that a comment silences, by its name. */
export interface Silence {
  readonly name: string;
  /** Where the name stands. */
  readonly at: Span;
  /** The line whose findings it silences. */
  readonly line: number;
}

/** What the comments of a file silence, and those that do not say what. */
export interface Silences {
  readonly named: readonly Silence[];
  readonly nameless: readonly Span[];
}

const marker = "ivrctl-ignore";
const nothing: Silences = { named: [], nameless: [] };

/**
 * `# ivrctl-ignore: RULE[, RULE] reason` silences the line it stands on or,
 * alone on its line, the one below; several such lines silence the same one.
 */
export function silencesIn(source: Source): Silences {
  if (!source.text.includes(marker)) return nothing;
  const named: Silence[] = [];
  const nameless: Span[] = [];
  const comments = commentsIn(source.text)
    .filter(({ text }) => isSilence.test(text))
    .map((comment) => ({ ...comment, ...placeOf(source, comment.start) }));
  const alone = new Set(comments.filter((comment) => comment.alone).map(({ line }) => line));
  // The last of a stack is met first, and knows the line below.
  const targets = new Map<number, number>();
  for (const { line } of comments.toReversed()) {
    targets.set(
      line,
      alone.has(line) ? (targets.get(alone.has(line + 1) ? line + 1 : -1) ?? line + 1) : line,
    );
  }
  for (const { text, start, line } of comments) {
    const names = namesIn(text);
    if (names.length === 0) nameless.push(source.span(start, start + text.length));
    for (const { name, at } of names) {
      const from = start + at;
      const target = targets.get(line) ?? line;
      named.push({ name, at: source.span(from, from + name.length), line: target });
    }
  }
  return { named, nameless };
}

const isSilence = new RegExp(String.raw`^#+[ \t]*${marker}(?![\w-])`);
const head = new RegExp(String.raw`^#+[ \t]*${marker}[ \t]*:[ \t]*`);

/** The names up to the first that no comma follows; then comes the reason. */
function namesIn(comment: string): { name: string; at: number }[] {
  const names: { name: string; at: number }[] = [];
  let at = head.exec(comment)?.[0].length;
  while (at !== undefined) {
    const name = /^[^\s,]+/.exec(comment.slice(at))?.[0];
    if (name === undefined) break;
    names.push({ name, at });
    const comma = /^[ \t]*,[ \t]*/.exec(comment.slice(at + name.length))?.[0];
    at = comma === undefined ? undefined : at + name.length + comma.length;
  }
  return names;
}

function placeOf(source: Source, start: number) {
  const { line, column } = source.position(start);
  const before = source.text.slice(start - column + 1, start);
  return { line, alone: before.trim() === "" };
}

interface Comment {
  readonly text: string;
  readonly start: number;
}

const scalarFollows = "\u001F";
/** What the lexer adds to the characters of the text. */
const signs = new Set(["\u0002", "\u0018", scalarFollows]);

/** The comments as YAML sees them: a `#` inside a text is none. */
function commentsIn(text: string): Comment[] {
  const comments: Comment[] = [];
  let start = 0;
  let last = "";
  for (const token of new Lexer().lex(text)) {
    if (!signs.has(token)) {
      if (token.startsWith("#") && last !== scalarFollows) {
        comments.push({ text: token.trimEnd(), start });
      }
      start += token.length;
    }
    last = token;
  }
  return comments;
}
