import { ruleNamed, rules } from "../rules/built-in/index.ts";
import { isCode } from "../diagnostics/codes.ts";
import { allEntries, codeEntry } from "../diagnostics/explanations.ts";
import { severityNames } from "../views/diagnostics/severity.ts";
import { wrapAdvice } from "../views/text.ts";
import { toJson } from "../views/json.ts";
import { command } from "../cli/command.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { type Hint, withSentence } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  arguments: { "[CODE]": "Code of a problem, or name of a rule (default: list all codes)" },
  about: "Explain the code of a problem, or a rule, and how to fix it",
  formats: ["text", "json"],
  examples: [
    ["ivrctl explain IVR302", "explain the code that an error shows"],
    ["ivrctl explain menu-too-long", "explain a rule"],
  ],
  async run({ args: [asked] }) {
    const entries = [...allEntries().values()];
    if (asked === undefined) {
      const lines = entries.map(
        ({ code, severity, title }) => `${code}  ${severityNames[severity].padEnd(7)}  ${title}\n`,
      );
      const json = entries.map(({ code, severity, title }) => ({ code, severity, title }));
      return { text: lines.join(""), formats: { json: () => toJson(json) } };
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
    const rule = rules.find((candidate) => candidate.code === code)?.name;
    const { severity, title, meaning, fix } = codeEntry(code);
    const paragraphs: Hint[] = [
      `${code} (${severityNames[severity]}): ${title}`,
      meaning,
      `How to fix: ${fix}`,
      ...(rule === undefined ? [] : [ruleHint(rule)]),
    ];
    return {
      text: ({ prose: wordWrap, command }) =>
        paragraphs.map((hint) => `${wrapAdvice(hint, "", { wordWrap, command })}\n`).join("\n"),
      formats: { json: () => toJson({ code, severity, title, meaning, fix, rule }) },
    };
  },
});

function ruleHint(name: string): Hint {
  return {
    words: `The rule ${name} reports this. Set the rule under \`rules:\` in ivrctl.yaml. To ignore it on one line, add this comment to the line:`,
    command: `# ivrctl-ignore: ${name}`,
  };
}
