import * as z from "zod/mini";
import { rules } from "../rules/built-in/index.ts";
import type { Rule } from "../rules/rule.ts";
import { severityWords } from "../rules/severity.ts";
import { count, forEditors, maybe, words } from "./common.ts";

const severity = z.enum(severityWords).register(forEditors, {
  description: "How grave a finding is; off: not looked for.",
  shape: "severity",
});

const setting = (rule: Rule) => {
  const options = Object.entries(rule.options).map(
    ([name, { about, preset }]) =>
      [name, maybe(count(`${about} ${preset} unless given.`))] as const,
  );
  const preset = rule.severity === "warning" ? "warn" : rule.severity;
  return z
    .union([
      // First, because editors explain a wrong value by the first alternative.
      severity,
      z.strictObject({ severity: maybe(severity), ...Object.fromEntries(options) }),
    ])
    .register(forEditors, { titled: rule.code, description: `${preset} unless given.` });
};

const houseSetting = z
  .union([severity, z.looseObject({ severity: maybe(severity) })])
  .register(forEditors, { description: "A house rule: its severity, off, or its options." });

/** `rules:`. Whether there is a rule of a name that is not known here, plugins decide. */
export const Rules = z
  .catchall(
    z.object({
      plugins: maybe(
        z
          .array(words({ description: "A module of this project: ./rules/house.mjs." }))
          .register(forEditors, { description: "Modules with rules of your own." }),
      ),
      ...Object.fromEntries(rules.map((rule) => [rule.name, maybe(setting(rule))])),
    }),
    maybe(houseSetting),
  )
  .register(forEditors, {
    description: "Rules that menus are judged by: their severity, off, or their options.",
    otherKeys: "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$",
  });
