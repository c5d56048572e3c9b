import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { type Audience, visible } from "./terminal.ts";
import { listed, many } from "../util/many.ts";

interface Drawn {
  readonly file: string;
  readonly text: string;
  readonly drawable: boolean;
}

/** Prints the picture, if there is one, to stdout and everything else to stderr. */
export async function showPicture(
  drawn: Drawn | undefined,
  diagnostics: readonly Diagnostic[],
  { terminal, globals }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (drawn === undefined) return;
  terminal.out(drawn.text);
  if (!drawn.drawable && !globals.quiet) terminal.say(`${tooLarge}\n`);
}

/** Lists the files that were written. */
export async function showPictures(
  { folder, files }: { readonly folder: string; readonly files: readonly Drawn[] },
  diagnostics: readonly Diagnostic[],
  { terminal, globals }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (globals.quiet || files.length === 0) return;
  const named = files.map(({ file }) => file);
  const count = many(files.length, "picture");
  terminal.say(
    `Wrote ${count} to ${visible(terminal.path(folder))}: ${visible(listed(named, mostNamed))}.\n`,
  );
  for (const { file, drawable } of files) {
    if (!drawable) terminal.say(`${visible(file)}: ${tooLarge}\n`);
  }
}

const mostNamed = 12;
const tooLarge = "GitHub and GitLab do not draw Mermaid of this size. Use --format svg.";
