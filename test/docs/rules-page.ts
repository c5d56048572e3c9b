import { codeEntry } from "../../src/rules/explanations.ts";
import { rules } from "../../src/rules/built-in/index.ts";
import type { Rule } from "../../src/rules/rule.ts";

/** Returns the text of docs/rules.md. `messages` has an example of what each rule reports, by its name. */
export function rulesPage(messages: ReadonlyMap<string, string>): string {
  return `<!-- Generated from src/rules, docs/diagnostics.md and test/cases by \`npm run update\`. -->

# Rules

Rules find problems in menus that are otherwise valid: menus that confuse callers, and agents that cannot take calls. Set
them in \`ivrctl.yaml\`:

\`\`\`yaml
rules:
  zero-not-operator: off                        # error, warn, info or off
  menu-too-long: { severity: error, max: 5 }    # with options
\`\`\`

You can also write [custom rules](extend.md#custom-rules). \`ivrctl explain RULE\` also says how to fix what a rule finds.

| rule | code | default | problem |
|---|---|---|---|
${rules.map(row).join("\n")}

An unknown rule or option is an error. Rules about links between menus run only if every menu is valid.

## Which commands report what

An error stops \`plan\` and \`apply\`; \`blocked-agent\` only holds back menus. Warnings and notes (\`info\`) never change
the exit code.

| command | reports |
|---|---|
| \`validate\`, \`preview\` | errors, warnings and notes |
| \`compile\`, \`doctor\` | errors and warnings |
| \`plan\`, \`apply\`, \`diff\` | errors, warnings and \`renumbered\` |
| \`call\`, \`test\`, \`graph\` | only errors; they still walk or draw the menu |

## Ignore a rule on one line

Write a comment on the line, or on its own line above. Add a reason:

\`\`\`yaml
# ivrctl-ignore: menu-too-long, zero-not-operator the shop asked for it
options:
  1: Asha Rao
  9: Front Desk # ivrctl-ignore: reserved-key our callers know it
\`\`\`

Comments also work in \`ivrctl.yaml\` and for custom rules. An unknown rule in a comment is an error. You can ignore only
rules, not other errors.

## Built-in rules

${rules.map((rule) => section(rule, messages.get(rule.name) ?? "")).join("\n")}`;
}

function row({ name, code, severity }: Rule): string {
  const shown = severity === "warning" ? "warn" : severity;
  return `| [\`${name}\`](#${name}) | ${code} | ${shown} | ${codeEntry(code).title} |`;
}

function section({ name, code, options, source }: Rule, message: string): string {
  const { title, meaning } = codeEntry(code);
  const settings = Object.entries(options).map(
    ([option, { preset, about }]) => `- Option \`${option}\`, default ${String(preset)}: ${about}`,
  );
  const sources = source === undefined ? [] : [`- Source: ${literal(source)}`];
  return `### ${name}

${title}. ${meaning}

${[`- Example: ${literal(message)}`, ...settings, ...sources].join("\n")}
`;
}

/** Asterisks stay asterisks. */
function literal(text: string): string {
  return text.replaceAll("*", "\\*");
}
