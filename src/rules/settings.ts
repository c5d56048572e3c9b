import type { Diagnostics, Severity } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import type { Config } from "../project/config.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { type Entry, type Node, field, isNull, toPlain } from "../yaml/node.ts";
import { type Variables, expand } from "../project/variables.ts";
import { ruleNamed, rules } from "./built-in/index.ts";
import type { HouseOption, HouseOptions } from "./plugin.ts";
import type { PluginRule } from "./read-plugin.ts";
import type { Rule } from "./rule.ts";
import { severityOf, severityWords } from "./severity.ts";

/** The plugins that the configuration names, as far as they could be loaded. */
export interface Plugins {
  readonly rules: readonly PluginRule[];
  /** Whether these are all: else nobody can say that a name is wrong. */
  readonly complete: boolean;
}

export const noPlugins: Plugins = { rules: [], complete: true };

export interface RuleSettings {
  readonly own: readonly (Setting & { readonly rule: Rule; readonly options: Numbers })[];
  readonly house: readonly (Setting & {
    readonly rule: PluginRule;
    readonly options: HouseOptions;
  })[];
  /** Whether these are all: a plugin may have failed to load. */
  readonly pluginsComplete: boolean;
}

interface Setting {
  readonly severity: Severity | "off";
}

type Numbers = Readonly<Record<string, number>>;

/** Every rule as `rules:` sets it; what is wrong there is told. */
export function readRules(
  config: Config,
  variables: Variables,
  plugins: Plugins,
  diagnostics: Diagnostics,
): RuleSettings {
  const reader = new RuleReader(config, variables, diagnostics);
  const section = field(config.root, "rules");
  const entries = section?.kind === "map" ? section.entries : [];
  const given = new Map(entries.map((entry) => [entry.key.text, entry]));
  reader.refuseUnknown(entries, plugins);
  return {
    own: rules.map((rule) => ({
      rule,
      severity: reader.severity(given.get(rule.name), rule),
      options: reader.numbers(given.get(rule.name), rule),
    })),
    house: plugins.rules.map((rule) => ({
      rule,
      severity: reader.severity(given.get(rule.name), rule),
      options: reader.values(given.get(rule.name), rule),
    })),
    pluginsComplete: plugins.complete,
  };
}

/** Only what nothing could be sent without: for files that are not to be judged. */
export function bareRules(): RuleSettings {
  const own = rules.map((rule) => ({
    rule,
    severity: rule.fixed === true ? rule.severity : ("off" as const),
    options: {},
  }));
  return { own, house: [], pluginsComplete: true };
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

  refuseUnknown(entries: readonly Entry[], plugins: Plugins): void {
    const house = plugins.rules.map(({ name }) => name);
    const known = new Set([...ruleNamed.keys(), ...house]);
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
            ? "Rules of your own come from modules under `plugins:`."
            : "docs/rules.md lists the rules."),
      );
    }
  }

  severity(
    given: Entry | undefined,
    rule: { readonly severity: Severity | "off"; readonly name: string; readonly fixed?: true },
  ): Severity | "off" {
    const node = given?.value.kind === "map" ? field(given.value, "severity") : given?.value;
    const text = this.#text(node);
    if (node === undefined || text === undefined) return rule.severity;
    const word = severityWords.find((candidate) => candidate === text);
    if (word === undefined) {
      this.#variableMustHold(node, severityWords);
      return rule.severity;
    }
    const severity = severityOf(word);
    if (rule.fixed !== true || severity === rule.severity) return severity;
    this.#diagnostics.add(
      "IVR742",
      node,
      `\`${rule.name}\` cannot be set to \`${word}\`: there would be nothing to send.`,
      "Remove the setting.",
    );
    return rule.severity;
  }

  numbers(given: Entry | undefined, { options }: Rule): Numbers {
    const own = Object.entries(options).map(([name, { preset }]) => {
      const node = field(given?.value, name);
      const text = this.#text(node);
      if (node === undefined || text === undefined) return [name, preset] as const;
      if (digits.test(text)) return [name, Number(text)] as const;
      this.#diagnostics.add("IVR205", node, "The variable must hold a whole number from 0.");
      return [name, preset] as const;
    });
    return Object.fromEntries(own);
  }

  values(given: Entry | undefined, { name, options }: PluginRule): HouseOptions {
    const values = new Map(Object.entries(options));
    const entries = given?.value.kind === "map" ? given.value.entries : [];
    for (const { key, value } of entries) {
      if (key.text === "severity" || isNull(value)) continue;
      const preset = values.get(key.text);
      if (preset === undefined) {
        this.#refuse(
          key,
          `\`${name}\` has no option \`${shorten(key.text)}\`.`,
          didYouMean(nearest(key.text, ["severity", ...values.keys()])),
        );
        continue;
      }
      const read = likePreset(value, preset);
      if (read !== undefined) values.set(key.text, read);
      else this.#refuse(value, `\`${key.text}\` must be ${kindOf(preset)}.`);
    }
    return Object.freeze(Object.fromEntries(values));
  }

  #refuse(at: Span, message: string, hint?: string): void {
    this.#diagnostics.add("IVR741", at, message, hint);
  }

  /** Of a value that the schema found no fault with. */
  #text(node: Node | undefined): string | undefined {
    if (node?.kind !== "scalar" || isNull(node)) return undefined;
    if (this.#config.faulty.has(node)) return undefined;
    return expand(node, this.#variables, this.#diagnostics);
  }

  #variableMustHold(node: Node, words: readonly string[]): void {
    this.#diagnostics.add("IVR207", node, `The variable must hold one of ${words.join(", ")}.`);
  }
}

/** The value as the option's own kind; undefined where it is of another. */
function likePreset(node: Node, preset: HouseOption): HouseOption | undefined {
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

function kindOf(preset: HouseOption): string {
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
