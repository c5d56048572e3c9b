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

/** Removes white space at the end. In double quotes, white space after a `\` is part of the text. */
function withoutEnd(line: string, escapes: boolean): string {
  const kept = withoutBlanksAtEnd(line);
  if (!escapes) return kept;
  const backslashes = kept.length - endOf(kept, "\\");
  return backslashes % 2 === 1 ? line.slice(0, kept.length + 1) : kept;
}

interface BlockScalarLines {
  /** Without indentation and without empty lines at the end that have no meaning. */
  readonly lines: readonly string[];
  /** The length of these lines in the source. */
  readonly length: number;
  /** The indentation in the header, if it has one. */
  readonly indicator: number | undefined;
}

/** The lines of a block scalar. `header` is for example `|2-`, `indent` that of the collection around it. */
export function blockScalarLines(header: string, indent: number, source: string): BlockScalarLines {
  const digit = /[1-9]/.exec(header)?.[0];
  const indicator = digit === undefined ? undefined : Number(digit);
  const written = source.replace(/\n$/, "").split("\n");
  const filled = written.find((line) => /[^ ]/.test(line));
  // If all lines are blank, their white space is not text.
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
