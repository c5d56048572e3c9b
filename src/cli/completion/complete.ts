import { showWords, shells } from "../../views/completion.ts";
import type { Terminal } from "../../views/terminal.ts";
import { offersFor } from "./offers.ts";
import { typedIn } from "./quoting.ts";

/** Answers `ivrctl completion SHELL --words -- WORD…`, with which the completion scripts ask. */
export async function complete(argv: readonly string[], terminal: Terminal): Promise<0> {
  const shell = shells.find((known) => known === argv[1]) ?? "bash";
  // By this variable yargs decides whether to describe what it offers, and our scripts do so for fish.
  process.env["SHELL"] = shell === "fish" ? "fish" : "bash";
  const typed = typedIn(shell, argv.slice(4));
  // The line is unfinished, and files may be half written: if anything fails, there is nothing to offer.
  const offers = await offersFor(typed.words, process.env).catch(() => undefined);
  if (offers !== undefined) showWords(shell, typed, offers, terminal);
  return 0;
}
