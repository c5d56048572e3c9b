import * as z from "zod/mini";
import { rules } from "../rules/built-in/index.ts";
import type { Rule } from "../rules/rule.ts";
import { ruleSeverities } from "../rules/rule.ts";
import { count, described, eitherSchema, listOf, maybe, oneOf, words } from "./common.ts";

const severity = oneOf(ruleSeverities, {
  description: "The severity of the problems that a rule reports. `off` turns the rule off.",
  shape: "severity",
});

function setting(rule: Rule) {
  const options = Object.entries(rule.options).map(
    ([name, { about, preset }]) =>
      [name, maybe(count(`${about} Default: ${String(preset)}.`, Number(preset)))] as const,
  );
  const preset = rule.severity === "warning" ? "warn" : rule.severity;
  // Editors explain a wrong value with the first alternative, so the severity comes first.
  return eitherSchema(
    [severity, z.strictObject({ severity: maybe(severity), ...Object.fromEntries(options) })],
    {
      titled: rule.code,
      description: `Default: ${preset}.`,
      ...(options.length === 0 && { shape: "rule" }),
    },
  );
}

const customSetting = eitherSchema(
  [severity, z.looseObject({ severity: maybe(severity) })],
  "A custom rule: its severity, `off`, or a mapping with its options.",
);

const plugins = listOf(
  words({
    description: "The path of a module in this project, for example `./rules/custom.mjs`.",
    examples: ["./rules/custom.mjs"],
  }),
  {
    description: "Modules with custom rules.",
    examples: [["./rules/custom.mjs"]],
  },
);

/** The field `rules:`. An unknown name may be a rule of a plugin, so it is checked later. */
export const Rules = described(
  z.catchall(
    z.object({
      plugins: maybe(plugins),
      ...Object.fromEntries(rules.map((rule) => [rule.name, maybe(setting(rule))])),
    }),
    maybe(customSetting),
  ),
  {
    description:
      "The severity and the options of lint rules, for example `menu-too-long: { severity: error, max: 5 }`. `off` turns a rule off.",
    otherKeys: "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$",
  },
);
