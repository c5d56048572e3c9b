import type { AliasRule } from "../rule.ts";

export const unusedAlias: AliasRule = {
  subject: "aliases",
  name: "unused-alias",
  code: "IVR712",
  severity: "info",
  options: {},
  source: "An opinion of this tool: a name that nobody uses is kept up for nothing.",
  check({ given, isUsed }, { report }) {
    for (const alias of given) {
      if (isUsed(alias)) continue;
      const what = alias.kind === "recording" ? "recording" : "SMS template";
      report(alias.at, `No menu uses the ${what} \`${alias.name}\`.`, "Remove it, or use it.");
    }
  },
};
