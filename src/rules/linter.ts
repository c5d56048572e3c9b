import type { Code } from "../diagnostics/codes.ts";
import { Diagnostics, type Severity } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { Memo } from "../util/memo.ts";
import { CustomRules } from "./custom-rules.ts";
import { checkIgnoreComments, isIgnored } from "./ignore-comments.ts";
import type { Context, KeyChanges, Report, RuleOptions, WholeProject } from "./rule.ts";
import type { BuiltInSetting, RuleSettings } from "./settings.ts";
import type { Hint } from "../util/suggest.ts";

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
  readonly #customRules: CustomRules;

  constructor(settings: RuleSettings, options: LinterOptions) {
    this.#settings = settings;
    this.#options = options;
    const active = settings.custom.filter(({ severity }) => this.#isActive(severity));
    this.#customRules = new CustomRules(active, options.agents);
  }

  /** Runs the built-in rules on a menu. */
  menu(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    const { agents, environment, notes } = this.#options;
    const inputs = [this.#settings, agents, environment, notes];
    const found = checkedMenus.of(menu, inputs, () => {
      const own = new Diagnostics();
      for (const setting of this.#settings.builtIn) {
        const { rule } = setting;
        if (rule.subject !== "menu" || !this.#isActive(setting.severity)) continue;
        rule.check(menu, { agents, environment, ...this.#context(setting, own) });
      }
      return own;
    });
    diagnostics.addAll(found);
  }

  /** Runs the custom rules on a menu that has no error of another kind. */
  customRules(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    if (this.#options.agents === undefined) return;
    this.#customRules.check(
      menu,
      ({ rule: { name }, severity }) =>
        this.#reporter({ name, code: "IVR720" }, severity, diagnostics),
      diagnostics,
    );
  }

  /** Runs the rules about all menus together. */
  project(project: WholeProject, diagnostics: Diagnostics): void {
    for (const setting of this.#settings.builtIn) {
      const { rule } = setting;
      if (rule.subject !== "project" || !this.#isActive(setting.severity)) continue;
      rule.check(project, this.#context(setting, diagnostics));
    }
  }

  /** Runs the rules about changes. They report notes even if `notes` is false. */
  change(change: KeyChanges, diagnostics: Diagnostics): void {
    for (const setting of this.#settings.builtIn) {
      const { rule } = setting;
      if (rule.subject !== "change" || setting.severity === "off") continue;
      rule.check(change, this.#context(setting, diagnostics));
    }
  }

  /** Reports invalid ignore comments. */
  ignoreComments(sources: readonly Source[], diagnostics: Diagnostics): void {
    const { builtIn, custom, pluginsComplete: complete } = this.#settings;
    const known = new Set([...builtIn, ...custom].map(({ rule }) => rule.name));
    for (const source of sources) checkIgnoreComments(source, { known, complete }, diagnostics);
  }

  #isActive(severity: Severity | "off"): boolean {
    return severity !== "off" && (severity !== "info" || this.#options.notes);
  }

  #context(
    { rule, severity, options }: BuiltInSetting,
    diagnostics: Diagnostics,
  ): Context<RuleOptions> {
    return { options, report: this.#reporter(rule, severity, diagnostics) };
  }

  #reporter(
    rule: { readonly name: string; readonly code: Code; readonly mandatory?: true },
    severity: Severity | "off",
    diagnostics: Diagnostics,
  ): Report {
    const { name, code, mandatory = false } = rule;
    return (at: Span, message: string, hint?: Hint): void => {
      if (severity === "off" || (!mandatory && isIgnored(at, name))) return;
      diagnostics.addFinding({ rule: name, code, severity, at, message, hint });
    };
  }
}

/** What the built-in rules found in a menu. */
const checkedMenus = new Memo<ResolvedMenu, Diagnostics>();
