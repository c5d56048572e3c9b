import stringWidth from "string-width";
import { type Argv, type Hint, hintParts, separateHints } from "../util/suggest.ts";
import { visible } from "../util/visible.ts";

/** A text broken into lines, each after `indent`. `used` columns of the first line are taken. */
export function wrap(text: string, indent = "", width = 80, used = 0): string {
  return filled(text, (all) => all.split(" "), indent, width, used);
}

/** An enumeration broken into lines after commas. Only a part that is longer than a line is broken inside. */
export function wrapParts(text: string, indent: string, width: number): string {
  const fits = (part: string) => indent.length + stringWidth(part) <= width;
  const parts = (all: string) =>
    all.split(/(?<=,) /).flatMap((part) => (fits(part) ? part : part.split(" ")));
  return filled(text, parts, indent, width, 0);
}

function filled(
  text: string,
  split: (text: string) => readonly string[],
  indent: string,
  width: number,
  used: number,
): string {
  if (width === Number.POSITIVE_INFINITY) return indent + text;
  const lines: string[] = [];
  let line = "";
  let end = indent.length + used;
  for (const word of split(text)) {
    const wide = stringWidth(word);
    if (line !== "" && end + 1 + wide > width) {
      lines.push(indent + line.trimEnd());
      line = word;
      end = indent.length + wide;
    } else {
      end += (line === "" ? 0 : 1) + wide;
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, indent + line].join("\n");
}

/**
 * Returns a hint for a terminal, broken into lines, with the command at its end, and each further case, on its
 * own line.
 */
export function wrapAdvice(
  hint: Hint,
  indent: string,
  page: { readonly wordWrap: number; readonly command: (argv: Argv) => string },
): string {
  return separateHints(hint)
    .map((one) => {
      const { words, command } = hintParts(one, page.command);
      const lines = wrap(visible(words), indent, page.wordWrap);
      const shown = command?.split("\n").map(visible).join("\n");
      return shown === undefined ? lines : `${lines}\n${indent}  ${shown}`;
    })
    .join("\n");
}

/** The minimum width of the second column, if no word is longer. With less room, it goes below the first. */
const narrowestMeaning = 24;

/** Returns words on the left and their meanings on the right, or below if there is too little room. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(...rows.map(([word]) => word.length));
  const indent = " ".repeat(left + 4);
  const longestWord = Math.max(
    ...rows.flatMap(([, text]) => text.split(" ").map((word) => word.length)),
  );
  const beside = width - indent.length >= Math.max(narrowestMeaning, longestWord);
  return rows
    .map(([word, meaning]) =>
      beside
        ? `  ${word.padEnd(left)}  ${wrap(meaning, indent, width).trimStart()}\n`
        : `  ${word}\n${wrap(meaning, "      ", width)}\n`,
    )
    .join("");
}

/** A label and its text. */
export type LabelledLine = readonly [label: string, text: string];

/** The maximum width of the column of labels. Wider labels are not aligned. */
const maxLabel = 28;

/** Returns labels in one column and their wrapped texts in the next. */
export function labelled(lines: readonly LabelledLine[], columns: number): string[] {
  const widest = lines.reduce((width, [label]) => Math.max(width, label.length), 0);
  const width = Math.min(widest, maxLabel) + 1;
  return lines.map(([label, text]) => {
    const lead = label === "" ? "" : `${label}:`;
    const used = Math.max(lead.length - width, 0);
    const indent = " ".repeat(4 + width + 1);
    return `    ${lead.padEnd(width)} ${wrap(text, indent, columns, used).trimStart()}`;
  });
}

const gap = 2;
const narrowest = 8;

/** A table at most as wide as `room`. The widest columns are cut. */
export function table(
  head: readonly string[],
  body: readonly (readonly string[])[],
  room: number,
): string {
  const rows = [head, ...body];
  const widest = head.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, stringWidth(row[column] ?? "")), 0),
  );
  const widths = narrowed(widest, room - gap * (widest.length - 1));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => fit(cell, widths[column] ?? 0)).join(" ".repeat(gap));
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

function narrowed(widest: readonly number[], room: number): number[] {
  const needed = widest.reduce((sum, width) => sum + width, 0);
  const limit = Math.max(...widest) - 1;
  if (needed <= room || limit < narrowest) return [...widest];
  return narrowed(
    widest.map((width) => Math.min(width, limit)),
    room,
  );
}

function fit(text: string, width: number): string {
  const shown = stringWidth(text) <= width ? text : clip(text, width);
  return shown + " ".repeat(width - stringWidth(shown));
}

/** A text cut to this many columns at its end or its start. */
export function clip(text: string, room: number, at: "end" | "start" = "end"): string {
  // A long line is not measured as a whole.
  if (text.length <= room * 2 && stringWidth(text) <= room) return text;
  const near = at === "end" ? text.slice(0, room * 2) : text.slice(-room * 2);
  const parts = Array.from(new Intl.Segmenter().segment(near), ({ segment }) => segment);
  if (at === "start") parts.reverse();
  let left = room - 1;
  const end = parts.findIndex((part) => (left -= stringWidth(part)) < 0);
  const kept = end === -1 ? parts : parts.slice(0, end);
  return at === "end" ? `${kept.join("")}…` : `…${kept.toReversed().join("")}`;
}
