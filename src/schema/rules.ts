import * as z from "zod/mini";
import { described, flag, listOf, number, oneOf, optional, unionOf, words } from "./field-types.ts";

/** The options of a rule, each with its default. */
export type RuleOptions = Readonly<Record<string, RuleOption>>;

export type OptionValue = string | number | boolean | readonly string[];

interface RuleOption {
  readonly preset: OptionValue;
  readonly about?: string;
}

/** The severities that `rules:` accepts. */
export const ruleSeverities = ["error", "warn", "info", "off"] as const;

const severity = oneOf(
  ruleSeverities,
  "The severity of the problems that a rule reports. `off` turns the rule off.",
  undefined,
  { shape: "severity" },
);

const setting = unionOf([severity, z.looseObject(optional({ severity }))], {
  description: "A rule: its severity, `off`, or a mapping with its options.",
});

/** The setting of a rule: its severity, or a mapping with its options, each of the kind of its default. */
export function ruleSetting(options: RuleOptions, description: string) {
  const written = Object.entries(options).map(([name, { preset, about = "An option." }]) => {
    const words = [`${about} Default: ${String(preset)}.`, preset] as const;
    if (typeof preset === "boolean") return [name, flag(words[0])] as const;
    if (typeof preset === "number") {
      return [name, number(/^-?[0-9]+(?:\.[0-9]+)?$/, "must be a number", ...words)] as const;
    }
    const text = described(z.string(), ...words, { numeric: true });
    return [name, typeof preset === "string" ? text : listOf(text, ...words)] as const;
  });
  // Editors explain a wrong value with the first alternative, so the severity comes first.
  return unionOf(
    [severity, z.strictObject(optional({ severity, ...Object.fromEntries(written) }))],
    { description, ...(written.length === 0 && { shape: "rule" }) },
  );
}

const plugins = listOf(
  words(
    "The path of a module in this project, for example `./rules/custom.mjs`.",
    "./rules/custom.mjs",
  ),
  "Modules with custom rules.",
  ["./rules/custom.mjs"],
);

/** The field `rules:`. Names and options are checked later, because plugins have their own. */
export const Rules = withRules({});

/** The field `rules:` with settings that have a schema of their own. */
export function withRules(ruleSchemas: Readonly<Record<string, z.core.$ZodType>>) {
  return described(
    z.catchall(
      z.object({ ...optional({ plugins }), ...optional(ruleSchemas) }),
      z.optional(setting),
    ),
    "The severity and the options of lint rules, for example `menu-too-long: { severity: error, max: 5 }`. `off` turns a rule off.",
  );
}
