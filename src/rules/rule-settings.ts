import { Diagnostics, type Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Config } from "../project/config-file.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { ruleSetting, type OptionValue } from "../schema/rules.ts";
import { decode } from "../yaml/decode.ts";
import { keyAt, nodeAt } from "../yaml/node.ts";
import { rules } from "./built-in/index.ts";
import { type Rule, readSeverity } from "./rule.ts";

/** The rules of the plugins that the configuration names. */
export interface Plugins {
  readonly rules: readonly Rule[];
  /** False if a plugin failed to load. Then an unknown name may belong to one of its rules. */
  readonly complete: boolean;
}

export const noPlugins: Plugins = { rules: [], complete: true };

export const noRules: RuleSettings = { settings: [], pluginsComplete: true };

export interface RuleSettings {
  readonly settings: readonly RuleSetting[];
  /** False if a plugin failed to load. */
  readonly pluginsComplete: boolean;
}

interface RuleSetting {
  readonly rule: Rule;
  readonly severity: Severity | "off";
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Every rule with its settings under `rules:`. Reports what is wrong there. */
export function readRules(
  config: Config,
  plugins: Plugins,
  diagnostics: Diagnostics,
): RuleSettings {
  const last = lastSettings.get(config);
  const isSame =
    last?.plugins.complete === plugins.complete &&
    last.plugins.rules.length === plugins.rules.length &&
    plugins.rules.every((rule, at) => rule === last.plugins.rules[at]);
  const found = isSame ? last.found : new Diagnostics();
  const settings = isSame ? last.settings : settingsIn(config, plugins, found);
  lastSettings.set(config, { plugins, settings, found });
  diagnostics.addAll(found);
  return settings;
}

/** The same object for the same configuration, so that what it finds in a menu can be reused. */
const lastSettings = new WeakMap<
  Config,
  { plugins: Plugins; settings: RuleSettings; found: Diagnostics }
>();

function settingsIn(config: Config, plugins: Plugins, diagnostics: Diagnostics): RuleSettings {
  const settings = {
    settings: [...rules, ...plugins.rules].map((rule) => readRule(rule, config, diagnostics)),
    pluginsComplete: plugins.complete,
  };
  const ruleNames = new Set(settings.settings.map(({ rule }) => rule.name));
  for (const name of Object.keys(config.value.rules ?? {})) {
    if (name === "plugins" || ruleNames.has(name)) continue;
    const place = keyAt(config.root, ["rules", name]) ?? config.root;
    reportUnknownRule(name, place, settings, diagnostics);
  }
  return settings;
}

/** Reports a name that no rule has, unless it may belong to a plugin that failed to load. */
export function reportUnknownRule(
  name: string,
  place: Span,
  { settings, pluginsComplete }: RuleSettings,
  diagnostics: Diagnostics,
): void {
  if (name.includes("/") && !pluginsComplete) return;
  const coded = settings.find(({ rule }) => rule.code === name)?.rule.name;
  const ruleNames = settings.map(({ rule }) => rule.name);
  diagnostics.add(
    "IVR740",
    place,
    `There is no rule \`${shorten(name)}\`.`,
    didYouMean(coded === undefined ? nearest(name, ruleNames) : [coded]) ??
      (name.includes("/")
        ? "Add the module of this custom rule under `plugins:`."
        : "Use the name of a rule from `ivrctl explain rules`. Other problems cannot be ignored."),
  );
}

/** The schemas of settings. Each is made when a configuration first has that setting. */
const schemas = new WeakMap<Rule, { complete: ReturnType<typeof ruleSetting> }>();

function settingSchema(rule: Rule) {
  const schema = schemas.get(rule) ?? { complete: ruleSetting(rule.options, "") };
  schemas.set(rule, schema);
  return schema;
}

function readRule(rule: Rule, { root, tree }: Config, diagnostics: Diagnostics): RuleSetting {
  const path = ["rules", rule.name];
  const node = nodeAt(tree, path);
  const top = keyAt(root, path) ?? root;
  const setting =
    node && decode(settingSchema(rule), node, { diagnostics, top, inside: path })?.value;
  const { severity, ...written } = typeof setting === "object" ? setting : { severity: setting };
  const values = new Map<string, unknown>(Object.entries(written));
  const options = Object.entries(rule.options).map(([name, { preset }]) => {
    const value = values.get(name) ?? preset;
    // In YAML, numbers are text.
    return [name, typeof preset === "number" ? Number(value) : value];
  });
  return {
    rule,
    severity: severity === undefined ? rule.severity : readSeverity(severity),
    options: Object.fromEntries(options),
  };
}
