import * as z from "zod/mini";
import type { Severity } from "../diagnostics/diagnostic.ts";
import type { CustomContext, CustomMenu, CustomOptions } from "./plugin.ts";
import { validate } from "../schema/validate.ts";
import { severityOf, severityWords } from "./severity.ts";

/** A rule of a plugin, under the name it has in `rules:`. */
export interface PluginRule {
  readonly name: string;
  readonly severity: Severity | "off";
  readonly options: CustomOptions;
  readonly check: (menu: CustomMenu, context: CustomContext) => unknown;
}

export type PluginReading =
  | { readonly kind: "read"; readonly name: string; readonly rules: readonly PluginRule[] }
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
      rules: Object.entries(rules).map(([rule, { severity, options = {}, check }]) => ({
        name: `${name}/${rule}`,
        severity: severityOf(severity ?? "warn"),
        options,
        check,
      })),
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
      severity: z.optional(z.enum(severityWords)),
      about: z.optional(z.string()),
      options: z.optional(
        z.record(
          z.string().check(z.regex(/^(?!severity$)[A-Za-z_][\w-]*$/)),
          z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
        ),
      ),
      check: z.custom<PluginRule["check"]>((value) => typeof value === "function", {
        error: "expected a function",
      }),
    }),
  ),
});
