import { many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import type { Correction, Edit, Lines } from "./correction.ts";
import {
  agentInOneLine,
  brackets,
  fieldsInOneLine,
  missingColon,
  missingComma,
  missingSpace,
  quoteInText,
  unclosedQuote,
  unquoted,
  unquotedVariable,
} from "./values.ts";

/** Finds possible mistakes in a line. A wrong guess does no harm: its correction does not help. */
type Recognizer = (lines: Lines, line: number) => readonly Correction[];

/** Recognizers of mistakes that YAML may accept. If two corrections are equally good, the first is reported. */
export const inAnyText: readonly Recognizer[] = [
  lookAlikes,
  dashes,
  optionsWithoutKey,
  wrongColumn,
  noIndentation,
  missingSpace,
  missingColon,
  unquotedVariable,
];

/** Recognizers of mistakes that YAML never accepts. */
export const inUnreadableText: readonly Recognizer[] = [
  conflict,
  foreignComment,
  continuedText,
  valueAndFields,
  missingComma,
  unclosedQuote,
  quoteInText,
  brackets,
  fieldsInOneLine,
  agentInOneLine,
  unquoted,
  tabs,
];

function tabs(lines: Lines, line: number): Correction[] {
  const start = lines.text(line).search(/(?<=^ *)\t/);
  if (start === -1) return [];
  const all = lines.matching(/^ *\t/);
  const [first = line] = all;
  const from = lines.indent(first);
  return ["  ", ""].map((text) => ({
    code: "IVR102",
    line: first,
    from,
    to: from + (/^\t*/.exec(lines.text(first).slice(from))?.[0].length ?? 0),
    message: "This line is indented with a tab. YAML allows only spaces.",
    advice: "Indent with two spaces per level.",
    edits: all.map((other): Edit => {
      const spaces = /^[ \t]*/.exec(lines.text(other))?.[0] ?? "";
      return { line: other, from: 0, to: spaces.length, text: spaces.replaceAll("\t", text) };
    }),
  }));
}

/** Characters that look like those of YAML. Word processors and keyboards of some languages write them. */
const alike: readonly {
  readonly pattern: RegExp;
  readonly what: string;
  readonly replacement: string;
  readonly advice: string;
}[] = [
  {
    pattern: /[\u00A0\u202F]/g,
    what: "a non-breaking space",
    replacement: " ",
    advice: "Replace it with a normal space.",
  },
  {
    pattern: /[\u1680\u2000-\u200A\u205F\u3000]/g,
    what: "a wide or narrow space",
    replacement: " ",
    advice: "Replace it with a normal space.",
  },
  {
    pattern: /[\u00AD\u200B-\u200F\u2060\uFEFF]/g,
    what: "an invisible character",
    replacement: "",
    advice: "Delete it.",
  },
  {
    pattern: /[\uFF1A\uFE55\uFE13\uA789] ?/g,
    what: "a full-width colon",
    replacement: ": ",
    advice: "Replace it with a normal colon and a space.",
  },
  {
    pattern: /[\uFF0C\u3001] ?/g,
    what: "a full-width comma",
    replacement: ", ",
    advice: "Replace it with a normal comma and a space.",
  },
  {
    pattern: /[\u201C-\u201F\uFF02]/g,
    what: "a curly quote",
    replacement: '"',
    advice: "Use straight quotes.",
  },
  {
    pattern: /[\u2018-\u201B\uFF07]/g,
    what: "a curly quote",
    replacement: "'",
    advice: "Use straight quotes.",
  },
];

function lookAlikes(lines: Lines, line: number): Correction[] {
  return alike.flatMap(({ pattern, what, replacement, advice }) => {
    const editsIn = (other: number): Edit[] =>
      [...lines.text(other).matchAll(pattern)].map(({ index, 0: { length } }) => ({
        line: other,
        from: index,
        to: index + length,
        text: replacement,
      }));
    const own = editsIn(line);
    if (own.length === 0) return [];
    // The neighbors often have the same mistake.
    const block = lines.around(line, (other) => editsIn(other).length > 0).flatMap(editsIn);
    return [own, block].flatMap((edits) => {
      const [first] = edits.toSorted((a, b) => a.line - b.line || a.from - b.from);
      if (first === undefined) return [];
      const code = lines.text(first.line).charCodeAt(first.from).toString(16).toUpperCase();
      return {
        line: first.line,
        from: first.from,
        to: first.from + 1,
        message: `This is ${what} (U+${code.padStart(4, "0")}). YAML reads it as a letter.`,
        advice,
        edits,
      };
    });
  });
}

/** `- 2: Front Desk` in a mapping. */
function dashes(lines: Lines, line: number): Correction[] {
  const indent = lines.indent(line);
  if (!isItem.test(lines.text(line))) return [];
  // All items of the list, from its first.
  const start = lines.text(line).search(isItem);
  let first = line;
  for (let above = lines.previous(line); above !== undefined; above = lines.previous(above)) {
    if (lines.indent(above) < indent || !isItem.test(lines.text(above))) break;
    if (lines.indent(above) === indent) first = above;
  }
  const items = lines
    .block(first)
    .filter((other) => lines.indent(other) === indent && isItem.test(lines.text(other)));
  const moved = (by: string) =>
    items.map((other): Edit => {
      const [, dash = ""] = isItem.exec(lines.text(other)) ?? [];
      return { line: other, from: indent, to: indent + dash.length, text: by };
    });
  return ["", "  "].map((by) => ({
    line: first,
    from: start,
    to: start + 1,
    message: "This line starts with `-`, so YAML reads an item of a list. There is no list here.",
    advice: "Remove the `-`.",
    edits: moved(by),
  }));
}

const isItem = /(?<=^ *)(- +)(?=\S)/;

/** `- Front Desk` next to `2: Asha Rao`. */
function optionsWithoutKey(lines: Lines, line: number): Correction[] {
  const indent = lines.indent(line);
  const own = lines
    .around(line, (other) => lines.indent(other) >= indent)
    .filter((other) => lines.indent(other) === indent)
    .toSorted((a, b) => a - b);
  const items = own.filter((other) => isItem.test(lines.text(other)));
  const taken = own.map((other) => /^ *"?(\d)"? *:/.exec(lines.text(other))?.[1]);
  const free = "1234567890".split("").filter((key) => !taken.includes(key));
  const [first] = items;
  if (first === undefined || taken.every((key) => key === undefined)) return [];
  if (items.length > free.length) return [];
  return [
    {
      line: first,
      from: indent,
      to: indent + 1,
      message: "This option starts with `-`, but it needs a phone key like the options next to it.",
      advice: "Replace the `-` with a key that is free.",
      edits: items.map((other, at) => {
        const [, dash = ""] = isItem.exec(lines.text(other)) ?? [];
        return { line: other, from: indent, to: indent + dash.length, text: `${free[at]}: ` };
      }),
    },
  ];
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

/** `timeout: 5` above fields of `timeout`. */
function valueAndFields(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const [, name, value = ""] = keyOf(text) ?? [];
  const next = lines.next(line);
  if (name === undefined || !/^[^\s"'#&*|>{[]/.test(value) || next === undefined) return [];
  if (lines.indent(next) <= lines.indent(line) || keyOf(lines.text(next)) === null) return [];
  const from = text.length - value.length;
  return [
    {
      line,
      from,
      to: text.length,
      message: `\`${shorten(name)}\` cannot have both a value and fields.`,
      advice: "Remove the value.",
      edits: [{ line, from, to: text.length, text: "" }],
    },
  ];
}

/** The markers of a merge conflict. The correction keeps the first side. */
function conflict(lines: Lines, line: number): Correction[] {
  const above = lines.matching(/^<{7} /).filter((other) => other <= line + 1);
  const [first, end] = [above.at(-1), lines.matching(/^>{7} /).find((other) => other >= line)];
  const middle = lines.matching(/^={7}\r?$/).find((other) => other > (first ?? 0));
  if (first === undefined || middle === undefined || end === undefined) return [];
  const dropped = [first, ...Array.from({ length: end - middle + 1 }, (_, i) => middle + i)];
  return [
    {
      line: first,
      from: 0,
      to: lines.text(first).length,
      message: "This is the start of a merge conflict.",
      advice: "Keep one of the two versions, and delete the markers.",
      edits: dropped.map((other) => ({
        line: other,
        from: 0,
        to: lines.text(other).length,
        text: "",
      })),
    },
  ];
}

/** `// a comment` */
function foreignComment(lines: Lines, line: number): Correction[] {
  const [, spaces = "", sign] = /^( *)(\/\/|\/\*)/.exec(lines.text(line)) ?? [];
  if (sign === undefined) return [];
  const from = spaces.length;
  return [
    {
      line,
      from,
      to: from + 2,
      message: `In YAML, a comment starts with #, not with ${sign}.`,
      advice: "Replace it with #.",
      edits: [{ line, from, to: from + 2, text: "#" }],
    },
  ];
}

/** The second line of a text that is not indented. */
function continuedText(lines: Lines, line: number): Correction[] {
  const above = lines.previous(line);
  const text = lines.text(line);
  if (above === undefined || /:(?:\s|$)|^---/.test(text)) return [];
  const [, name, value = ""] = keyOf(lines.text(above)) ?? [];
  const from = lines.indent(line);
  if (name === undefined || value.trim() === "" || from > lines.indent(above)) return [];
  return [
    {
      line,
      from,
      to: text.length,
      message: `This line is not indented, so it is not part of the text of \`${shorten(name)}\`.`,
      advice: `Indent it further than \`${shorten(name)}\`.`,
      edits: [shift(line, lines.indent(above) + 2 - from)],
    },
  ];
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
