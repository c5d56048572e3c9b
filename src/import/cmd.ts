import type { Source } from "../diagnostics/source.ts";
import { Collected } from "./decoded.ts";
import { type Shell, type ShellCommand, ShellWord, type Word, lineBreak } from "./shell.ts";

/**
 * Whether a text is written for cmd of Windows: lines go on with `^`, quotes may
 * be `^"`. Single quotes around a body and `\` at a line's end are of a POSIX shell.
 */
export function isForCmd(text: string): boolean {
  if (!/\^(?:\r?\n|")/.test(text)) return false;
  const firstQuote = /curl[^'"]*(['"])/i.exec(text)?.[1];
  return firstQuote !== "'" && !/\\\r?\n|[\s=d]\$?'\s*[{[]/.test(text);
}

/** The commands of a text for cmd. Nothing is expanded, let alone run. */
export function readCmd(source: Source): Shell {
  const commands: ShellCommand[] = [];
  let unclosed: number | undefined;
  for (const line of linesOf(source.text)) {
    const { words, open } = wordsOf(source, line);
    if (words.length > 0) commands.push({ words, input: undefined });
    unclosed ??= open;
  }
  return { commands, unclosed };
}

/** A character that cmd hands on, and where it stands. */
interface Handed {
  readonly character: string;
  readonly at: number;
}

/** What cmd makes of a text: carets taken out, a line a command. */
function linesOf(text: string): Handed[][] {
  const lines: Handed[][] = [];
  let line: Handed[] = [];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "^" && !quoted) {
      at += 1 + lineBreak(text, at + 1);
      // An escaped line break is none, but a second one behind it is meant.
      const second = lineBreak(text, at);
      if (second > 0) line.push({ character: "\n", at });
      else if (at < text.length) line.push({ character: text[at] ?? "", at });
      at += Math.max(second - 1, 0);
      continue;
    }
    if (character === '"') quoted = !quoted;
    if (character === "\n" && !quoted) {
      lines.push(line);
      line = [];
    } else line.push({ character, at });
  }
  return [...lines, line];
}

/** What a program of Windows makes of its line. */
function wordsOf(source: Source, line: readonly Handed[]) {
  const words: Word[] = [];
  let word: Collected | undefined;
  let start = 0;
  let open: number | undefined;
  const end = (at: number) => {
    if (word === undefined) return;
    words.push(new ShellWord(source, word, { start, end: at, expansion: undefined }));
    word = undefined;
  };
  for (let index = 0; index < line.length; index += 1) {
    const { character, at } = line[index] ?? { character: "", at: 0 };
    if (open === undefined && /[ \t\r\n]/.test(character)) {
      end(at);
      continue;
    }
    if (word === undefined) {
      word = new Collected();
      start = at;
    }
    if (character === '"') {
      const twice = open !== undefined && line[index + 1]?.character === '"';
      if (twice) {
        word.put('"', at);
        index += 1;
      } else open = open === undefined ? at : undefined;
    } else if (character === "\\") {
      let count = 1;
      while (line[index + count]?.character === "\\") count += 1;
      // Only before a quote does a backslash escape anything.
      const beforeQuote = line[index + count]?.character === '"';
      word.put("\\".repeat(beforeQuote ? Math.floor(count / 2) : count), at);
      index += count - 1;
      if (beforeQuote && count % 2 === 1) {
        word.put('"', at);
        index += 1;
      }
    } else word.put(character, at);
  }
  end((line.at(-1)?.at ?? 0) + 1);
  return { words, open };
}
