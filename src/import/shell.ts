import type { Source } from "../diagnostics/source.ts";
import { Collected, Decoded } from "./decoded.ts";

/** A word of a command, as the program would get it. */
export interface Word extends Decoded {
  /** With its quotes. */
  readonly start: number;
  readonly end: number;
  /** Where a shell would put something else in: a variable, another command's output. */
  readonly expansion: number | undefined;
}

export interface ShellCommand {
  readonly words: readonly Word[];
  /** What `<<` gives it to read. */
  readonly input: Word | undefined;
}

export interface Shell {
  readonly commands: readonly ShellCommand[];
  /** A quote that is never closed; what comes after it is not read. */
  readonly unclosed: number | undefined;
}

/** The commands of a text for a POSIX shell. Nothing is expanded, let alone run. */
export function readShell(source: Source): Shell {
  return new ShellReader(source).read();
}

export class ShellWord extends Decoded implements Word {
  readonly start: number;
  readonly end: number;
  readonly expansion: number | undefined;

  constructor(source: Source, collected: Collected, { start, end, expansion }: WordPlace) {
    super(source, collected.text(), collected.offsets(), end);
    this.start = start;
    this.end = end;
    this.expansion = expansion;
  }
}

interface WordPlace {
  readonly start: number;
  readonly end: number;
  readonly expansion: number | undefined;
}

interface HereDocument {
  readonly end: string;
  readonly literal: boolean;
  readonly tabs: boolean;
}

