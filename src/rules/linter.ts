import type { Code } from "../diagnostics/codes.ts";
import { Diagnostics, type Severity } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { Memo } from "../util/memo.ts";
import { CustomRules } from "./custom-rules.ts";
import { type IgnoredRule, checkIgnoreComments, ignoring } from "./ignore-comments.ts";
import type {
  AliasesInUse,
  Context,
  KeyChanges,
  MenusInFlow,
  Report,
  RuleOptions,
} from "./rule.ts";
import type { BuiltInSetting, RuleSettings } from "./settings.ts";

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
  /** The rules in comments that ignored something. */
  readonly #needed = new Set<IgnoredRule>();
  /** Files in which something could not be checked. */
  readonly #unchecked = new Set<Source>();

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
    const { found, needed } = checkedMenus.of(menu, inputs, () => {
      const checked = { found: new Diagnostics(), needed: new Set<IgnoredRule>() };
      for (const setting of this.#settings.builtIn) {
        const { rule } = setting;
        if (rule.subject !== "menu" || !this.#isActive(setting.severity)) continue;
        const context = this.#context(setting, checked.found, checked.needed);
        rule.check(menu, { agents, environment, ...context });
      }
      return checked;
    });
    diagnostics.addAll(found);
    for (const ignored of needed) this.#needed.add(ignored);
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

  /** Records that something in this file could not be checked. */
  markUnchecked(source: Source): void {
    this.#unchecked.add(source);
  }

  /** Runs the rules about how menus lead to each other, unless a menu could not be checked. */
  flow(menus: MenusInFlow, diagnostics: Diagnostics): void {
    if (this.#unchecked.size > 0) return;
    for (const setting of this.#settings.builtIn) {
      const { rule } = setting;
      if (rule.subject !== "flow" || !this.#isActive(setting.severity)) continue;
      rule.check(menus, this.#context(setting, diagnostics));
    }
  }

  /** Runs the rules about aliases, unless a menu that may use one could not be checked. */
  aliases(aliases: AliasesInUse, diagnostics: Diagnostics): void {
    if (this.#unchecked.size > 0) return;
    for (const setting of this.#settings.builtIn) {
      const { rule } = setting;
      if (rule.subject !== "aliases" || !this.#isActive(setting.severity)) continue;
      rule.check(aliases, this.#context(setting, diagnostics));
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

  /**
   * Checks the ignore comments of menus, and of the files that several menus share. Call this when all
   * rules have run.
   */
  ignoreComments(
    menus: readonly Source[],
    shared: readonly Source[],
    diagnostics: Diagnostics,
  ): void {
    const { builtIn, custom, pluginsComplete: complete } = this.#settings;
    const hasAgents = this.#options.agents !== undefined;
    const needed = this.#needed;
    const known = new Map([
      ...builtIn.map((setting) => [setting.rule.name, this.#hasRun(setting)] as const),
      ...custom.map(
        ({ rule, severity }) => [rule.name, this.#isActive(severity) && hasAgents] as const,
      ),
    ]);
    for (const source of menus) {
      const checked = !this.#unchecked.has(source);
      checkIgnoreComments(source, { known, complete, checked, needed }, diagnostics);
    }
    const checked = this.#unchecked.size === 0;
    for (const source of shared) {
      checkIgnoreComments(source, { known, complete, checked, needed }, diagnostics);
    }
  }

  /**
   * Whether a rule ran. A comment that ignores a rule is reported as unneeded only if the rule ran.
   * A rule about changes counts as not run, because what it reports depends on what was applied.
   */
  #hasRun({ rule, severity }: BuiltInSetting): boolean {
    if (rule.subject === "change" || !this.#isActive(severity)) return false;
    if (rule.subject === "flow" && this.#unchecked.size > 0) return false;
    return rule.needsAgents !== true || this.#options.agents !== undefined;
  }

  #isActive(severity: Severity | "off"): boolean {
    return severity !== "off" && (severity !== "info" || this.#options.notes);
  }

  #context(
    { rule, severity, options }: BuiltInSetting,
    diagnostics: Diagnostics,
    needed?: Set<IgnoredRule>,
  ): Context<RuleOptions> {
    return { options, report: this.#reporter(rule, severity, diagnostics, needed) };
  }

  #reporter(
    rule: { readonly name: string; readonly code: Code; readonly mandatory?: true },
    severity: Severity | "off",
    diagnostics: Diagnostics,
    needed = this.#needed,
  ): Report {
    const { name, code, mandatory = false } = rule;
    return (at: Span, message: string, hint?: string): void => {
      if (severity === "off") return;
      const ignored = mandatory ? [] : ignoring(at, name);
      for (const one of ignored) needed.add(one);
      if (ignored.length > 0) return;
      diagnostics.addFinding({ rule: name, code, severity, at, message, hint });
    };
  }
}

/** What the built-in rules found in a menu, and the rules in comments that ignored something. */
const checkedMenus = new Memo<
  ResolvedMenu,
  { readonly found: Diagnostics; readonly needed: ReadonlySet<IgnoredRule> }
>();
