import { type Shell, type Typed, showWords, shells } from "../../views/completion.ts";
import type { Terminal } from "../../views/terminal.ts";
import { offersFor } from "./offers.ts";

/** Runs `ivrctl completion SHELL --words -- WORD…`, which the completion scripts call. */
export async function complete(argv: readonly string[], terminal: Terminal): Promise<0> {
  const shell = shells.find((known) => known === argv[1]) ?? "bash";
  // yargs adds descriptions only if this variable names zsh or fish. Our scripts show them in fish.
  process.env["SHELL"] = shell === "fish" ? "fish" : "bash";
  const typed = typedIn(shell, argv.slice(4));
  // The line is unfinished and files may be half written, so an error means: no suggestions.
  const offers = await offersFor(typed.words, process.env).catch(() => undefined);
  if (offers !== undefined) showWords(shell, typed, offers, terminal);
  return 0;
}

/** Returns the words without quotes. Only bash passes quotes and splits words at `=`. */
function typedIn(shell: Shell, words: readonly string[]): Typed {
  if (shell !== "bash") return { words, quote: "", before: "" };
  const read = words.map(unquoted);
  const joined: string[] = [];
  let before = "";
  for (const [at, { text }] of read.entries()) {
    const last = joined.at(-1);
    before = "";
    if (text === "=" && last?.startsWith("--")) {
      joined[joined.length - 1] = before = `${last}=`;
    } else if (words[at - 1] === "=" && last?.endsWith("=") && last.startsWith("--")) {
      before = last;
      joined[joined.length - 1] = last + text;
    } else joined.push(text);
  }
  return { words: joined, quote: read.at(-1)?.quote ?? "", before };
}

function unquoted(word: string): { readonly text: string; readonly quote: Typed["quote"] } {
  let text = "";
  let quote: Typed["quote"] = "";
  for (let at = 0; at < word.length; at += 1) {
    const sign = word.charAt(at);
    const next = word.charAt(at + 1);
    if (quote === "" && (sign === "'" || sign === '"')) quote = sign;
    else if (sign === quote) quote = "";
    else if (sign === "\\" && (quote === "" || (quote === '"' && /["$`\\]/.test(next)))) {
      text += next;
      at += 1;
    } else text += sign;
  }
  return { text, quote };
}
