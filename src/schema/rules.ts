import * as z from "zod/mini";
import { rules } from "../rules/built-in/index.ts";
import type { Rule } from "../rules/rule.ts";
import { severityWords } from "../rules/severity.ts";
import { count, described, either, listOf, maybe, oneOf, words } from "./common.ts";

const severity = oneOf(severityWords, {
  description: "How grave a finding is; off: not looked for.",
  shape: "severity",
});

function setting(rule: Rule) {
  const options = Object.entries(rule.options).map(
    ([name, { about, preset }]) =>
      [name, maybe(count(`${about} ${preset} unless given.`))] as const,
  );
  const preset = rule.severity === "warning" ? "warn" : rule.severity;
  // The severity comes first, because editors explain a wrong value by the first alternative.
  return either(
    [severity, z.strictObject({ severity: maybe(severity), ...Object.fromEntries(options) })],
    { titled: rule.code, description: `${preset} unless given.` },
  );
}

const customSetting = either(
  [severity, z.looseObject({ severity: maybe(severity) })],
  "A house rule: its severity, off, or its options.",
);

const plugins = listOf(
  words("A module of this project: ./rules/house.mjs."),
  "Modules with rules of your own.",
);

/** `rules:`. Whether there is a rule of a name that is not known here, plugins decide. */
export const Rules = described(
  z.catchall(
    z.object({
      plugins: maybe(plugins),
      ...Object.fromEntries(rules.map((rule) => [rule.name, maybe(setting(rule))])),
    }),
    maybe(customSetting),
  ),
  {
    description: "Rules that menus are judged by: their severity, off, or their options.",
    otherKeys: "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$",
  },
);
