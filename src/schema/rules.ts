import * as z from "zod/mini";
import { ruleSeverities } from "../rules/rule.ts";
import { described, listOf, oneOf, optional, unionOf, words } from "./field-types.ts";

export const severity = oneOf(
  ruleSeverities,
  "The severity of the problems that a rule reports. `off` turns the rule off.",
  undefined,
  { shape: "severity" },
);

const setting = unionOf([severity, z.looseObject(optional({ severity }))], {
  description: "A rule: its severity, `off`, or a mapping with its options.",
});

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
export function withRules(known: Readonly<Record<string, z.core.$ZodType>>) {
  return described(
    z.catchall(z.object({ ...optional({ plugins }), ...optional(known) }), z.optional(setting)),
    "The severity and the options of lint rules, for example `menu-too-long: { severity: error, max: 5 }`. `off` turns a rule off.",
  );
}
