import { ruleNamed, rules } from "../rules/built-in/index.ts";
import { isCode } from "../diagnostics/codes.ts";
import { allEntries } from "../diagnostics/entries.ts";
import { codeJson, codeText, codesJson, codesText } from "../views/explain.ts";
import { toJson } from "../views/json.ts";
import { command } from "../cli/command.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { withSentence } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  takes: "[CODE]",
  arguments: { CODE: "Code of a problem, or name of a rule (default: list all codes)" },
  about: "Explain the code of a problem, or a rule, and how to fix it",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl explain IVR302", "explain the code that an error shows"],
    ["ivrctl explain menu-too-long", "explain a rule"],
  ],
  async run({ args: [asked] }) {
    if (asked === undefined) {
      return { text: codesText(), formats: { json: () => toJson(codesJson()) } };
    }
    const named = ruleNamed.get(asked.toLowerCase())?.code;
    const code = named ?? (/^\d+$/.test(asked) ? `IVR${asked}` : asked.toUpperCase());
    if (!isCode(code) || !allEntries().has(code)) {
      const meant = didYouMean(nearest(asked, ruleNamed.keys()));
      const words = `There is no code or rule \`${asked}\`.`;
      throw new UsageError(
        withSentence(words, meant ?? { words: "To list them, run:", argv: ["explain"] }),
      );
    }
    const rule = rules.find((candidate) => candidate.code === code);
    const explained = { code, rule };
    return {
      text: (page) => codeText(explained, page),
      formats: { json: () => toJson(codeJson(explained)) },
    };
  },
});
