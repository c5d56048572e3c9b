import type { Source } from "../diagnostics/source.ts";
import { type Word, WordBuilder } from "./extracted-text.ts";

export interface ShellCommand {
  readonly words: readonly Word[];
  /** Its input from a here-document or a here-string. */
  readonly input: Word | undefined;
}

export interface ShellText {
  readonly commands: readonly ShellCommand[];
  /** The offset of a quote that is never closed. Nothing after it is read. */
  readonly unclosed: number | undefined;
}

/** The commands of a text for a POSIX shell. Nothing is expanded or run. */
export function readShell(source: Source): ShellText {
  return new ShellReader(source).read();
}

/** The length of the line break at a place; 0 if there is none. */
export function lineBreak(text: string, at: number): number {
  if (text[at] === "\n") return 1;
  return text[at] === "\r" && text[at + 1] === "\n" ? 2 : 0;
}

/** Matches the next token. After a line continuation, there may be the prompt `> ` of a terminal. */
const token =
  /\\\r?\n(?:[ \t]*>[ \t])?|\\[^]?|\$?["']|[ \t\r()]|>&?|<<<|<<-?|[<\n;|&$`#]|[^\\"' \t\r()><\n;|&$`#]+/y;

const plainRun = /[^"'\\$`]+/y;

interface Quote {
  readonly close: string;
  readonly escape: RegExp;
  readonly meaning: (escape: string) => string;
  readonly expands: boolean;
}

const single: Quote = { close: "'", escape: /(?!)/y, meaning: String, expands: false };
const double: Quote = {
  close: '"',
  escape: /\\(?:\r?\n|["\\$`])/y,
  meaning: (escape) => escape.replace(/^\\\s*/, ""),
  expands: true,
};
const ansi: Quote = {
  close: "'",
  escape: /\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[^])/y,
  meaning: ansiMeaning,
  expands: false,
};
const quotes = new Map([
  ["'", single],
  ['"', double],
  ['$"', double],
  ["$'", ansi],
]);

interface HereDocument {
  readonly delimiter: string;
  readonly literal: boolean;
  readonly stripsTabs: boolean;
}

class ShellReader {
  readonly #source: Source;
  readonly #text: string;
  readonly #commands: ShellCommand[] = [];
  #words: Word[] = [];
  #input: Word | undefined;
  #hereDocument: HereDocument | undefined;
  /** Whether the next word is the input of the command, as after `<<<`. */
  #hereString = false;
  #word: WordBuilder | undefined;
  #at = 0;
  #unclosed: number | undefined;

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
  }

  read(): ShellText {
    while (this.#at < this.#text.length) this.#next();
    this.#endCommand(this.#at);
    return { commands: this.#commands, unclosed: this.#unclosed };
  }

  #next(): void {
    const at = this.#at;
    const next = matchAt(token, this.#text, at) ?? "";
    this.#at = at + next.length;
    const quote = quotes.get(next);
    if (quote !== undefined) this.#quoted(quote, at);
    else if (/^\\\r?\n/.test(next)) return;
    else if (next.startsWith("\\")) this.#open(at).put(next.slice(1), at);
    else if (/^[ \t\r()>]/.test(next)) this.#endWord(at);
    else if (/^[;|&]/.test(next)) this.#endCommand(at);
    else if (next.startsWith("<")) {
      this.#endWord(at);
      this.#redirect(next);
    } else if (next === "\n") {
      this.#endWord(at);
      if (this.#hereDocument !== undefined) this.#readHereDocument(this.#hereDocument);
      this.#endCommand(this.#at);
    } else if (next === "#" && this.#word === undefined) {
      const end = this.#text.indexOf("\n", at);
      this.#at = end === -1 ? this.#text.length : end;
    } else {
      this.#noteExpansion(at);
      this.#open(at).take(at, this.#at);
    }
  }

  #quoted({ close, escape, meaning, expands }: Quote, opening: number): void {
    const text = this.#text;
    const word = this.#open(opening);
    for (let at = this.#at; at < text.length; at += 1) {
      if (text[at] === close) {
        this.#at = at + 1;
        return;
      }
      const escaped = matchAt(escape, text, at);
      if (escaped !== undefined) {
        word.put(meaning(escaped), at);
        at += escaped.length - 1;
        continue;
      }
      if (expands) this.#noteExpansion(at);
      const end = at + (matchAt(plainRun, text, at)?.length ?? 1);
      word.take(at, end);
      at = end - 1;
    }
    this.#unclosed = opening;
    this.#at = text.length;
  }

  #noteExpansion(at: number): void {
    const word = this.#open(at);
    if (matchAt(/`|\$[\w{(*@?!$-]/y, this.#text, at) !== undefined) word.expansion ??= at;
  }

  #redirect(operator: string): void {
    if (operator === "<<<") this.#hereString = true;
    if (operator !== "<<" && operator !== "<<-") return;
    const pattern = /[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.-]+))/y;
    pattern.lastIndex = this.#at;
    const named = pattern.exec(this.#text);
    if (named === null) return;
    this.#at += named[0].length;
    this.#hereDocument = {
      delimiter: named[1] ?? named[2] ?? named[3] ?? "",
      literal: named[3] === undefined || named[0].includes("\\"),
      stripsTabs: operator === "<<-",
    };
  }

  #readHereDocument({ delimiter, literal, stripsTabs }: HereDocument): void {
    this.#hereDocument = undefined;
    const body = new WordBuilder(this.#source, this.#at);
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const lineEnd = this.#text.indexOf("\n", start);
      this.#at = lineEnd === -1 ? this.#text.length : lineEnd + 1;
      const indent = stripsTabs ? (matchAt(/\t*/y, this.#text, start) ?? "").length : 0;
      const from = start + indent;
      const line = this.#text.slice(from, this.#at);
      if (line.replace(/\r?\n$/, "") === delimiter) {
        this.#input = body.build(start);
        return;
      }
      const expansion = literal ? -1 : line.search(/\$[\w{(]|`|\\[\\$`]/);
      if (expansion !== -1) body.expansion ??= from + expansion;
      body.take(from, this.#at);
    }
  }

  #open(start: number): WordBuilder {
    return (this.#word ??= new WordBuilder(this.#source, start));
  }

  #endWord(end: number): void {
    if (this.#word === undefined) return;
    const word = this.#word.build(end);
    if (this.#hereString) this.#input = word;
    else this.#words.push(word);
    this.#hereString = false;
    this.#word = undefined;
  }

  #endCommand(end: number): void {
    this.#endWord(end);
    if (this.#words.length > 0) this.#commands.push({ words: this.#words, input: this.#input });
    this.#words = [];
    this.#input = undefined;
  }
}

/** The match of a sticky pattern at a place. */
function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001B",
  E: "\u001B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "?": "?",
};

function ansiMeaning(escape: string): string {
  const [, first = ""] = escape;
  if (/^\\[xuU]./.test(escape)) {
    const code = Number.parseInt(escape.slice(2), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  }
  if (/^\\[0-7]/.test(escape)) {
    return String.fromCodePoint(Number.parseInt(escape.slice(1), 8) & 0xff);
  }
  return ansiLetters[first] ?? escape;
}
