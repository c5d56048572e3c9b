import * as z from "zod/mini";
import type { Severity } from "../../diagnostics/diagnostic.ts";
import type { HouseContext, HouseMenu, HouseOptions } from "./plugin.ts";
import { severityOf, severityWords } from "./severity.ts";

/** A rule of a plugin, under the name it has in `rules:`. */
export interface PluginRule {
  readonly name: string;
  readonly severity: Severity | "off";
  readonly options: HouseOptions;
  readonly check: (menu: HouseMenu, context: HouseContext) => unknown;
}

export type PluginReading =
  | { readonly kind: "read"; readonly name: string; readonly rules: readonly PluginRule[] }
  | { readonly kind: "refused"; readonly problem: string };

/** What a module exports, if it is a plugin. */
export function readPlugin(exported: unknown): PluginReading {
  const refused = (problem: string): PluginReading => ({ kind: "refused", problem });
  if (exported === undefined) return refused("it has no default export");
  try {
    const parsed = z.safeParse(Plugin, exported);
    if (!parsed.success) return refused(problemOf(parsed.error.issues[0]));
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
    // A getter of its own may do anything.
    return refused("its default export cannot be read");
  }
}

const word = /^[a-z][a-z0-9-]*$/;
const ruleName = z.string().check(z.regex(word));

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
      check: z.custom<PluginRule["check"]>((value) => typeof value === "function"),
    }),
  ),
});

type Issue = z.core.$ZodIssue;

function problemOf(issue: Issue | undefined): string {
  const path = issue?.path.map(String) ?? [];
  if (path.length === 0) return "its default export is not { name, rules }";
  const where = `\`${path.join(".")}\` of its default export`;
  if (issue?.code === "invalid_key") return `${where} is not a name that a rule or option can have`;
  switch (path.at(-1)) {
    case "name":
      return `${where} must be a name: small letters, digits and -`;
    case "severity":
      return `${where} must be one of ${severityWords.join(", ")}`;
    case "check":
      return `${where} must be a function`;
    default:
      return `${where} is not what it must be`;
  }
}
