import * as z from "zod/mini";
import { rules } from "../rules/built-in/index.ts";
import type { Rule } from "../rules/rule.ts";
import { ruleSeverities } from "../rules/rule.ts";
import { count, described, unionOf, listOf, oneOf, optional, words } from "./common.ts";

const severity = oneOf(
  ruleSeverities,
  "The severity of the problems that a rule reports. `off` turns the rule off.",
  undefined,
  { shape: "severity" },
);

const setting = unionOf([severity, z.looseObject(optional({ severity }))], {
  description: "A custom rule: its severity, `off`, or a mapping with its options.",
});

const plugins = listOf(
  words(
    "The path of a module in this project, for example `./rules/custom.mjs`.",
    "./rules/custom.mjs",
  ),
  "Modules with custom rules.",
  ["./rules/custom.mjs"],
);

/** The field `rules:`. Its names and options are checked later, together with those of plugins. */
export const Rules = withRules({});

/** The field `rules:` with the names and options of the built-in rules, for editors. */
export function describedRules() {
  return withRules(Object.fromEntries(rules.map((rule) => [rule.name, settingOf(rule)])));
}

function withRules(known: Record<string, ReturnType<typeof settingOf>>) {
  return described(
    z.catchall(z.object(optional({ plugins, ...known })), z.optional(setting)),
    "The severity and the options of lint rules, for example `menu-too-long: { severity: error, max: 5 }`. `off` turns a rule off.",
    undefined,
    { otherKeys: "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$" },
  );
}

function settingOf(rule: Rule) {
  const options = Object.entries(rule.options).map(
    ([name, { about, preset }]) =>
      [name, count(`${about} Default: ${String(preset)}.`, Number(preset))] as const,
  );
  const preset = rule.severity === "warning" ? "warn" : rule.severity;
  // Editors explain a wrong value with the first alternative, so the severity comes first.
  return unionOf(
    [severity, z.strictObject(optional({ severity, ...Object.fromEntries(options) }))],
    {
      description: `Default: ${preset}.`,
      titled: rule.code,
      ...(options.length === 0 && { shape: "rule" }),
    },
  );
}
