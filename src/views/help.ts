import { twoColumns } from "./two-columns.ts";
import { wrap } from "./wrap.ts";

/** What the help shows of a flag. */
interface ShownFlag {
  readonly short?: string;
  readonly value?: string;
  readonly hidden?: true;
  readonly about: string;
}

type ShownFlags = Readonly<Record<string, ShownFlag>>;

interface ShownCommand {
  readonly takes?: string;
  readonly about: string;
  readonly flags: ShownFlags;
  readonly formats: readonly string[];
  readonly examples: readonly (readonly [command: string, what: string])[];
}

/** `ivrctl --help`: the map. */
export function helpMap(
  commands: Readonly<Record<string, { readonly about: string }>>,
  globals: ShownFlags,
  width: number,
): string {
  return `ivrctl: phone menus as code

Usage: ivrctl COMMAND [options]

Commands:
${twoColumns(
  Object.entries(commands).map(([name, { about }]) => [name, about]),
  width,
)}
Options of every command:
${flagTable(globals, width)}
${wrap("`ivrctl COMMAND --help` says more about a command, `ivrctl --version` which ivrctl this is.", "", width)}
`;
}

export function helpCommand(
  name: string,
  command: ShownCommand,
  globals: ShownFlags & { readonly format: ShownFlag },
  width: number,
): string {
  const open = Object.entries(command.flags).filter(([, { hidden }]) => !hidden);
  const own = open.length === 0 ? "" : `\nOptions:\n${flagTable(Object.fromEntries(open), width)}`;
  const format = { ...globals.format, value: command.formats.join("|") };
  return `Usage: ivrctl ${name}${command.takes === undefined ? "" : ` ${command.takes}`} [options]

${wrap(command.about, "", width)}

Examples:
${command.examples.map(([line, what]) => `  ${line}\n${wrap(what, "      ", width)}\n`).join("")}${own}
Options of every command:
${flagTable({ ...globals, format }, width)}`;
}

function flagTable(flags: ShownFlags, width: number): string {
  return twoColumns(
    Object.entries(flags).map(([name, { short, value, about }]) => {
      const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
      return [value === undefined ? names : `${names} ${value}`, about];
    }),
    width,
  );
}
