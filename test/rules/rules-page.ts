import { entryOf } from "../../src/diagnostics/entries.ts";
import { rules } from "../../src/rules/built-in/index.ts";
import type { Rule } from "../../src/rules/rule.ts";

/** The texts of files by path. */
type Files = Readonly<Record<string, string>>;

/** A project as an example for a rule. */
export interface Example {
  readonly files: Files;
  /** The problems as printed; "" if there are none. */
  readonly output: string;
}

export interface Examples {
  readonly invalid: Example;
  readonly valid: Example;
}

/** The text of docs/rules.md. */
export function rulesPage(): string {
  return `${generatedFrom("src/rules/")}
# Rules

Rules find problems in menus that are otherwise valid: menus that confuse callers, and agents that cannot take calls. Set
them in \`ivrctl.yaml\`:

\`\`\`yaml
rules:
  zero-not-operator: off                        # error, warn, info or off
  menu-too-long: { severity: error, max: 5 }    # with options
\`\`\`

| rule | code | default | problem |
|---|---|---|---|
${rules.map(row).join("\n")}

An unknown rule or option is an error. You cannot change the severity of \`agent-without-eid\`: without an extension
id, ivrctl has nothing to send.

You can also write your own rules: see [Custom rules](custom-rules.md).

## Ignore a rule on one line

Write a comment on the line, or on its own line above. Add a reason:

\`\`\`yaml
# ivrctl-ignore: menu-too-long, zero-not-operator the shop asked for it
options:
  1: Asha Rao
  9: Front Desk # ivrctl-ignore: reserved-key our callers know it
\`\`\`

Several comment lines in a row apply to the same line. Comments also work in \`ivrctl.yaml\` and for custom rules.

An unknown rule in a comment is an error. Errors that do not come from a rule cannot be ignored.

## Which commands report what

An error stops \`plan\` and \`apply\` for the menu. Warnings and notes (\`info\`) do not, and they do not change the exit code.

| command | reports |
|---|---|
| \`validate\`, \`preview\` | errors, warnings and notes |
| \`compile\`, \`doctor\` | errors and warnings |
| \`plan\`, \`apply\`, \`diff\` | errors, warnings and \`renumbered\` |
| \`call\`, \`test\`, \`graph\` | only errors; they still walk or draw the menu |

Only \`plan\`, \`apply\` and \`diff\` run \`renumbered\`, because it compares a menu with an earlier one.

## Where a problem is reported

A rule reports a problem at the value that causes it. If the value is a default or the text of a recording, the place is
in \`ivrctl.yaml\`, and the problem is reported once. If a default conflicts with a value in a menu, the place is in the
menu.

If the agent list is missing or a part of a menu is invalid, the rules check the rest. Rules about [links between
menus](menu-flows.md) and about unused aliases need all menus, so they run only if every menu is valid.

## Blocked agents

If you lower or ignore \`blocked-agent\`, ivrctl plans and applies the menu. A saved plan records which agents were
blocked. \`apply FILE\` accepts these agents and refuses if another agent has been blocked since.
`;
}

/** The text of docs/rules/NAME.md. */
export function rulePage(rule: Rule, { invalid, valid }: Examples): string {
  const { title, meaning, fix } = entryOf(rule.code);
  const command = rule.subject === "change" ? "plan" : "validate";
  return `${generatedFrom(`src/rules/built-in/${rule.name}.ts, src/diagnostics and test/cases`)}
# ${rule.name}

Reports this problem: ${title}. Code ${rule.code}, \`${severityWord(rule)}\` by default.

${meaning}

## Example

${filesText(rule, invalid)}
\`ivrctl ${command}\` prints:

\`\`\`text
${invalid.output.replace(/^\d+ \w+\n$/m, "").trimEnd()}
\`\`\`

## How to fix

${fix}

${filesText(rule, valid, lastField(invalid.files, invalid.output))}${optionsText(rule)}
Source: ${rule.source.replaceAll("*", "\\*")}

[All rules](../rules.md)
`;
}

function generatedFrom(from: string): string {
  return `<!-- Generated from ${from} by \`npm run update\`. -->\n`;
}

function row(rule: Rule): string {
  return `| [\`${rule.name}\`](rules/${rule.name}.md) | ${rule.code} | ${severityWord(rule)} | ${entryOf(rule.code).title} |`;
}

function severityWord({ severity }: Rule): string {
  return severity === "warning" ? "warn" : severity;
}

function optionsText({ name, options }: Rule): string {
  const rows = Object.entries(options).map(
    ([option, { preset, about }]) => `| \`${option}\` | ${preset} | ${about} |`,
  );
  if (rows.length === 0) return "";
  const [first = ""] = Object.keys(options);
  return `
## Options

| option | default | meaning |
|---|---|---|
${rows.join("\n")}

\`\`\`yaml
rules:
  ${name}: { ${first}: ${options[first]?.preset ?? ""} }
\`\`\`
`;
}

/** The files as fenced blocks. Each ends with the field that the last problem is in. */
function filesText(
  { subject }: Rule,
  { files, output }: Example,
  field = lastField(files, output),
) {
  // How menus lead to each other is in their options.
  const last = subject === "project" && field === "name" ? "options" : field;
  const all = Object.entries(files);
  const shown = subject === "menu" ? [typicalFile(files, output)] : all;
  return shown
    .map(([path, text]) => `\`${path}\`\n\n\`\`\`yaml\n${upTo(last, text).trimEnd()}\n\`\`\`\n`)
    .join("\n");
}

/** The configuration if the example has one, or else the file of the first problem. */
function typicalFile(files: Files, output: string): readonly [path: string, text: string] {
  const [problem] = placesIn(output);
  const wanted = ["ivrctl.yaml", problem?.path, "ivrs/menu.yaml"];
  const path = wanted.find((name) => name !== undefined && name in files);
  const [first = ["", ""]] = Object.entries(files);
  return path === undefined ? first : [path, files[path] ?? ""];
}

/** The last top-level field with a problem, in the file of the first problem. */
function lastField(files: Files, output: string): string {
  const places = placesIn(output);
  const path = places[0]?.path ?? "";
  const text = Object.entries(files).find(([name]) => name.endsWith(path))?.[1] ?? "";
  const line = Math.max(
    ...places.filter((place) => place.path === path).map((place) => place.line),
  );
  const before = text.split("\n").slice(0, line);
  return before.findLast((row) => /^\w/.test(row))?.split(":")[0] ?? "";
}

function upTo(field: string, text: string): string {
  const blocks = text.split(/^(?=\w)/m);
  const at = blocks.findIndex((block) => block.startsWith(`${field}:`));
  if (at === -1 || at === blocks.length - 1) return text;
  return `${blocks.slice(0, at + 1).join("")}# …`;
}

function placesIn(output: string): { path: string; line: number }[] {
  return [...output.matchAll(/ --> (.+):(\d+):\d+\n/g)].map(([, path = "", line]) => ({
    path,
    line: Number(line),
  }));
}
