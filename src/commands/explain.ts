import { ruleNamed, rules } from "../rules/built-in/index.ts";
import { isCode } from "../diagnostics/codes.ts";
import { showCode, showCodes } from "../views/explain.ts";
import { command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  takes: "[CODE|RULE]",
  arguments: { "CODE|RULE": "The code of a diagnostic, or the name of a rule" },
  maxArguments: 1,
  about: "Explains a diagnostic and how to fix it. Without a code, lists all of them.",
  flags: {},
  completes: "code",
  formats: ["text", "json"],
  examples: [
    ["ivrctl explain IVR302", "what the code at the head of a diagnostic means"],
    ["ivrctl explain menu-too-long", "the same for a rule"],
  ],
  async run({ args: [asked], format, terminal }) {
    if (asked === undefined) {
      showCodes(format, terminal);
      return 0;
    }
    const named = ruleNamed.get(asked.toLowerCase())?.code;
    const code = named ?? (/^\d+$/.test(asked) ? `IVR${asked}` : asked.toUpperCase());
    if (!isCode(code)) {
      throw new UsageError(`There is no code or rule ${asked}; \`ivrctl explain\` lists them all.`);
    }
    const rule = rules.find((candidate) => candidate.code === code);
    showCode({ code, rule: rule?.name }, format, terminal);
    return 0;
  },
});
