import { type CodeEntry, allEntries } from "../../src/diagnostics/texts.ts";
import { rules } from "../../src/rules/built-in/index.ts";
import { splitCommand } from "../../src/util/split-command.ts";
import { severityWords } from "../../src/views/diagnostics/severity.ts";

/** The chapters of the page, by the first digit of a code. */
const chapters: Readonly<Record<string, string>> = {
  1: "Reading files",
  2: "Menus",
  3: "References",
  4: "Configuration",
  5: "The agent list",
  6: "State, plan, apply, import and init",
  7: "Rules",
  8: "Calls, tests and graphs",
};

/** The text of docs/diagnostics.md. */
export function diagnosticsPage(): string {
  return `<!-- Generated from src/diagnostics by \`npm run update\`. -->

# Diagnostics

All problems that ivrctl reports, by code. \`ivrctl explain CODE\` prints the same text in the terminal.
${Object.keys(chapters).map(chapter).join("")}`;
}

function chapter(digit: string): string {
  const entries = allEntries().filter(({ code }) => code.startsWith(`IVR${digit}`));
  return `
# ${chapters[digit]} (IVR${digit}xx)
${entries.map(section).join("")}`;
}

function section({ code, severity, title, meaning, fix }: CodeEntry): string {
  return `
## ${code}: ${markdown(title)}

Severity: ${severityWords[severity]}

${markdown(meaning)}

How to fix: ${fixOf(fix)}
${ruleOf(code)}`;
}

/** The rule that reports a code, and how to ignore it; empty if no rule does. */
function ruleOf(code: string): string {
  const rule = rules.find((candidate) => candidate.code === code);
  if (rule === undefined) return "";
  const { name, mandatory } = rule;
  const ignore = mandatory
    ? "It cannot be ignored."
    : `To ignore it on one line, add the comment \`# ivrctl-ignore: ${name}\` to the line.`;
  return `\nRule: [${name}](rules/${name}.md). ${ignore}\n`;
}

/** A fix, with the command at its end in a block of its own. */
function fixOf(fix: string): string {
  const { words, command } = splitCommand(fix);
  return command === undefined
    ? markdown(words)
    : `${markdown(words)}\n\n\`\`\`text\n${command}\n\`\`\``;
}

/** Escapes the special characters of Markdown outside code spans. */
function markdown(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replace(/[\\*_<[\]$#]/g, "\\$&")))
    .join("");
}
