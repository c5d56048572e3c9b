import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";

export interface ImportedMenu {
  /** Where it was written; null if it is printed. */
  readonly file: string | null;
  readonly key: string;
  readonly text: string;
  readonly unnamed: readonly {
    readonly field: string;
    readonly reason: string;
  }[];
}

export function askForText({ terminal, globals }: Audience): void {
  if (!globals.quiet) terminal.say("Paste a payload or a curl command, then press Ctrl-D.\n");
}

/** Prints what was written, which ids have no name, and what to do next. */
export async function showImported(
  menus: readonly ImportedMenu[],
  diagnostics: readonly Diagnostic[],
  { globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  for (const { file, text } of menus) {
    if (file === null) terminal.data(text);
    else terminal.out(`${visible(terminal.path(file))}\n`);
  }
  if (globals.quiet || menus.length === 0) return;
  for (const menu of menus) terminal.say(unnamedIn(menu, terminal));
  terminal.say(next(menus, terminal));
}

function unnamedIn({ file, key, unnamed }: ImportedMenu, { path }: Terminal): string {
  if (unnamed.length === 0) return "";
  const lines = unnamed.map(({ field, reason }) => `  ${visible(field)}: ${visible(reason)}\n`);
  return `Written as ids in ${visible(file === null ? key : path(file))}, because no name was found:\n${lines.join("")}`;
}

function next(menus: readonly ImportedMenu[], { path }: Terminal): string {
  const own = menus.filter(({ file }) => file?.startsWith("ivrs/"));
  const [first] = own;
  if (first === undefined) return "";
  const paths = own.length === 1 ? ` ${visible(path(first.file ?? ""))}` : "";
  const keys = own.length === 1 ? visible(first.key) : "KEY";
  return `Next, check the menu${own.length === 1 ? "" : "s"}:
  ivrctl validate${paths}
If ${own.length === 1 ? "the menu" : "a menu"} already exists on the service, record it:
  ivrctl state resolve ${keys} --created
`;
}
