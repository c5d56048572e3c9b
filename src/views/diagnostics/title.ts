import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

/** The code, and the rule that found it where one did: what is looked up, set and silenced. */
export function titleOf({ code, rule }: Pick<Diagnostic, "code" | "rule">): string {
  return rule === undefined ? code : `${code} ${rule}`;
}
