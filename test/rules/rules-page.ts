import { entryOf } from "../../src/diagnostics/texts.ts";
import { rules } from "../../src/rules/built-in/index.ts";
import type { Rule } from "../../src/rules/rule.ts";

/** A project as an example for a rule. */
export interface Example {
  /** The texts of its files by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The printed findings; "" if there are none. */
  readonly found: string;
}

export interface Examples {
  readonly trips: Example;
  readonly fine: Example;
}

/** The text of docs/rules.md. */
export function rulesPage(): string {
  return `${made("src/rules/")}
# Rules

A menu can be well-formed and still be a bad menu. These rules know what callers expect; each has a page
with its reason, its source, its options, and menus that it finds fault with and that it does not.

| rule | code | unless set | what it finds |
|---|---|---|---|
${rules.map(row).join("\n")}

Errors keep a menu from being planned and applied, warnings and notes do not, and neither changes an exit
code. \`validate\` and \`preview\` tell everything. \`plan\`, \`apply\`, \`diff\`, \`compile\` and \`doctor\` leave the
notes (\`info\`) out, but for \`renumbered\`, which is about a change and told by \`plan\`, \`apply\` and \`diff\` alone.
\`call\`, \`test\` and \`graph\` tell errors only, and still walk and draw the menu.

## Set

In \`ivrctl.yaml\`, at the top level:

\`\`\`yaml
rules:
  zero-not-operator: off                        # error, warn, info or off
  menu-too-long: { severity: error, max: 5 }    # with options
\`\`\`

A name that is no rule is an error, with the nearest; so is an option that the rule does not have.
\`agent-without-eid\` cannot be lowered: without an extension id there is nothing to send.

## Silence

A comment silences a rule for one line: the line it stands on or, alone on its line, the one below. Several
such lines above one another silence the same one. Say why:

\`\`\`yaml
# ivrctl-ignore: menu-too-long, zero-not-operator the shop has asked for it
options:
  1: Asha Rao
  9: Front Desk # ivrctl-ignore: reserved-key known to our callers
\`\`\`

It works in \`ivrctl.yaml\` too, and for [custom rules](custom-rules.md) by their full name. A name that is no
rule is an error; a comment that silences nothing is told, once everything in the file could be judged. For
\`renumbered\` that is never told: whether it finds something depends on what was applied, and not on the file.
What is no rule cannot be silenced.

## Where a finding stands

At the value at fault. Where that is a default or the text of a recording, it stands in \`ivrctl.yaml\`, once;
where two values do not go together, and one of them is a default, in the menu.
A rule looks at what can be known: without an agent list, or with a fault elsewhere in the menu, it judges
the rest.

## Blocked agents, on purpose

Where \`blocked-agent\` is lowered or silenced, the menu is planned and applied. A saved plan remembers whose
extensions were blocked when it was made: \`apply FILE\` takes those and still refuses if somebody else has been
blocked since. \`check\` looks at what was applied and not at the files, so it goes on telling of every blocked
agent.

## Rules of your own

See [Custom rules](custom-rules.md).
`;
}

/** The text of docs/rules/NAME.md. */
export function rulePage(rule: Rule, { trips, fine }: Examples): string {
  const { title, meaning, fix } = entryOf(rule.code);
  return `${made(`src/rules/built-in/${rule.name}.ts, src/diagnostics and test/cases`)}
# ${rule.name}

${title} (${rule.code}), \`${wordOf(rule)}\` unless set.

${meaning}

How to fix: ${fix}

Source: ${rule.source.replaceAll("*", "\\*")}
${optionsOf(rule)}
## Found

${exampleText(trips)}
\`\`\`text
${trips.found.trimEnd()}
\`\`\`

## Not found

${exampleText(fine)}
[All rules](../rules.md)
`;
}

function made(from: string): string {
  return `<!-- Made from ${from} by \`npm run update\`. -->\n`;
}

function row(rule: Rule): string {
  return `| [\`${rule.name}\`](rules/${rule.name}.md) | ${rule.code} | ${wordOf(rule)} | ${entryOf(rule.code).title} |`;
}

function wordOf({ severity }: Rule): string {
  return severity === "warning" ? "warn" : severity;
}

function optionsOf({ name, options }: Rule): string {
  const rows = Object.entries(options).map(
    ([option, { preset, about }]) => `| \`${option}\` | ${preset} | ${about} |`,
  );
  if (rows.length === 0) return "";
  const [first = ""] = Object.keys(options);
  return `
## Options

| option | unless given | what it is |
|---|---|---|
${rows.join("\n")}

\`\`\`yaml
rules:
  ${name}: { ${first}: ${options[first]?.preset ?? ""} }
\`\`\`
`;
}

function exampleText({ files }: Example): string {
  return Object.entries(files)
    .map(([path, text]) => `\`${path}\`\n\n\`\`\`yaml\n${text.trimEnd()}\n\`\`\`\n`)
    .join("\n");
}
