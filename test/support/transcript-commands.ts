export interface Command {
  /** The text in the file. */
  readonly source: string;
  readonly words: readonly string[];
  /** `NAME=value` before the program; `NAME=` unsets it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The words after `<`, `<<<`, `>` and `>>`: files to read, write and append to, or a text to read. */
  readonly files: Readonly<Partial<Record<"<" | "<<<" | ">" | ">>", string>>>;
}

const quoted = /\$'(?:\\.|[^'\\])*'|'[^']*'|"(?:\\.|[^"\\])*"/.source;
/** A comment line or a command. A command continues after a line break in quotes. */
const line = new RegExp(`^#[^\\n]*|(?:${quoted}|[^\\n'"])+`, "gms");
const word = new RegExp(`(?:${quoted}|[^\\s'"<>])+|<<<|>>|[<>]`, "gs");
const part = new RegExp(`${quoted}|[^'"$]+|\\$`, "gs");

/** Returns the commands of a text in order, and its comments as strings. */
export function readCommands(text: string): (Command | string)[] {
  return (text.match(line) ?? [])
    .filter((found) => found.trim() !== "")
    .map((found) => (found.startsWith("#") ? found : readCommand(found)));
}

function readCommand(source: string): Command {
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
    } else if (/^(?:<<<|>>|[<>])$/.test(found)) {
      operator = found;
    } else if (words.length === 0 && name !== undefined && content !== undefined) {
      variables[name] = content;
    } else {
      words.push(value);
    }
  }
  return { source, words, variables, files };
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
