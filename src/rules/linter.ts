import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { checkIgnoreComments, isIgnored } from "./ignore-comments.ts";
import type { KeyChanges, Rule, RuleAbout, Subjects, WholeProject } from "./rule.ts";
import type { RuleSettings } from "./settings.ts";

interface LinterOptions {
  readonly agents: Agents | undefined;
  /** The name of the environment. */
  readonly environment: string | undefined;
  /** Whether to report problems of severity `info`. */
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

  /** Runs the rules about one menu. */
  menu(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    this.#run("menu", menu, diagnostics);
  }

  /** Runs the rules about a menu that has no error of another kind. */
  validMenu(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    if (this.#options.agents !== undefined) this.#run("valid-menu", menu, diagnostics);
  }

  /** Runs the rules about all menus together. */
  project(project: WholeProject, diagnostics: Diagnostics): void {
    this.#run("project", project, diagnostics);
  }

  /** Runs the rules about changes. They report notes even if `notes` is false. */
  change(change: KeyChanges, diagnostics: Diagnostics): void {
    this.#run("change", change, diagnostics, true);
  }

  /** Reports invalid ignore comments. */
  ignoreComments(sources: readonly Source[], diagnostics: Diagnostics): void {
    const { settings, pluginsComplete: complete } = this.#settings;
    const rules = settings.map(({ rule }) => rule);
    for (const source of sources) checkIgnoreComments(source, { rules, complete }, diagnostics);
  }

  #run<S extends keyof Subjects>(
    subject: S,
    value: Subjects[S],
    diagnostics: Diagnostics,
    notes = this.#options.notes,
  ): void {
    const { agents, environment } = this.#options;
    for (const { rule, severity, options } of this.#settings.settings) {
      if (!isAbout(rule, subject) || severity === "off") continue;
      if (severity === "info" && !notes) continue;
      const { name, code, mandatory = false } = rule;
      rule.check(value, {
        agents,
        environment,
        options,
        report: (at, message, hint) => {
          if (!mandatory && isIgnored(at, name)) return;
          diagnostics.addFinding({ rule: name, code, severity, at, message, hint });
        },
        fail: (at, message, hint) =>
          diagnostics.addFinding({
            rule: name,
            code: "IVR745",
            severity: "error",
            at,
            message,
            hint,
          }),
      });
    }
  }
}

function isAbout<S extends keyof Subjects>(rule: Rule, subject: S): rule is Rule & RuleAbout<S> {
  return rule.subject === subject;
}
