import { ruleNamed, rules } from "../rules/built-in/index.ts";
import { isCode, isRetired } from "../diagnostics/codes.ts";
import { allEntries, codeEntry } from "../rules/explanations.ts";
import { topicGroups, topicPage, topicTitle, topics } from "../diagnostics/topics.ts";
import { severityNames } from "../views/diagnostics/severity.ts";
import { twoColumns, wrapAdvice } from "../views/text.ts";
import { toJson } from "../views/json.ts";
import { type Context, command } from "../cli/command.ts";
import type { ResultIn } from "../views/result.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { type Hint, withSentence } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";

export default command({
  arguments: {
    "[TOPIC]":
      "Page of the documentation, code of a problem, or name of a rule (default: list all topics)",
  },
  about:
    "Explain a topic, a code or a rule.\n\nPrints a page of the documentation (in a pipe as Markdown), or what a code or a rule means and how to fix the problem.",
  formats: ["text", "json"],
  examples: [
    ["ivrctl explain", "list all topics"],
    ["ivrctl explain troubleshooting", "read a page of the documentation"],
    ["ivrctl explain IVR302", "explain the code that an error shows"],
    ["ivrctl explain menu-too-long", "explain a rule"],
  ],
  async run(context) {
    const [asked] = context.args;
    if (asked === undefined) return everything();
    const topic = asked.replace(/^(?:docs\/)?(.*)\.md(?:#.*)?$/, "$1");
    if (topics().includes(topic)) {
      const text = topicPage(topic);
      const { terminalMarkdown } = await import("../views/terminal-markdown.ts");
      return {
        // In a pipe, the page stays Markdown.
        text: (page) => (page.prose === Infinity ? text : terminalMarkdown(text, page)),
        formats: { json: () => toJson({ topic, title: topicTitle(topic), text }) },
      };
    }
    const rule = ruleNamed.get(asked.toLowerCase()) ?? (await customRule(asked, context));
    const code = rule?.code ?? (/^\d+$/.test(asked) ? `IVR${asked}` : asked.toUpperCase());
    if (!isCode(code) || !allEntries().has(code)) {
      const meant = didYouMean(nearest(asked, [...topics(), ...ruleNamed.keys()]));
      const words =
        isCode(code) && isRetired(code)
          ? `The code ${code} was removed from ivrctl.`
          : `There is no topic, code or rule \`${asked}\`.`;
      throw new UsageError(
        withSentence(words, meant ?? { words: "To list all of them, run:", argv: ["explain"] }),
      );
    }
    const entry = codeEntry(code);
    const name = rule?.name ?? rules.find((candidate) => candidate.code === code)?.name;
    const { severity, title, meaning, fix } = { ...entry, meaning: rule?.about ?? entry.meaning };
    const paragraphs: Hint[] = [
      `${code} (${severityNames[severity]}): ${title}`,
      meaning,
      `How to fix: ${fix}`,
      ...(name === undefined ? [] : [ruleHint(name)]),
    ];
    return {
      text: ({ prose: wordWrap, command }) =>
        paragraphs.map((hint) => `${wrapAdvice(hint, "", { wordWrap, command })}\n`).join("\n"),
      formats: { json: () => toJson({ code, severity, title, meaning, fix, rule: name }) },
    };
  },
});

/** The list of all topics. In text, the codes are only counted: a message names the one to explain. */
function everything(): ResultIn<"json"> {
  const entries = [...allEntries().values()];
  const codes = entries.map(({ code, severity, title }) => ({ code, severity, title }));
  const groups = topicGroups().map(([heading, names]) => {
    const pages = names.map((topic) => ({ topic, title: topicTitle(topic) }));
    return { heading, pages };
  });
  return {
    text: ({ prose, style }) => {
      const lists = groups.map(({ heading, pages }) => {
        const rows = pages.map(({ topic, title }) => [topic, title] as const);
        return `${style("bold", `${heading}:`)}\n${twoColumns(rows, prose)}\n`;
      });
      return `${lists.join("")}${entries.length} codes, such as IVR302, which errors show. All: ivrctl explain diagnostics\n`;
    },
    formats: { json: () => toJson({ topics: groups.flatMap(({ pages }) => pages), codes }) },
  };
}

/** The rule of a plugin: PLUGIN/RULE. Undefined if no plugin of this project has it. */
async function customRule(name: string, context: Context) {
  if (!name.includes("/")) return undefined;
  const { openProject } = await import("../workspace/open-project.ts");
  const { plugins } = await openProject(context);
  return plugins.rules.find((rule) => rule.name === name);
}

function ruleHint(name: string): Hint {
  return {
    words: `The rule ${name} reports this. Set the rule under \`rules:\` in ivrctl.yaml. To ignore it on one line, add this comment to the line:`,
    command: `# ivrctl-ignore: ${name}`,
  };
}
