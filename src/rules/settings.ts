import type { Diagnostics, Severity } from "../diagnostics/diagnostic.ts";
import { digits } from "../schema/common.ts";
import type { Config } from "../project/config.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { type Entry, type Node, field, isNull, toPlain } from "../yaml/node.ts";
import { type Variables, expand } from "../project/variables.ts";
import { rules } from "./built-in/index.ts";
import type { CustomOption, CustomOptions } from "./plugin.ts";
import type { PluginRule } from "./read-plugin.ts";
import type { Rule } from "./rule.ts";
import { severityOf, severityWords } from "./severity.ts";

/** The rules of the plugins that the configuration names. */
export interface Plugins {
  readonly rules: readonly PluginRule[];
  /** False if a plugin failed to load. Then an unknown name may belong to one of its rules. */
  readonly complete: boolean;
}

export const noPlugins: Plugins = { rules: [], complete: true };

export interface RuleSettings {
  readonly builtIn: readonly BuiltInSetting[];
  readonly custom: readonly CustomSetting[];
  /** False if a plugin failed to load. */
  readonly pluginsComplete: boolean;
}

export interface BuiltInSetting {
  readonly rule: Rule;
  readonly severity: Severity | "off";
  readonly options: Numbers;
}

export interface CustomSetting {
  readonly rule: PluginRule;
  readonly severity: Severity | "off";
  readonly options: CustomOptions;
}

type Numbers = Readonly<Record<string, number>>;

/** Every rule with its settings under `rules:`. Reports what is wrong there. */
export function readRules(
  config: Config,
  variables: Variables,
  plugins: Plugins,
  diagnostics: Diagnostics,
): RuleSettings {
  const reader = new RuleReader(config, variables, diagnostics);
  const section = field(config.root, "rules");
  const entries = section?.kind === "map" ? section.entries : [];
  const given = new Map(entries.map(({ key, value }) => [key.text, value]));
  reader.reportUnknown(entries, plugins);
  return {
    builtIn: rules.map((rule) => ({
      rule,
      severity: reader.severity(given.get(rule.name), rule),
      options: reader.numbers(given.get(rule.name), rule),
    })),
    custom: plugins.rules.map((rule) => ({
      rule,
      severity: reader.severity(given.get(rule.name), rule),
      options: reader.values(given.get(rule.name), rule),
    })),
    pluginsComplete: plugins.complete,
  };
}

/** The rules that cannot be turned off, for menus that are not linted. */
export function mandatoryRules(): RuleSettings {
  const builtIn = rules.map((rule) => ({
    rule,
    severity: rule.mandatory === true ? rule.severity : ("off" as const),
    options: {},
  }));
  return { builtIn, custom: [], pluginsComplete: true };
}

class RuleReader {
  readonly #config: Config;
  readonly #variables: Variables;
  readonly #diagnostics: Diagnostics;

  constructor(config: Config, variables: Variables, diagnostics: Diagnostics) {
    this.#config = config;
    this.#variables = variables;
    this.#diagnostics = diagnostics;
  }

  reportUnknown(entries: readonly Entry[], plugins: Plugins): void {
    const known = new Set([...rules, ...plugins.rules].map(({ name }) => name));
    for (const { key } of entries) {
      const name = key.text;
      if (name === "plugins" || known.has(name)) continue;
      if (name.includes("/") && !plugins.complete) continue;
      this.#diagnostics.add(
        "IVR740",
        key,
        `There is no rule \`${shorten(name)}\`.`,
        didYouMean(nearest(name, known)) ??
          (name.includes("/")
            ? "Add the module of this custom rule under `plugins:`."
            : "docs/rules.md lists the rules."),
      );
    }
  }

  severity(
    given: Node | undefined,
    rule: { readonly severity: Severity | "off"; readonly name: string; readonly mandatory?: true },
  ): Severity | "off" {
    const node = given?.kind === "map" ? field(given, "severity") : given;
    const text = this.#text(node);
    if (node === undefined || text === undefined) return rule.severity;
    const word = severityWords.find((candidate) => candidate === text);
    if (word === undefined) {
      const words = severityWords.join(", ");
      this.#diagnostics.add("IVR203", node, `The value of the variable must be one of ${words}.`);
      return rule.severity;
    }
    const severity = severityOf(word);
    if (rule.mandatory !== true || severity === rule.severity) return severity;
    this.#diagnostics.add(
      "IVR740",
      node,
      `\`${rule.name}\` cannot be set to \`${word}\`: without an extension id, ivrctl has nothing to send.`,
      "Remove the setting.",
    );
    return rule.severity;
  }

  numbers(given: Node | undefined, { options }: Rule): Numbers {
    const numbers = Object.entries(options).map(([name, { preset }]) => {
      const node = field(given, name);
      const text = this.#text(node);
      if (node === undefined || text === undefined) return [name, preset] as const;
      if (digits.test(text)) return [name, Number(text)] as const;
      this.#diagnostics.add(
        "IVR203",
        node,
        "The value of the variable must be a whole number, 0 or more.",
      );
      return [name, preset] as const;
    });
    return Object.fromEntries(numbers);
  }

  values(given: Node | undefined, { name, options }: PluginRule): CustomOptions {
    const values = new Map(Object.entries(options));
    const entries = given?.kind === "map" ? given.entries : [];
    for (const { key, value } of entries) {
      if (key.text === "severity" || isNull(value)) continue;
      const preset = values.get(key.text);
      if (preset === undefined) {
        this.#diagnostics.add(
          "IVR740",
          key,
          `\`${name}\` has no option \`${shorten(key.text)}\`.`,
          didYouMean(nearest(key.text, ["severity", ...values.keys()])),
        );
        continue;
      }
      const read = likePreset(value, preset);
      if (read !== undefined) values.set(key.text, read);
      else {
        const message = `\`${key.text}\` must be ${kindOf(preset)}.`;
        this.#diagnostics.add("IVR740", value, message);
      }
    }
    return Object.freeze(Object.fromEntries(values));
  }

  /** The text of a value, unless the schema has reported the value. */
  #text(node: Node | undefined): string | undefined {
    if (node?.kind !== "scalar" || isNull(node)) return undefined;
    if (this.#config.invalidNodes.has(node)) return undefined;
    return expand(node, this.#variables, this.#diagnostics);
  }
}

/** The value, if it is of the same kind as the default of the option. */
function likePreset(node: Node, preset: CustomOption): CustomOption | undefined {
  if (typeof preset === "object") {
    if (node.kind !== "list") return undefined;
    const items = node.items.flatMap((item) => (item.kind === "scalar" ? item.text : []));
    return items.length === node.items.length ? Object.freeze(items) : undefined;
  }
  if (node.kind !== "scalar") return undefined;
  if (typeof preset === "string") return node.text;
  if (typeof preset === "number") {
    return /^-?[0-9]+(?:\.[0-9]+)?$/.test(node.text) ? Number(node.text) : undefined;
  }
  const value = toPlain(node);
  return typeof value === "boolean" ? value : undefined;
}

function kindOf(preset: CustomOption): string {
  switch (typeof preset) {
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "string":
      return "text";
    default:
      return "a list of texts";
  }
}
