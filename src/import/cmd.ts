import type { Source } from "../diagnostics/source.ts";
import { type Word, WordBuilder } from "./extracted-text.ts";
import { type ShellCommand, type ShellText, lineBreak } from "./shell.ts";

/**
 * Whether a text is for cmd.exe: lines continue after `^`, and quotes may be `^"`. A body in single
 * quotes or a `\` at the end of a line means a POSIX shell.
 */
export function isForCmd(text: string): boolean {
  if (!/\^(?:\r?\n|")/.test(text)) return false;
  const firstQuote = /curl[^'"]*(['"])/i.exec(text)?.[1];
  return firstQuote !== "'" && !/\\\r?\n|[\s=d]\$?'\s*[{[]/.test(text);
}

/** The commands of a text for cmd.exe. Nothing is expanded or run. */
export function readCmd(source: Source): ShellText {
  const commands: ShellCommand[] = [];
  let unclosed: number | undefined;
  for (const line of linesOf(source.text)) {
    const { words, openQuote } = wordsOf(source, line);
    if (words.length > 0) commands.push({ words, input: undefined });
    unclosed ??= openQuote;
  }
  return { commands, unclosed };
}

/** A character that cmd.exe passes to the program, and its place in the text. */
interface PassedCharacter {
  readonly character: string;
  readonly at: number;
}

/** The lines that cmd.exe runs, each a command, with its carets removed. */
function linesOf(text: string): PassedCharacter[][] {
  let line: PassedCharacter[] = [];
  const lines = [line];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "^" && !quoted) {
      at += 1 + lineBreak(text, at + 1);
      // The caret removes one line break. A second line break stays.
      const second = lineBreak(text, at);
      if (second > 0) line.push({ character: "\n", at });
      else if (at < text.length) line.push({ character: text[at] ?? "", at });
      at += Math.max(second - 1, 0);
      continue;
    }
    if (character === '"') quoted = !quoted;
    if (character === "\n" && !quoted) {
      line = [];
      lines.push(line);
    } else line.push({ character, at });
  }
  return lines;
}

/** Splits a command line into words, as Windows programs do. */
function wordsOf(source: Source, line: readonly PassedCharacter[]) {
  const words: Word[] = [];
  let word: WordBuilder | undefined;
  let openQuote: number | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const { character, at } = line[index] ?? { character: "", at: 0 };
    if (openQuote === undefined && /[ \t\r\n]/.test(character)) {
      if (word !== undefined) words.push(word.build(at));
      word = undefined;
      continue;
    }
    word ??= new WordBuilder(source, at);
    if (character === '"') {
      if (openQuote !== undefined && line[index + 1]?.character === '"') {
        word.put('"', at);
        index += 1;
      } else openQuote = openQuote === undefined ? at : undefined;
    } else if (character === "\\") {
      let count = 1;
      while (line[index + count]?.character === "\\") count += 1;
      // A backslash is an escape character only before a quote.
      const beforeQuote = line[index + count]?.character === '"';
      word.put("\\".repeat(beforeQuote ? Math.floor(count / 2) : count), at);
      index += count - 1;
      if (beforeQuote && count % 2 === 1) {
        word.put('"', at);
        index += 1;
      }
    } else word.put(character, at);
  }
  if (word !== undefined) words.push(word.build((line.at(-1)?.at ?? 0) + 1));
  return { words, openQuote };
}
