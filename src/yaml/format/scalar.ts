import { endOf, withoutBlanksAtEnd } from "./pieces.ts";

/** The lines of a plain or quoted text, without the white space that YAML ignores. */
export function flowScalarLines(source: string): string[] {
  const lines = source.split("\n");
  const last = lines.length - 1;
  return lines.map((line, index) => {
    const left = index === 0 ? line : line.replace(/^[ \t]+/, "");
    return index === last ? left : withoutEnd(left, source.startsWith('"'));
  });
}

/** In double quotes a `\` makes the white space behind it part of the text. */
function withoutEnd(line: string, escapes: boolean): string {
  const kept = withoutBlanksAtEnd(line);
  if (!escapes) return kept;
  const backslashes = kept.length - endOf(kept, "\\");
  return backslashes % 2 === 1 ? line.slice(0, kept.length + 1) : kept;
}

interface BlockScalarLines {
  /** Without the indentation, and without empty lines at the end that say nothing. */
  readonly lines: readonly string[];
  /** How much of the source these are. */
  readonly length: number;
  /** The indentation that the header asks for. */
  readonly indicator: number | undefined;
}

/** The header is as in `|2-`, the indentation that of the collection around it. */
export function blockScalarLines(header: string, indent: number, source: string): BlockScalarLines {
  const digit = /[1-9]/.exec(header)?.[0];
  const indicator = digit === undefined ? undefined : Number(digit);
  const written = source.replace(/\n$/, "").split("\n");
  const filled = written.find((line) => /[^ ]/.test(line));
  // Without any text, white space is no text either.
  const width =
    filled === undefined
      ? Number.POSITIVE_INFINITY
      : indicator === undefined
        ? filled.search(/[^ ]/)
        : indent + indicator;
  const lines = written.map((line) => line.slice(Math.min(width, line.search(/[^ ]|$/))));
  let count = source === "" ? 0 : lines.length;
  if (!header.includes("+")) while (count > 0 && lines[count - 1] === "") count -= 1;
  const length = written.slice(0, count).join("\n").length;
  return { lines: lines.slice(0, count), length, indicator };
}