class ShellReader {
  readonly #source: Source;
  readonly #text: string;
  readonly #commands: ShellCommand[] = [];
  #words: Word[] = [];
  #input: Word | undefined;
  #here: HereDocument | undefined;
  /** `<<<`: the next word is what the command reads. */
  #hereString = false;
  #word: Collected | undefined;
  #start = 0;
  #expansion: number | undefined;
  #at = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
  }

  read(): Shell {
    let unclosed: number | undefined;
    while (this.#at < this.#text.length && unclosed === undefined) unclosed = this.#next();
    this.#endCommand();
    return { commands: this.#commands, unclosed };
  }

  /** One step; the place of a quote that is never closed. */
  #next(): number | undefined {
    const text = this.#text;
    const at = this.#at;
    const character = text[at] ?? "";
    switch (character) {
      case "\\":
        this.#backslash();
        return undefined;
      case "'":
        return this.#quoted(this.#single(at + 1), at);
      case '"':
        return this.#quoted(this.#double(at + 1), at);
      case "$":
        if (text[at + 1] === "'") return this.#quoted(this.#ansi(at + 2), at);
        if (text[at + 1] === '"') return this.#quoted(this.#double(at + 2), at);
        this.#take(at, at + 1);
        this.#noteDollar(at);
        return undefined;
      case "`":
        this.#take(at, at + 1);
        this.#expansion ??= at;
        return undefined;
      case " ":
      case "\t":
      case "\r":
      case "(":
      case ")":
        this.#endWord();
        break;
      case "\n":
        this.#newline();
        return undefined;
      case ";":
      case "|":
      case "&":
        this.#endCommand();
        break;
      case ">":
        this.#endWord();
        if (text[at + 1] === "&") this.#at += 1;
        break;
      case "<":
        this.#endWord();
        this.#lessThan();
        return undefined;
      case "#":
        if (this.#word === undefined) {
          const end = text.indexOf("\n", at);
          this.#at = end === -1 ? text.length : end;
          return undefined;
        }
        this.#take(at, at + 1);
        return undefined;
      default:
        this.#take(at, at + 1);
        return undefined;
    }
    this.#at += 1;
    return undefined;
  }

  #quoted(end: number | undefined, opening: number): number | undefined {
    if (end === undefined) {
      this.#at = this.#text.length;
      return opening;
    }
    this.#at = end;
    return undefined;
  }

  #single(from: number): number | undefined {
    const end = this.#text.indexOf("'", from);
    if (end === -1) return undefined;
    this.#open(from - 1).take(this.#text, from, end);
    return end + 1;
  }

  #double(from: number): number | undefined {
    const word = this.#open(from - 1);
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '"') return at + 1;
      if (character === "\\") {
        const skipped = lineBreak(this.#text, at + 1);
        if (skipped > 0) at += skipped;
        else if ('"\\$`'.includes(this.#text[at + 1] ?? "x")) {
          word.put(this.#text[at + 1] ?? "", at);
          at += 1;
        } else word.take(this.#text, at, at + 1);
      } else {
        if (character === "$") this.#noteDollar(at);
        else if (character === "`") this.#expansion ??= at;
        word.take(this.#text, at, at + 1);
      }
    }
    return undefined;
  }

  /** `$'…'`, with escapes as in C. */
  #ansi(from: number): number | undefined {
    const word = this.#open(from - 2);
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === "'") return at + 1;
      if (character !== "\\") word.take(this.#text, at, at + 1);
      else {
        const escape =
          /^(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[^])/.exec(
            this.#text.slice(at + 1, at + 10),
          )?.[0] ?? "";
        word.put(ansiMeaning(escape), at);
        at += escape.length;
      }
    }
    return undefined;
  }

  #backslash(): void {
    const skipped = lineBreak(this.#text, this.#at + 1);
    if (skipped > 0) {
      this.#at += 1 + skipped;
      // A terminal shows `> ` where a command goes on.
      const prompt = /^[ \t]*>[ \t]/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0];
      this.#at += prompt?.length ?? 0;
      return;
    }
    this.#open(this.#at).put(this.#text[this.#at + 1] ?? "", this.#at);
    this.#at += 2;
  }

  #noteDollar(at: number): void {
    if (/[\w{(*@?!$-]/.test(this.#text[at + 1] ?? "")) this.#expansion ??= at;
  }

  #lessThan(): void {
    const operator = /^(?:<<<|<<-?|<)/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? "<";
    this.#at += operator.length;
    if (operator === "<<<") this.#hereString = true;
    else if (operator !== "<") {
      const named = /^[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.-]+))/.exec(
        this.#text.slice(this.#at, this.#at + 200),
      );
      if (named === null) return;
      this.#at += named[0].length;
      this.#here = {
        end: named[1] ?? named[2] ?? named[3] ?? "",
        literal: named[3] === undefined || named[0].includes("\\"),
        tabs: operator === "<<-",
      };
    }
  }

  #newline(): void {
    this.#endWord();
    this.#at += 1;
    if (this.#here !== undefined) this.#hereDocument(this.#here);
    this.#endCommand();
  }

  #hereDocument({ end, literal, tabs }: HereDocument): void {
    this.#here = undefined;
    const body = new Collected();
    const start = this.#at;
    let expansion: number | undefined;
    while (this.#at < this.#text.length) {
      const lineEnd = this.#text.indexOf("\n", this.#at);
      const next = lineEnd === -1 ? this.#text.length : lineEnd + 1;
      const indent = tabs ? (/^\t*/.exec(this.#text.slice(this.#at, next))?.[0].length ?? 0) : 0;
      const from = this.#at + indent;
      const line = this.#text.slice(from, next);
      if (line.replace(/\r?\n$/, "") === end) {
        this.#input = new ShellWord(this.#source, body, { start, end: this.#at, expansion });
        this.#at = next;
        return;
      }
      const put = literal ? -1 : line.search(/\$[\w{(]|`|\\[\\$`]/);
      if (put !== -1) expansion ??= from + put;
      body.take(this.#text, from, next);
      this.#at = next;
    }
  }

  #open(start: number): Collected {
    if (this.#word === undefined) {
      this.#word = new Collected();
      this.#start = start;
    }
    return this.#word;
  }

  #take(start: number, end: number): void {
    this.#open(start).take(this.#text, start, end);
    this.#at = end;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    const word = new ShellWord(this.#source, this.#word, {
      start: this.#start,
      end: this.#at,
      expansion: this.#expansion,
    });
    if (this.#hereString) this.#input = word;
    else this.#words.push(word);
    this.#hereString = false;
    this.#word = undefined;
    this.#expansion = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#commands.push({ words: this.#words, input: this.#input });
    this.#words = [];
    this.#input = undefined;
  }
}

/** How long the line break at a place is; 0 where there is none. */
export function lineBreak(text: string, at: number): number {
  if (text[at] === "\n") return 1;
  return text[at] === "\r" && text[at + 1] === "\n" ? 2 : 0;
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
};

function ansiMeaning(escape: string): string {
  const [first = ""] = escape;
  if (/^[xuU]./.test(escape)) {
    const code = Number.parseInt(escape.slice(1), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  }
  if (/^[0-7]/.test(escape)) return String.fromCodePoint(Number.parseInt(escape, 8) & 0xff);
  if (/^["'\\?]$/.test(first)) return first;
  return ansiLetters[first] ?? `\\${first}`;
}
