import type { Code } from "../diagnostics/codes.ts";
import type { Diagnostics, Severity } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { Environment } from "../project/environment.ts";
import { AliasUses, usesOf } from "./alias-uses.ts";
import { HouseRules } from "./custom-rules.ts";
import type { AliasEntry, ResolvedMenu } from "../compile/menu.ts";
import type { Context, RuledChange, RuleOptions } from "./rule.ts";
import type { RuleSettings } from "./settings.ts";
import { Quiet } from "./quiet.ts";

interface Surroundings {
  readonly agents: Agents | undefined;
  /** Whether findings that are mere notes are wanted. */
  readonly notes: boolean;
}

type OwnSetting = RuleSettings["own"][number];

/** Runs the rules as they are set, and passes over what comments silence. */
export class Judge {
  readonly #settings: RuleSettings;
  readonly #surroundings: Surroundings;
  readonly #house: HouseRules;
  readonly #quiet = new Quiet();
  readonly #uses = new AliasUses();
  /** Files in which something could not be judged. */
  readonly #obscure = new Set<Source>();

  constructor(settings: RuleSettings, surroundings: Surroundings) {
    this.#settings = settings;
    this.#surroundings = surroundings;
    const wanted = settings.house.filter(({ severity }) => this.#isWanted(severity));
    this.#house = new HouseRules(wanted, surroundings.agents);
  }

  /** By ivrctl's own rules. */
  menu(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    const { agents } = this.#surroundings;
    for (const setting of this.#settings.own) {
      const { rule } = setting;
      if (rule.subject !== "menu" || !this.#isWanted(setting.severity)) continue;
      rule.check(menu, { agents, ...this.#context(setting, diagnostics) });
    }
    this.#uses.addAll(usesOf(menu));
  }

  /** By the rules of the project's own, which see whole menus only. */
  house(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    if (this.#house.isIdle || this.#surroundings.agents === undefined) return;
    this.#house.judge(
      menu,
      ({ rule: { name }, severity }) =>
        this.#reporter({ name, code: "IVR720" }, severity, diagnostics),
      diagnostics,
    );
  }

  /** A file that could not be judged as a whole. */
  passOver(source: Source): void {
    this.#obscure.add(source);
  }

  /** To be asked when all menus have been judged; where one was not whole, nothing is known. */
  aliases({ aliases, defaults }: Environment, diagnostics: Diagnostics): void {
    if (this.#obscure.size > 0) return;
    if (defaults !== undefined) this.#uses.addDefaults(defaults);
    for (const setting of this.#settings.own) {
      const { rule } = setting;
      if (rule.subject !== "aliases" || !this.#isWanted(setting.severity)) continue;
      const isUsed = (alias: AliasEntry) => this.#uses.has(alias);
      rule.check({ given: aliases, isUsed }, this.#context(setting, diagnostics));
    }
  }

  /** Told whether notes are wanted or not: it is what a plan is read for. */
  change(change: RuledChange, diagnostics: Diagnostics): void {
    for (const setting of this.#settings.own) {
      const { rule } = setting;
      if (rule.subject !== "change" || setting.severity === "off") continue;
      rule.check(change, this.#context(setting, diagnostics));
    }
  }

  /** What is wrong with the silences of these files, once all rules have run. */
  settle(menus: readonly Source[], config: Source | undefined, diagnostics: Diagnostics): void {
    const { own, house } = this.#settings;
    const known = new Map([
      ...own.map((setting) => [setting.rule.name, this.#isDecided(setting)] as const),
      ...house.map(
        ({ rule, severity }) =>
          [rule.name, this.#isWanted(severity) && this.#surroundings.agents !== undefined] as const,
      ),
    ]);
    const { pluginsComplete: complete } = this.#settings;
    for (const source of menus) {
      this.#quiet.settle(
        source,
        { known, complete, clear: !this.#obscure.has(source) },
        diagnostics,
      );
    }
    if (config === undefined) return;
    this.#quiet.settle(config, { known, complete, clear: this.#obscure.size === 0 }, diagnostics);
  }

  /** Whether a rule that found nothing has looked. What a change is depends on the moment. */
  #isDecided({ rule, severity }: OwnSetting): boolean {
    if (rule.subject === "change" || !this.#isWanted(severity)) return false;
    return rule.needsAgents !== true || this.#surroundings.agents !== undefined;
  }

  #isWanted(severity: Severity | "off"): boolean {
    return severity !== "off" && (severity !== "info" || this.#surroundings.notes);
  }

  #context(
    { rule, severity, options }: OwnSetting,
    diagnostics: Diagnostics,
  ): Context<RuleOptions> {
    return { options, report: this.#reporter(rule, severity, diagnostics) };
  }

  #reporter(
    rule: { readonly name: string; readonly code: Code; readonly fixed?: true },
    severity: Severity | "off",
    diagnostics: Diagnostics,
  ) {
    const { name, code } = rule;
    return (at: Span, message: string, hint?: string): void => {
      if (severity === "off") return;
      const silences = rule.fixed === true ? [] : this.#quiet.at(at, name);
      for (const silence of silences) this.#quiet.need(silence.at);
      if (silences.length > 0) return;
      diagnostics.addFinding({ rule: name, code, severity, at, message, hint });
    };
  }
}
