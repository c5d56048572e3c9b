import * as z from "zod/mini";
import { validate } from "../schema/validate.ts";
import { customRule } from "./custom-rules.ts";

export { thrownMessage } from "./custom-rules.ts";
import type { CustomRule } from "./plugin.ts";
import type { Rule } from "./rule.ts";
import { ruleSeverities } from "./rule.ts";

export type PluginReading =
  | { readonly kind: "read"; readonly name: string; readonly rules: readonly Rule[] }
  | { readonly kind: "refused"; readonly problem: string };

/** Reads the default export of a module. */
export function readPlugin(exported: unknown): PluginReading {
  const refused = (problem: string): PluginReading => ({ kind: "refused", problem });
  if (exported === undefined) return refused("it has no default export");
  try {
    const parsed = validate(Plugin, exported);
    if (!parsed.success) return refused(`its default export is invalid: ${parsed.problem}`);
    const { name, rules } = parsed.data;
    return {
      kind: "read",
      name,
      rules: Object.entries(rules).map(([ruleName, rule]) =>
        customRule(`${name}/${ruleName}`, rule),
      ),
    };
  } catch {
    // A getter of the exported object may throw anything.
    return refused("its default export cannot be read");
  }
}

const ruleName = z
  .string()
  .check(
    z.regex(/^[a-z][a-z0-9-]*$/, { error: "expected a name of lowercase letters, digits and -" }),
  );

const Plugin = z.object({
  name: ruleName,
  rules: z.record(
    ruleName,
    z.object({
      severity: z.exactOptional(z.enum(ruleSeverities)),
      about: z.exactOptional(z.string()),
      options: z.exactOptional(
        z.record(
          z.string().check(z.regex(/^(?!severity$)[A-Za-z_][\w-]*$/)),
          z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
        ),
      ),
      check: z.custom<CustomRule["check"]>((value) => typeof value === "function", {
        error: "expected a function",
      }),
    }),
  ),
});
