import type { Diagnostics, Severity } from "../diagnostics/diagnostic.ts";
import type { Config } from "../project/config.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { at, keyAt } from "../yaml/node.ts";
import { rules } from "./built-in/index.ts";
import type { OptionValue, Rule } from "./rule.ts";
import { severityOf, severityWords } from "./severity.ts";

/** The rules of the plugins that the configuration names. */
export interface Plugins {
  readonly rules: readonly Rule[];
  /** False if a plugin failed to load. Then an unknown name may belong to one of its rules. */
  readonly complete: boolean;
}

export const noPlugins: Plugins = { rules: [], complete: true };

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
  const all = [...rules, ...plugins.rules];
  reportUnknown(config, all, plugins, diagnostics);
  return {
    settings: all.map((rule) => ({
      rule,
      severity: readSeverity(rule, config, diagnostics),
      options: readOptions(rule, config, diagnostics),
    })),
    pluginsComplete: plugins.complete,
  };
}

/** The rules that cannot be turned off, for menus that are not linted. */
export function mandatoryRules(): RuleSettings {
  const mandatory = rules.filter((rule) => rule.mandatory === true);
  const settings = mandatory.map((rule) => ({ rule, severity: rule.severity, options: {} }));
  return { settings, pluginsComplete: true };
}

/** What `rules:` says about a rule: its severity alone, or a mapping. */
function settingOf({ value }: Config, name: string): Readonly<Record<string, unknown>> {
  const given: unknown = value.rules?.[name];
  if (typeof given === "object" && given !== null) return { ...given };
  return given === undefined ? {} : { severity: given };
}

function reportUnknown(
  { value, root }: Config,
  all: readonly Rule[],
  { complete }: Plugins,
  diagnostics: Diagnostics,
): void {
  const known = new Set(all.map(({ name }) => name));
  for (const name of Object.keys(value.rules ?? {})) {
    if (name === "plugins" || known.has(name)) continue;
    if (name.includes("/") && !complete) continue;
    diagnostics.add(
      "IVR740",
      keyAt(root, ["rules", name]) ?? root,
      `There is no rule \`${shorten(name)}\`.`,
      didYouMean(nearest(name, known)) ??
        (name.includes("/")
          ? "Add the module of this custom rule under `plugins:`."
          : "docs/rules.md lists the rules."),
    );
  }
}

function readSeverity(rule: Rule, config: Config, diagnostics: Diagnostics): Severity | "off" {
  const { name, mandatory } = rule;
  const given = settingOf(config, name)["severity"];
  const word = severityWords.find((candidate) => candidate === given);
  if (word === undefined) return rule.severity;
  const severity = severityOf(word);
  if (mandatory !== true || severity === rule.severity) return severity;
  diagnostics.add(
    "IVR740",
    at(config.tree, ["rules", name, "severity"]),
    `\`${name}\` cannot be set to \`${word}\`: without an extension id, ivrctl has nothing to send.`,
    "Remove the setting.",
  );
  return rule.severity;
}

function readOptions(
  { name, options }: Rule,
  config: Config,
  diagnostics: Diagnostics,
): Readonly<Record<string, OptionValue>> {
  const values = new Map(Object.entries(options).map(([own, { preset }]) => [own, preset]));
  for (const [own, given] of Object.entries(settingOf(config, name))) {
    if (own === "severity" || given === undefined) continue;
    const preset = values.get(own);
    const path = ["rules", name, own];
    if (preset === undefined) {
      diagnostics.add(
        "IVR740",
        keyAt(config.root, path) ?? config.root,
        `\`${name}\` has no option \`${shorten(own)}\`.`,
        didYouMean(nearest(own, ["severity", ...values.keys()])),
      );
      continue;
    }
    const read = likePreset(given, preset);
    if (read !== undefined) values.set(own, read);
    else {
      const message = `\`${own}\` must be ${kindOf(preset)}.`;
      diagnostics.add("IVR740", at(config.tree, path), message);
    }
  }
  return Object.freeze(Object.fromEntries(values));
}

/** The value, if it is of the same kind as the default of the option. In YAML, numbers are text. */
function likePreset(given: unknown, preset: OptionValue): OptionValue | undefined {
  switch (typeof preset) {
    case "object":
      return Array.isArray(given) && given.every((item) => typeof item === "string")
        ? Object.freeze([...given])
        : undefined;
    case "number":
      return typeof given === "string" && /^-?[0-9]+(?:\.[0-9]+)?$/.test(given)
        ? Number(given)
        : undefined;
    case "string":
      return typeof given === "string" ? given : undefined;
    case "boolean":
      return typeof given === "boolean" ? given : undefined;
  }
}

function kindOf(preset: OptionValue): string {
  switch (typeof preset) {
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "string":
      return "text";
    case "object":
      return "a list of texts";
  }
}
