import type { Shell, Typed } from "../../views/completion.ts";

/** bash passes words as they were typed, and splits them at `=`; the other shells do neither. */
export function typedIn(shell: Shell, words: readonly string[]): Typed {
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
