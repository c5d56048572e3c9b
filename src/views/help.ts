import { type Command, type Flags, globalFlags } from "../commands/command.ts";
import { wrap } from "./wrap.ts";

type Map = Readonly<Record<string, { readonly about: string }>>;

/** `ivrctl --help`: the map. */
export function helpMap(commands: Map): string {
  return `ivrctl: phone menus as code

Usage: ivrctl COMMAND [options]

Commands:
${table(Object.entries(commands).map(([name, { about }]) => [name, about]))}
Options of every command:
${flagTable(globalFlags)}
\`ivrctl COMMAND --help\` says more about a command, \`ivrctl --version\` which ivrctl this is.
`;
}

export function helpCommand(name: string, command: Command): string {
  const own =
    Object.keys(command.flags).length === 0 ? "" : `\nOptions:\n${flagTable(command.flags)}`;
  const formats = { ...globalFlags.format, value: command.formats.join("|") };
  return `Usage: ivrctl ${name}${command.takes === undefined ? "" : ` ${command.takes}`} [options]

${wrap(command.about)}

Examples:
${command.examples.map(([line, what]) => `  ${line}\n      ${what}\n`).join("")}${own}
Options of every command:
${flagTable({ ...globalFlags, format: formats })}`;
}

function flagTable(flags: Flags): string {
  return table(
    Object.entries(flags).map(([name, { short, value, about }]) => {
      const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
      return [value === undefined ? names : `${names} ${value}`, about];
    }),
  );
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = " ".repeat(width + 4);
  return rows
    .map(([left, right]) => `  ${left.padEnd(width)}  ${wrap(right, indent).trimStart()}\n`)
    .join("");
}
