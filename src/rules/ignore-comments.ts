import { isCode } from "../diagnostics/codes.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import type { Rule } from "./rule.ts";

/** A comment `# ivrctl-ignore: RULE[, RULE] reason`. */
interface IgnoreComment {
  readonly at: Span;
  /** The names of the rules, with their places. Empty if it names none. */
  readonly names: readonly { readonly name: string; readonly at: Span }[];
  /** The line whose findings are ignored. */
  readonly line: number;
}

interface KnownRules {
  readonly rules: readonly Rule[];
  /** Whether these are all rules: false if a plugin failed to load. */
  readonly complete: boolean;
}

/** Whether a comment ignores what this rule found here. */
export function isIgnored({ source, start }: Span, rule: string): boolean {
  const { line } = source.position(start);
  return commentsOf(source).some(
    (comment) => comment.line === line && comment.names.some(({ name }) => name === rule),
  );
}

/** Reports invalid comments. */
export function checkIgnoreComments(
  source: Source,
  { rules, complete }: KnownRules,
  diagnostics: Diagnostics,
): void {
  for (const { at, names } of commentsOf(source)) {
    if (names.length === 0) {
      diagnostics.add(
        "IVR740",
        at,
        "This comment does not say which rule to ignore.",
        "Name the rule in the comment: # ivrctl-ignore: RULE reason",
      );
    }
    for (const { name, at: place } of names) {
      const rule = rules.find((own) => own.name === name);
      if (rule === undefined) {
        if (complete || !name.includes("/")) reportUnknown(name, place, rules, diagnostics);
      } else if (rule.mandatory === true) {
        diagnostics.add(
          "IVR740",
          place,
          `\`${name}\` cannot be ignored: without an extension id, ivrctl has nothing to send.`,
          "Remove the comment.",
        );
      }
    }
  }
}

function reportUnknown(
  name: string,
  at: Span,
  rules: readonly Rule[],
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
  const known = rules.map((own) => own.name);
  diagnostics.add(
    "IVR740",
    at,
    `There is no rule \`${shorten(name)}\`.`,
    didYouMean(rule === undefined ? nearest(name, known) : [rule.name]) ??
      "Write the name of a rule from docs/rules.md: # ivrctl-ignore: RULE reason",
  );
}

/** A comment names at most 100 rules. */
const pattern =
  /^(?<before>.*?)(?<=^|\s)#+[ \t]*ivrctl-ignore(?![\w-])(?:[ \t]*:[ \t]*(?<names>[^\s,]+(?:[ \t]*,[ \t]*[^\s,]+){0,99}))?.*$/gm;

const known = new WeakMap<Source, readonly IgnoreComment[]>();

/**
 * The comments of a file. A comment applies to its own line or, if nothing else is on its line, to
 * the line below. Several in a row apply to the same line.
 */
function commentsOf(source: Source): readonly IgnoreComment[] {
  const read = known.get(source) ?? readIgnoreComments(source);
  known.set(source, read);
  return read;
}

export function readIgnoreComments(source: Source): readonly IgnoreComment[] {
  const comments: IgnoreComment[] = [];
  const matches = source.text.includes("ivrctl-ignore") ? [...source.text.matchAll(pattern)] : [];
  // From the last line to the first, because a comment may apply to what the next one applies to.
  for (const match of matches.toReversed()) {
    const { before = "", names = "" } = match.groups ?? {};
    const start = match.index + before.length;
    const { line } = source.position(start);
    const isAlone = before.trim() === "";
    const below = comments.at(-1);
    const isBelowAlone =
      below !== undefined &&
      below.line > line + 1 &&
      source.position(below.at.start).line === line + 1;
    const first = start + match[0].slice(before.length).indexOf(names, 1);
    comments.push({
      at: source.span(start, match.index + match[0].trimEnd().length),
      names: [...names.matchAll(/[^\s,]+/g)].map(({ 0: name, index }) => ({
        name,
        at: source.span(first + index, first + index + name.length),
      })),
      line: !isAlone ? line : isBelowAlone ? below.line : line + 1,
    });
  }
  return comments.toReversed();
}
