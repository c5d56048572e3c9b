import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { type RuleSettings, reportUnknownRule } from "./rule-settings.ts";

/** A rule that a comment `# ivrctl-ignore: RULE[, RULE] reason` names. */
interface Ignored {
  /** Empty if the comment names no rule. */
  readonly rule: string;
  readonly at: Span;
  /** The line whose findings are ignored. */
  readonly line: number;
}

/** A comment names at most 100 rules. */
const comment =
  /^(.*?)(?<=^|\s)#+[ \t]*ivrctl-ignore(?![\w-])(?:[ \t]*:[ \t]*([^\s,]+(?:[ \t]*,[ \t]*[^\s,]+){0,99}))?.*$/dgm;

/**
 * What comments ignore: on their own line or, if nothing else is on it, on the line below. Several
 * in a row apply to the same line.
 */
function ignoredIn(source: Source): Ignored[] {
  if (!source.text.includes("ivrctl-ignore")) return [];
  return [...source.text.matchAll(comment)].flatMap((match) => {
    const [whole, before = "", names = ""] = match;
    const start = match.index + before.length;
    let { line } = source.position(start);
    const isAlone = (text: string) => /^\s*#+[ \t]*ivrctl-ignore/.test(text);
    while (isAlone(source.line(line) ?? "")) line += 1;
    const [first] = match.indices?.[2] ?? [start];
    if (names === "") {
      const at = source.span(start, match.index + whole.trimEnd().length);
      return [{ rule: "", at, line }];
    }
    return [...names.matchAll(/[^\s,]+/g)].map(({ 0: rule, index }) => {
      const at = source.span(first + index, first + index + rule.length);
      return { rule, at, line };
    });
  });
}

/** Whether a comment ignores what this rule found here. */
export function isIgnored({ source, start }: Span, rule: string): boolean {
  const { line } = source.position(start);
  return ignoredIn(source).some((ignored) => ignored.line === line && ignored.rule === rule);
}

export function checkIgnoreComments(
  source: Source,
  settings: RuleSettings,
  diagnostics: Diagnostics,
): void {
  for (const { rule: name, at } of ignoredIn(source)) {
    if (name === "") {
      diagnostics.add("IVR740", at, "This comment does not say which rule to ignore.", {
        words: "Add the rule to the comment:",
        command: "# ivrctl-ignore: RULE reason",
      });
    } else if (!settings.settings.some(({ rule }) => rule.name === name)) {
      reportUnknownRule(name, at, settings, diagnostics);
    }
  }
}
