import { Lexer } from "yaml";
import { isCode } from "../diagnostics/codes.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { Memo } from "../util/memo.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { ruleNamed, rules } from "./built-in/index.ts";

/** A rule name in a comment `# ivrctl-ignore: RULE reason`. */
interface IgnoredRule {
  readonly name: string;
  /** The place of the name. */
  readonly at: Span;
  /** The line whose findings are ignored. */
  readonly line: number;
}

interface IgnoreComments {
  readonly ignored: readonly IgnoredRule[];
  /** Comments that name no rule. */
  readonly nameless: readonly Span[];
  /** Comments that name more rules than allowed. */
  readonly excessive: readonly Span[];
}

interface KnownRules {
  /** The names of all rules. */
  readonly known: ReadonlySet<string>;
  /** Whether `known` has all rules: false if a plugin failed to load. */
  readonly complete: boolean;
}

/** Whether a comment ignores what this rule found here. */
export function isIgnored({ source, start }: Span, rule: string): boolean {
  const { lines } = commentsOf(source);
  return lines.has(lineAndName(source.position(start).line, rule));
}

/** Reports invalid comments. */
export function checkIgnoreComments(
  source: Source,
  { known, complete }: KnownRules,
  diagnostics: Diagnostics,
): void {
  const { ignored, nameless, excessive } = commentsOf(source);
  for (const at of nameless) {
    diagnostics.add(
      "IVR740",
      at,
      "This comment does not say which rule to ignore.",
      "Name the rule in the comment: # ivrctl-ignore: RULE reason",
    );
  }
  for (const at of excessive) {
    diagnostics.add(
      "IVR130",
      at,
      `This comment names more than ${shownLimit("ignoredRules")} rules, so it has no effect.`,
      "Name only the rules that matter here, or set them for the whole project under `rules:`.",
    );
  }
  for (const { name, at } of ignored) {
    if (!known.has(name)) {
      if (complete || !name.includes("/")) reportUnknown(name, at, known, diagnostics);
    } else if (ruleNamed.get(name)?.mandatory === true) {
      diagnostics.add(
        "IVR740",
        at,
        `\`${name}\` cannot be ignored: without an extension id, ivrctl has nothing to send.`,
        "Remove the comment.",
      );
    }
  }
}

const files = new Memo<Source, ReturnType<typeof indexed>>();

function commentsOf(source: Source): ReturnType<typeof indexed> {
  return files.of(source, [], () => indexed(readIgnoreComments(source)));
}

function indexed(comments: IgnoreComments) {
  const lines = new Set(comments.ignored.map(({ line, name }) => lineAndName(line, name)));
  return { ...comments, lines };
}

function lineAndName(line: number, rule: string): string {
  return `${line} ${rule}`;
}

function reportUnknown(
  name: string,
  at: Span,
  known: Iterable<string>,
  diagnostics: Diagnostics,
): void {
  const rule = rules.find(({ code }) => code === name);
  if (rule === undefined && isCode(name)) {
    diagnostics.add(
      "IVR740",
      at,
      `${name} cannot be ignored, because it does not come from a rule.`,
      "Remove the comment, and fix the problem.",
    );
    return;
  }
  diagnostics.add(
    "IVR740",
    at,
    `There is no rule \`${shorten(name)}\`.`,
    didYouMean(rule === undefined ? nearest(name, known) : [rule.name]) ??
      "Write the name of a rule from docs/rules.md: # ivrctl-ignore: RULE reason",
  );
}

const marker = "ivrctl-ignore";

/**
 * The comments `# ivrctl-ignore: RULE[, RULE] reason` of a file. A comment applies to its own line
 * or, if nothing else is on its line, to the line below. Several in a row apply to the same line.
 */
export function readIgnoreComments(source: Source): IgnoreComments {
  const ignored: IgnoredRule[] = [];
  const nameless: Span[] = [];
  const excessive: Span[] = [];
  const comments = source.text.includes(marker)
    ? commentsIn(source).filter(({ text }) => isIgnoreComment.test(text))
    : [];
  const lineOf = affectedLines(comments);
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
      ignored.push({ name, at: span, line: lineOf(comment) });
    }
  }
  return { ignored, nameless, excessive };
}

/** Returns the line that a comment applies to. */
function affectedLines(comments: readonly Comment[]): (comment: Comment) => number {
  const alone = new Set(comments.filter((comment) => comment.alone).map(({ line }) => line));
  const lines = new Map<number, number>();
  // From the last line to the first: only the last comment of several in a row has the affected
  // line right below it.
  for (const line of [...alone].toReversed()) {
    lines.set(line, alone.has(line + 1) ? (lines.get(line + 1) ?? line + 1) : line + 1);
  }
  return ({ line }) => lines.get(line) ?? line;
}

const isIgnoreComment = new RegExp(String.raw`^#+[ \t]*${marker}(?![\w-])`);
const head = new RegExp(String.raw`^#+[ \t]*${marker}[ \t]*:[ \t]*`);

/**
 * The names in a comment. The first name without a comma behind it is the last one; the reason
 * follows. Stops one name beyond the limit.
 */
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
  /** Whether nothing else is on its line. */
  readonly alone: boolean;
}

const scalarFollows = "\u001F";
/** Tokens that the lexer adds and that are not part of the text. */
const addedTokens = new Set(["\u0002", "\u0018", scalarFollows]);

/** The comments according to YAML: a `#` inside a text does not start one. */
function commentsIn(source: Source): Comment[] {
  const comments: Comment[] = [];
  let start = 0;
  let last = "";
  for (const token of new Lexer().lex(source.text)) {
    if (!addedTokens.has(token)) {
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
