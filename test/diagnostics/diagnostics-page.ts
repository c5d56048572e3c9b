import { type CodeEntry, allEntries } from "../../src/diagnostics/texts.ts";

/** The chapters of the page, by the first digit of a code. */
const chapters: Readonly<Record<string, string>> = {
  1: "Reading files",
  2: "Menus",
  3: "References",
  4: "Configuration",
  5: "The agent list",
  6: "State, plan, apply, import and init",
  7: "Rules",
  8: "Calls, tests and pictures",
};

/** The text of docs/diagnostics.md. */
export function diagnosticsPage(): string {
  return `<!-- Made from src/diagnostics by \`npm run update\`. -->

# Diagnostics

Everything that ivrctl can find wrong, what it means and how to mend it. \`ivrctl explain CODE\` says the same in the terminal.
${Object.keys(chapters).map(chapter).join("")}`;
}

function chapter(digit: string): string {
  const entries = allEntries().filter(({ code }) => code.startsWith(`IVR${digit}`));
  return `
# ${chapters[digit]} (IVR${digit}xx)
${entries.map(section).join("")}`;
}

function section({ code, severity, title, meaning, mend }: CodeEntry): string {
  return `
## ${code}: ${markdown(title)}

Severity: ${severity}

${markdown(meaning)}

To mend it: ${markdown(mend)}
`;
}

/** Escapes what is special in Markdown, except in code spans. */
function markdown(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replace(/[\\*_<[\]$#]/g, "\\$&")))
    .join("");
}
