import { many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import type { Correction, Edit, Lines } from "./correction.ts";
import { type Match, type Row, inAnyText, inUnreadableText, findMatches } from "./table.ts";

/** Finds possible mistakes in a line. A wrong guess does no harm: its correction does not help. */
type Recognizer = (lines: Lines, line: number) => readonly Correction[];

/** Recognizers of mistakes in a text. If two corrections are equally good, the first is reported. */
export function recognizers(isReadable: boolean): readonly Recognizer[] {
  const any = [...inAnyText.map(inLine), wrongColumn, noIndentation];
  return isReadable ? any : [...any, brackets, ...inUnreadableText.map(inLine)];
}

/**
 * The recognizer of a mistake that is visible in one line. The rest of the line and the lines next to
 * it often have the same mistake.
 */
function inLine({ pattern, edit, message, advice, at = 1, code }: Row): Recognizer {
  return (lines, line) => {
    const found = (other: number) => findMatches(lines.text(other), pattern);
    const editsOf = (other: number, match: Match): Edit[] =>
      edit(match).map(({ from, to, text }) => ({ line: other, from, to, text }));
    const correction = (start: number, edits: readonly Edit[], match = found(start)[0]) => {
      if (match === undefined) return [];
      const { from, to } = match.at(at);
      const place = { line: start, from, to: Math.max(to, from + 1) };
      return [{ ...(code && { code }), ...place, message: message(match), advice, edits }];
    };
    const editsIn = (other: number) => found(other).flatMap((match) => editsOf(other, match));
    if (found(line).length === 0) return [];
    const group = lines.around(line, (other) => found(other).length > 0);
    return [
      ...found(line).flatMap((match) => correction(line, editsOf(line, match), match)),
      ...correction(line, editsIn(line)),
      ...correction(Math.min(...group), group.flatMap(editsIn)),
    ];
  };
}

/** A line that does not start in the column of its mapping. */
function wrongColumn(lines: Lines, line: number): Correction[] {
  const indent = lines.indent(line);
  const [, name] = keyOf(lines.text(line)) ?? [];
  if (name === undefined) return [];
  return columnsAbove(lines, line).flatMap(({ column, like }) => {
    const by = column - indent;
    if (by === 0) return [];
    const [, sibling] = keyOf(lines.text(like)) ?? [];
    const blocks = by < 0 ? [lines.block(line)] : fieldsFrom(lines, line);
    return blocks.map((block) => ({
      line,
      from: indent,
      to: indent + name.length,
      message: `This line is indented ${many(Math.abs(by), "space")} too ${by < 0 ? "far" : "little"}.`,
      advice:
        sibling === undefined
          ? "Start it in the same column as the lines around it."
          : `Start it in the same column as \`${shorten(sibling)}\` in line ${like + 1}.`,
      edits: block.map((other) => shift(other, by)),
    }));
  });
}

/** The columns in which the lines above start, the nearest first. */
function columnsAbove(lines: Lines, line: number) {
  const columns = new Map<number, number>();
  let least = Infinity;
  for (let above = lines.previous(line); above !== undefined; above = lines.previous(above)) {
    const indent = lines.indent(above);
    if (indent < least && keyOf(lines.text(above)) !== null) {
      columns.set(indent, above);
      least = indent;
    }
    if (least === 0) break;
  }
  return [...columns].map(([column, like]) => ({ column, like }));
}

/** Fields that start in the column of the field that they belong to. */
function noIndentation(lines: Lines, line: number): Correction[] {
  const [, name, value = ""] = keyOf(lines.text(line)) ?? [];
  const first = lines.next(line);
  if (name === undefined || !isEmpty.test(value) || first === undefined) return [];
  const indent = lines.indent(line);
  const [, inner] = keyOf(lines.text(first)) ?? [];
  if (inner === undefined || lines.indent(first) !== indent) return [];
  return fieldsFrom(lines, first).map((block) => ({
    line: first,
    from: indent,
    to: indent + inner.length,
    message: `\`${shorten(inner)}\` is not indented, so it does not belong to \`${shorten(name)}\`.`,
    advice: "Indent it by two spaces.",
    edits: block.map((other) => shift(other, 2)),
  }));
}

/** The lines of the field that starts here; those of it and the next field; and so on. */
function fieldsFrom(lines: Lines, first: number): number[][] {
  const block = lines.block(first);
  const starts = block.flatMap((line, index) =>
    index > 0 && lines.indent(line) === lines.indent(first) ? index : [],
  );
  // The lines below may already have their indentation.
  const ends = new Set([1, ...starts.slice(0, maxFields), block.length]);
  return [...ends].map((end) => block.slice(0, end));
}

const isEmpty = /^\s*(?:&\S+\s*)?(?:#.*)?$/;
/** The maximum number of fields without indentation. */
const maxFields = 12;

/** A bracket that is never closed, or that closes nothing. */
function brackets(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const { open, extra } = unmatched(text);
  const surplus = extra.map((at) => ({
    line,
    from: at,
    to: at + 1,
    message: `This ${text[at]} closes nothing.`,
    advice: "Remove it.",
    edits: [{ line, from: text.slice(0, at).trimEnd().length, to: at + 1, text: "" }],
  }));
  const last = open.at(-1);
  if (last === undefined) return surplus;
  const place = { line, from: last, to: last + 1 };
  const content = untilClosed(lines, line, open.length);
  if (content !== undefined) {
    const by = lines.indent(line) + 2 - Math.min(...content.map((other) => lines.indent(other)));
    const edits = content.map((other) => insert(other, 0, " ".repeat(Math.max(by, 0))));
    const indented = `The lines after this ${text[last]} are not indented.`;
    const advice = "Indent them by two spaces, up to the closing bracket.";
    return [{ ...place, message: indented, advice, edits }];
  }
  const message = `This ${text[last]} is never closed.`;
  const after = /^\s*/.exec(text.slice(last + 1))?.[0].length ?? 0;
  const closing = open
    .map((at) => (text[at] === "{" ? " }" : "]"))
    .toReversed()
    .join("");
  const ends = [line, lines.block(line, lines.indent(line) + 1).at(-1) ?? line];
  const fixes = [
    ...ends.map((end) => ({
      advice: `Add the closing ${text[last] === "{" ? "}" : "]"}.`,
      edits: [insert(end, contentEnd(lines.text(end)), closing)],
    })),
    {
      advice: "Remove it, or close it.",
      edits: [{ line, from: last, to: last + 1 + after, text: "" }],
    },
  ];
  return fixes.map((fix) => Object.assign(fix, place, { message }));
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
function untilClosed(lines: Lines, line: number, depth: number): number[] | undefined {
  const content: number[] = [];
  let left = depth;
  for (let next = lines.next(line); next !== undefined; next = lines.next(next)) {
    content.push(next);
    left = unmatched(lines.text(next), left).open.length;
    if (left === 0) return content;
  }
  return undefined;
}

/** Where the content of a line ends, without a comment. */
function contentEnd(text: string): number {
  return text.replace(/\s+#.*$/, "").trimEnd().length;
}

/** The key of a line and what follows its colon. */
function keyOf(text: string) {
  return /^ *(?:- +)*("[^"]*"|'[^']*'|[^\s"'#&*!|>%@`{}[\],-][^:#]*?|\*) *:(?:\s+(.*)|$)/.exec(
    text,
  );
}

function shift(line: number, by: number): Edit {
  return by < 0
    ? { line, from: 0, to: -by, text: "" }
    : { line, from: 0, to: 0, text: " ".repeat(by) };
}

function insert(line: number, at: number, text: string): Edit {
  return { line, from: at, to: at, text };
}
