import type { Diagnostics, Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Config } from "../project/config.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import { exampleHint, fieldsHint } from "../yaml/issue-words.ts";
import { at, keyAt } from "../yaml/node.ts";
import { rules } from "./built-in/index.ts";
import type { OptionValue, Rule } from "./rule.ts";
import { readSeverity, ruleSeverities } from "./rule.ts";

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
  const settings = {
    settings: [...rules, ...plugins.rules].map((rule) => readRule(rule, config, diagnostics)),
    pluginsComplete: plugins.complete,
  };
  const known = new Set(settings.settings.map(({ rule }) => rule.name));
  for (const name of Object.keys(config.value.rules ?? {})) {
    if (name === "plugins" || known.has(name)) continue;
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
  const known = settings.map(({ rule }) => rule.name);
  diagnostics.add(
    "IVR740",
    place,
    `There is no rule \`${shorten(name)}\`.`,
    didYouMean(coded === undefined ? nearest(name, known) : [coded]) ??
      (name.includes("/")
        ? "Add the module of this custom rule under `plugins:`."
        : "Use the name of a rule from docs/rules.md. Other problems cannot be ignored."),
  );
}

function readRule(rule: Rule, config: Config, diagnostics: Diagnostics): RuleSetting {
  const { name } = rule;
  const given: unknown = config.value.rules?.[name];
  const written = Object.entries(
    typeof given === "object" && given !== null ? given : { severity: given },
  );
  const options = new Map(
    Object.entries(rule.options).map(([option, { preset }]) => [option, preset]),
  );
  let { severity } = rule;
  for (const [option, value] of written) {
    const place = at(config.tree, ["rules", name, option]);
    const report = (message: string, hint?: Hint, where: Span = place) =>
      diagnostics.add("IVR740", where, message, hint);
    const word = option === "severity" && ruleSeverities.find((known) => known === value);
    const preset = options.get(option);
    if (word === undefined || value === undefined) continue;
    if (word !== false) severity = readSeverity(word);
    else if (preset === undefined) {
      const key = keyAt(config.root, ["rules", name, option]);
      const known = ["severity", ...options.keys()];
      const hint = didYouMean(nearest(option, known)) ?? fieldsHint(known);
      report(`\`${name}\` has no option \`${shorten(option)}\`.`, hint, key);
    } else {
      const read = likePreset(value, preset);
      if (read === undefined) {
        report(
          `\`${option}\` must be ${kindOf(preset)}.`,
          exampleHint([option], { examples: [preset] }),
        );
      } else options.set(option, read);
    }
  }
  return { rule, severity, options: Object.freeze(Object.fromEntries(options)) };
}

/** The value, if it is of the same kind as the default of the option. In YAML, numbers are text. */
function likePreset(given: unknown, preset: OptionValue): OptionValue | undefined {
  if (typeof preset === "object") {
    const isList = Array.isArray(given) && given.every((item) => typeof item === "string");
    return isList ? Object.freeze([...given]) : undefined;
  }
  if (typeof preset === "number") {
    const isNumber = typeof given === "string" && /^-?[0-9]+(?:\.[0-9]+)?$/.test(given);
    return isNumber ? Number(given) : undefined;
  }
  const isScalar = typeof given === "string" || typeof given === "boolean";
  return isScalar && typeof given === typeof preset ? given : undefined;
}

function kindOf(preset: OptionValue): string {
  if (typeof preset === "object") return "a list of texts";
  if (typeof preset === "boolean") return "true or false";
  return typeof preset === "number" ? "a number" : "text";
}
