export interface Command {
  /** The command as it is written. */
  readonly source: string;
  readonly words: readonly string[];
  /** `NAME=value` before the program; `NAME=` unsets it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The words after `<`, `<<<`, `>` and `>>`: files to read, write and append to, or a text to read. */
  readonly files: Readonly<Partial<Record<"<" | "<<<" | ">" | ">>" | "2>", string>>>;
  /** The words after `|`: what of stdout is shown. */
  readonly filter: readonly string[];
  /** Whether stderr is shown: not with `2>/dev/null`, and with a filter only after `|&`. */
  readonly showsStderr: boolean;
}

const quoted = /\$'(?:\\.|[^'\\])*'|'[^']*'|"(?:\\.|[^"\\])*"/.source;
/** A command continues after a line break in quotes. */
const line = `(?:${quoted}|[^\\n'"])+`;
/** A command of a transcript, with the comment lines directly above it. Everything else is output. */
const typed = new RegExp(`^((?:#[^\\n]*\\n)*)\\$ (${line})`, "gms");
const word = new RegExp(`2>|(?:${quoted}|[^\\s'"<>])+|<<<|>>|[<>]`, "gs");
const part = new RegExp(`${quoted}|[^'"$]+|\\$`, "gs");

/** Returns the commands of a transcript in order, and its comments as strings. */
export function readTranscript(text: string): (Command | string)[] {
  return Array.from(text.matchAll(typed)).flatMap(([, comment = "", command = ""]) => [
    ...(comment === "" ? [] : [comment.trimEnd()]),
    readCommand(command),
  ]);
}

export function readCommand(source: string): Command {
  const words: string[] = [];
  const variables: Record<string, string> = {};
  const files: Partial<Record<string, string>> = {};
  let operator: string | undefined;
  for (const found of source.match(word) ?? []) {
    const value = found.replaceAll(part, unquote);
    const [, name, content] = /^([A-Z_]+)=(.*)$/s.exec(value) ?? [];
    if (operator !== undefined) {
      files[operator] = value;
      operator = undefined;
    } else if (/^(?:<<<|>>|2>|[<>])$/.test(found)) {
      operator = found;
    } else if (words.length === 0 && name !== undefined && content !== undefined) {
      variables[name] = content;
    } else {
      words.push(value);
    }
  }
  const pipe = words.findIndex((text) => text === "|" || text === "|&");
  const showsStderr = words[pipe] !== "|" && files["2>"] === undefined;
  const filter = pipe === -1 ? [] : words.splice(pipe).slice(1);
  return { source, words, variables, files, filter, showsStderr };
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(["\\$`])/g, "$1");
  if (text.startsWith("$'")) return text.slice(2, -1).replaceAll(/\\(u....|x..|.)/gs, unescaped);
  return text;
}

const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", e: "\u001b" };

function unescaped(_: string, escape: string): string {
  if (/^[ux]./.test(escape)) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
  return letters[escape] ?? escape;
}
