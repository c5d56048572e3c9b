import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Agents } from "../project/agent-list.ts";
import { checkIgnoreComments, isIgnored } from "./ignore-comments.ts";
import type { Rule, RuleAbout, Subjects } from "./rule.ts";
import type { RuleSettings } from "./rule-settings.ts";

interface LinterOptions {
  readonly agents: Agents | undefined;
  readonly environment: string | undefined;
  /** Whether to report problems of severity `info`. Rules about changes always report them. */
  readonly notes: boolean;
}

/** Runs the rules with their settings and applies ignore comments. */
export class Linter {
  readonly #settings: RuleSettings;
  readonly #options: LinterOptions;

  constructor(settings: RuleSettings, options: LinterOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** What its findings about a menu depend on. */
  get given(): readonly unknown[] {
    const { agents, environment, notes } = this.#options;
    return [this.#settings, agents, environment, notes];
  }

  /** Runs the rules about a menu, about all menus, or about a change. */
  run<S extends keyof Subjects>(subject: S, value: Subjects[S], diagnostics: Diagnostics): void {
    const { agents, environment, notes } = this.#options;
    for (const { rule, severity, options } of this.#settings.settings) {
      if (!isAbout(rule, subject) || severity === "off") continue;
      if (severity === "info" && !notes && subject !== "change") continue;
      const { name, code } = rule;
      const finding = { rule: name, code, severity };
      rule.check(value, {
        agents,
        environment,
        options,
        report: (at, message, hint) => {
          if (!isIgnored(at, name)) diagnostics.addFinding({ ...finding, at, message, hint });
        },
        fail: (at, message, hint) =>
          diagnostics.addFinding({
            ...finding,
            code: "IVR745",
            severity: "error",
            at,
            message,
            hint,
          }),
      });
    }
  }

  ignoreComments(sources: readonly Source[], diagnostics: Diagnostics): void {
    for (const source of sources) checkIgnoreComments(source, this.#settings, diagnostics);
  }
}

function isAbout<S extends keyof Subjects>(rule: Rule, subject: S): rule is Rule & RuleAbout<S> {
  return rule.subject === subject;
}
