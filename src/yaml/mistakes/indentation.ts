import { many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import type { Mistake, TextLines } from "./text-lines.ts";

// Mistakes that concern several lines.

/** A line that does not start in the column of its mapping, or in that of the field that it belongs to. */
export function wrongColumn(lines: TextLines, line: number): Mistake[] {
  const indent = lines.indent(line);
  const [, name] = keyOf(lines.text(line)) ?? [];
  if (name === undefined) return [];
  return columnsFor(lines, line).flatMap(({ column, like, isInside }) => {
    const by = column - indent;
    if (by === 0) return [];
    const [, other = ""] = keyOf(lines.text(like)) ?? [];
    const [message, advice] = isInside
      ? [
          `\`${shorten(name)}\` is not indented, so it does not belong to \`${shorten(other)}\`.`,
          "Indent it by two spaces.",
        ]
      : [
          `This line is indented ${many(Math.abs(by), "space")} too ${by < 0 ? "far" : "little"}.`,
          `Start it in the same column as \`${shorten(other)}\` in line ${like + 1}.`,
        ];
    const blocks = by < 0 ? [lines.block(line)] : fieldsFrom(lines, line);
    return blocks.map((block) => ({
      line,
      from: indent,
      to: indent + name.length,
      message,
      advice,
      lines: new Map(block.map((row) => [row, shifted(lines.text(row), by)])),
    }));
  });
}

/** The columns in which a line could start: inside the field above it, or like a line above. */
function columnsFor(lines: TextLines, line: number) {
  const columns: { column: number; like: number; isInside: boolean }[] = [];
  let least = Infinity;
  for (let above = lines.next(line, -1); above !== undefined; above = lines.next(above, -1)) {
    const column = lines.indent(above);
    const key = keyOf(lines.text(above));
    const isEmpty = /^\s*(?:&\S+\s*)?(?:#.*)?$/.test(key?.[2] ?? "");
    if (key !== null && least === Infinity && isEmpty && column === lines.indent(line)) {
      columns.push({ column: column + 2, like: above, isInside: true });
    }
    if (key !== null && column < least) {
      columns.push({ column, like: above, isInside: false });
      least = column;
    }
    if (least === 0) break;
  }
  return columns;
}

/** The lines of the field that starts here; those of it and the next field; and so on. */
function fieldsFrom(lines: TextLines, first: number): number[][] {
  const block = lines.block(first);
  const starts = block.flatMap((line, index) =>
    index > 0 && lines.indent(line) === lines.indent(first) ? index : [],
  );
  // The lines below may already have their indentation.
  const ends = new Set([1, ...starts.slice(0, maxFields), block.length]);
  return [...ends].map((end) => block.slice(0, end));
}

/** The maximum number of fields without indentation. */
const maxFields = 12;

/** The key of a line and what follows its colon. */
function keyOf(text: string) {
  return /^ *(?:- +)*("[^"]*"|'[^']*'|[^\s"'#&*!|>%@`{}[\],-][^:#]*?|\*) *:(?:\s+(.*)|$)/.exec(
    text,
  );
}

function shifted(text: string, by: number): string {
  return by < 0 ? text.slice(-by) : " ".repeat(by) + text;
}

/** A bracket that is never closed, that closes nothing, or whose content is not indented. */
export function brackets(lines: TextLines, line: number): Mistake[] {
  const text = lines.text(line);
  const { open, extra } = unmatched(text);
  const correction = (
    at: number,
    message: string,
    advice: string,
    ...corrected: [line: number, text: string][]
  ) => ({ line, from: at, to: at + 1, message, advice, lines: new Map(corrected) });
  const surplus = extra.map((at) => {
    const removed = text.slice(0, at).trimEnd() + text.slice(at + 1);
    return correction(at, `This ${text[at]} closes nothing.`, "Remove it.", [line, removed]);
  });
  const last = open.at(-1);
  if (last === undefined) return surplus;
  const content = untilClosed(lines, line, open.length);
  if (content !== undefined) {
    const by = lines.indent(line) + 2 - Math.min(...content.map((row) => lines.indent(row)));
    return [
      correction(
        last,
        `The lines after this ${text[last]} are not indented.`,
        "Indent them by two spaces, up to the closing bracket.",
        ...content.map((row): [number, string] => [row, shifted(lines.text(row), Math.max(by, 0))]),
      ),
    ];
  }
  const message = `This ${text[last]} is never closed.`;
  const closing = open.map((at) => (text[at] === "{" ? " }" : "]")).toReversed();
  const closedIn = (end: number) => {
    const [, before = "", comment = ""] = /^(.*?)(\s*(?:\s#.*)?)$/.exec(lines.text(end)) ?? [];
    const closed = before + closing.join("") + comment;
    return correction(last, message, `Add the closing ${closing[0]?.trim()}.`, [end, closed]);
  };
  const removed = text.slice(0, last) + text.slice(last + 1).trimStart();
  return [
    ...surplus,
    closedIn(line),
    closedIn(lines.block(line, lines.indent(line) + 1).at(-1) ?? line),
    correction(last, message, "Remove it, or close it.", [line, removed]),
  ];
}

/** The brackets of a line without a partner. `depth` brackets are already open. */
function unmatched(text: string, depth = 0) {
  const open: number[] = Array.from({ length: depth }, () => -1);
  const extra: number[] = [];
  // Brackets inside quotes are text.
  for (const { 0: sign, index } of text.matchAll(/"[^"]*"|'[^']*'|(?<=\s)#.*|[{}[\]]/g)) {
    if (sign === "{" || sign === "[") open.push(index);
    else if ((sign === "}" || sign === "]") && open.pop() === undefined) extra.push(index);
  }
  return { open, extra };
}

/** The lines after this one up to the bracket that closes its last one. */
function untilClosed(lines: TextLines, line: number, depth: number): number[] | undefined {
  const block = lines.block(line, 0);
  let left = depth;
  const end = block.findIndex((row, at) => {
    if (at > 0) left = unmatched(lines.text(row), left).open.length;
    return left === 0;
  });
  return end === -1 ? undefined : block.slice(1, end + 1);
}
