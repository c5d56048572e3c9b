import { shorten } from "../../util/nearest.ts";
import type { Correction, Edit, Lines } from "./correction.ts";

/** A word or a quoted text that can be a key. */
const key = String.raw`(?:"[^"]*"|'[^']*'|[\w.*#/-]+)`;
/** What is before the first key of a line. */
const lead = String.raw`(?<=^ *(?:- +)*)`;
/** What is before a key: the start of the line, or the bracket or comma of a flow mapping. */
const before = String.raw`(?<=^ *(?:- +)*|[{,]\s*)`;

/** `for:Billing`, at any key of the line. */
export function missingSpace(lines: Lines, line: number): Correction[] {
  const found = (other: number) => all(lines.text(other), `${before}(${key})(:)(?=[^\\s,}\\]/:])`);
  const editsIn = (other: number) =>
    found(other).map((match) => insert(other, match.at(2).to, " "));
  if (editsIn(line).length === 0) return [];
  // The neighbors often have the same mistake.
  const block = lines.around(line, (other) => editsIn(other).length > 0);
  return [[line], block].flatMap((group) => {
    const first = Math.min(...group);
    return found(first)
      .slice(0, 1)
      .map((match) => ({
        line: first,
        from: match.at(2).from,
        to: match.at(2).to,
        message: `There is no space after the colon of \`${name(match.text(1))}\`.`,
        advice: "Add a space.",
        edits: group.flatMap(editsIn),
      }));
  });
}

/** `wait 5`, `wait = 5`, `1. Asha Rao`, or `options` above its fields. */
export function missingColon(lines: Lines, line: number): Correction[] {
  const atStart = (other: number) =>
    all(lines.text(other), `${lead}(\\w[\\w-]*)${separator}(?=[^\\s=;:#])`);
  const text = lines.text(line);
  const candidates = [
    ...atStart(line),
    ...all(text, `${lead}(\\w[\\w-]*)()(?=\\s*(?:#.*)?$)`),
    ...all(text, "(?<=[{,]\\s*)([\\w-]+)([ \\t]*=[ \\t]*|[ \\t]+)(?=[^\\s=:,{}][^,{}:]*[,}])"),
  ];
  const own = candidates.map((match) => colonAfter(line, match, [colonIn(line, match)]));
  // The neighbors often have the same mistake.
  const group = lines.around(line, (other) => atStart(other).length > 0);
  const first = Math.min(...group);
  const edits = group.flatMap((other) => atStart(other).map((match) => colonIn(other, match)));
  return [...own, ...atStart(first).map((match) => colonAfter(first, match, edits))];
}

const separator = String.raw`([ \t]*[=;][ \t]*|[.)][ \t]+|[ \t]+-[ \t]+|[ \t]+)`;

function colonAfter(line: number, match: Match, edits: readonly Edit[]): Correction {
  const { from, to } = match.at(2);
  const sign = match.text(2).trim();
  return {
    line,
    from,
    to: Math.max(to, from + 1),
    message:
      sign === ""
        ? `There is no colon after \`${name(match.text(1))}\`.`
        : `A colon must follow \`${name(match.text(1))}\`, not \`${sign}\`.`,
    advice: sign === "" ? "Add a colon." : "Replace it with a colon.",
    edits,
  };
}

function colonIn(line: number, match: Match): Edit {
  const { from, to } = match.at(2);
  return { line, from, to, text: to === from ? ":" : ": " };
}

export function unclosedQuote(lines: Lines, line: number): Correction[] {
  const [match] = all(lines.text(line), `(?<=(?:^|[\\s{[,]))(["'])((?:(?!\\1).)*)$`);
  if (match === undefined) return [];
  const inner = match.text(2).trimEnd();
  const ends = [...inner.matchAll(/\s*[,}\]]|\s+#|$/g)].map(
    ({ index }) => match.at(2).from + index,
  );
  return ends.map((end) => ({
    line,
    from: match.at(1).from,
    to: match.at(1).to,
    message: "This quote is never closed.",
    advice: "Add the closing quote.",
    edits: [insert(line, end, match.text(1))],
  }));
}

/** `'It's open'` or `"the "best" desk"`. */
export function quoteInText(lines: Lines, line: number): Correction[] {
  const found = all(lines.text(line), `(?<=[:[{,-]\\s+)(["'])(.*?)(\\1)(?=\\s*(?:[,}\\]]|#.*$|$))`);
  return found.flatMap((match) => {
    const [quote, inner] = [match.text(1), match.text(2)];
    const other = quote === '"' ? "'" : '"';
    const inside = inner.indexOf(quote);
    if (inside === -1 || inner.includes(other) || inner.includes("\\")) return [];
    const from = match.at(2).from + inside;
    return {
      line,
      from,
      to: from + 1,
      message: `This quote ends the text, because the text starts with the same quote.`,
      advice: `Put the text in ${other === '"' ? "double" : "single"} quotes.`,
      edits: [1, 3].map((group) => ({
        line,
        from: match.at(group).from,
        to: match.at(group).to,
        text: other,
      })),
    };
  });
}

export function missingComma(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const inside = all(text, `(?<=[{,].*[^\\s{,:;])(;?)( +)(${key}) *:(?=\\s|$)`).map((match) => ({
    line,
    from: match.at(3).from,
    to: match.at(3).to,
    message: `There is no comma before \`${name(match.text(3))}\`.`,
    advice: "Separate the fields inside { } with commas.",
    edits: [{ line, from: match.at(1).from, to: match.at(1).to, text: "," }],
  }));
  const between = all(text, `(?<=[}\\]"'])() +([{["'])`).map((match) => ({
    line,
    from: match.at(2).from,
    to: match.at(2).to,
    message: "There is no comma before this value.",
    advice: "Separate the values inside [ ] or { } with commas.",
    edits: [insert(line, match.at(1).from, ",")],
  }));
  const atEnd = all(text, "(?<=[^\\s,{[])()(?=\\s*(?:\\s#.*)?$)")
    .slice(0, 1)
    .map((match) => ({
      line,
      from: match.at(1).from,
      to: match.at(1).to,
      message: "There is no comma at the end of this line.",
      advice: "Separate the values inside { } or [ ] with commas.",
      edits: [insert(line, match.at(1).from, ",")],
    }));
  return [...inside, ...between, ...atEnd];
}

/** A bracket that is never closed, or whose content is not indented, or that closes nothing. */
export function brackets(lines: Lines, line: number): Correction[] {
  const { open, extra } = unmatched(lines.text(line), 0);
  const last = open.at(-1);
  const surplus = extra.map((at) => ({
    line,
    from: at,
    to: at + 1,
    message: `This ${lines.text(line)[at] ?? ""} closes nothing.`,
    advice: "Remove it.",
    edits: [{ line, from: lines.text(line).slice(0, at).trimEnd().length, to: at + 1, text: "" }],
  }));
  if (last === undefined) return surplus;
  const sign = lines.text(line)[last] ?? "";
  const content = untilClosed(lines, line, open.length);
  if (content !== undefined) {
    const by = lines.indent(line) + 2 - Math.min(...content.map((other) => lines.indent(other)));
    return [
      {
        line,
        from: last,
        to: last + 1,
        message: `The lines after this ${sign} are not indented.`,
        advice: "Indent them by two spaces, up to the closing bracket.",
        edits: content.map((other) => insert(other, 0, " ".repeat(Math.max(by, 0)))),
      },
    ];
  }
  const closing = open
    .map((at) => (lines.text(line)[at] === "{" ? " }" : "]"))
    .toReversed()
    .join("");
  const ends = [line, lines.block(line, lines.indent(line) + 1).at(-1) ?? line];
  return ends.map((end) => ({
    line,
    from: last,
    to: last + 1,
    message: `This ${sign} is never closed.`,
    advice: `Add the closing ${sign === "{" ? "}" : "]"}.`,
    edits: [insert(end, contentEnd(lines.text(end)), closing)],
  }));
}

/** The brackets of a line without a partner. `depth` brackets are already open. */
function unmatched(text: string, depth: number) {
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

/** `options: 1: Asha Rao` */
export function fieldsInOneLine(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  return all(text, `${lead}(${key}) *: +()(?:[0-9]|"?[*#]"?|[a-z_]+) *(:) +[^{}[\\]]+$`).map(
    (match) => ({
      line,
      from: match.at(3).from,
      to: match.at(3).to,
      message: "This line has two `: `, so YAML reads two keys.",
      advice: `Put everything after \`${name(match.text(1))}\` in { }.`,
      edits: [insert(line, match.at(2).from, "{ "), insert(line, contentEnd(text), " }")],
    }),
  );
}

/** `2: Ravi Kumar, team: Billing` */
export function agentInOneLine(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const fields = "team|department|intercom|for|sms";
  return all(text, `${lead}${key} *: +()[^\\s"'{[][^:,]*, *(?:${fields})(:) +[^{}[\\]]+$`).map(
    (match) => ({
      line,
      from: match.at(2).from,
      to: match.at(2).to,
      message: "This line has two `: `, so YAML reads two keys.",
      advice: "Put the agent and the other fields in { }.",
      edits: [insert(line, match.at(1).from, "{ agent: "), insert(line, contentEnd(text), " }")],
    }),
  );
}

/** A text that YAML does not read as text. */
export function unquoted(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const inBlock = all(text, `${lead}(?:(${key}) *: +|- +)(\\S.*?)(?= *(?: # .*)?$)`);
  const inFlow = all(
    text,
    `(?<=[{,[]\\s*)(?:(${key}) *: +)?([^\\s"',{}[\\]][^",{}[\\]]*?)(?= *[,}\\]])`,
  );
  return [...inBlock, ...inFlow].flatMap((match) => {
    const place = whyNotText(match.text(2));
    if (place === undefined) return [];
    const { from } = match.at(2);
    return {
      line,
      from: from + place.from,
      to: from + place.to,
      message: place.message,
      advice: "Put the whole text in quotes.",
      edits: quote(line, match.text(2), from),
    };
  });
}

/** `name: {{shop}}`, which YAML reads as a mapping. */
export function unquotedVariable(lines: Lines, line: number): Correction[] {
  const text = lines.text(line);
  const variable = String.raw`\{\{ *[\w-]+ *\}\}`;
  return [
    ...all(text, `${lead}(?:${key} *: +|- +)((${variable}).*?)(?= *(?: # .*)?$)`),
    ...all(text, `(?<=[{,[]\\s*)(?:${key} *: +)?((${variable})[^",{}[\\]]*?)(?= *[,}\\]])`),
  ].map((match) => ({
    code: "IVR118",
    line,
    from: match.at(2).from,
    to: match.at(2).to,
    message: `YAML reads the braces of \`${match.text(2)}\` as a mapping.`,
    advice: "Put the whole text in quotes.",
    edits: quote(line, match.text(1), match.at(1).from),
  }));
}

/** Why YAML does not read this as text, and where in it the reason is. */
function whyNotText(value: string) {
  const to = value.length;
  const ended = /^("[^"]*"|'[^']*'|\[[^\][{}:]*\]|\{[^\][{}:]*\}) *(?=[^\s,}\]#])/.exec(value)?.[0];
  if (ended !== undefined) {
    const what = /["']/.test(ended) ? "quote" : "bracket";
    return { from: ended.length, to, message: `There is text after the closing ${what}.` };
  }
  const sign = /^(?:[&@%`|>,]|\*(?![\w-]+$)|[?-] |#(?! )|[{[](?!.*[\]}:{[]))/
    .exec(value)?.[0]
    .trim();
  if (sign !== undefined) {
    const message = `Text that starts with ${sign} must be in quotes.`;
    const meaning = meanings[sign];
    return {
      from: 0,
      to: 1,
      message: meaning === undefined ? message : `${message} YAML reads it as ${meaning}.`,
    };
  }
  const colon = value.search(/:(?=\s|$)/);
  if (colon === -1 || /^["'{[]/.test(value)) return undefined;
  const message = "This text contains a colon and a space, so YAML reads a second key.";
  return { from: colon, to: colon + 1, message };
}

const meanings: Readonly<Record<string, string>> = {
  "*": "an alias",
  "&": "an anchor",
  "#": "a comment",
  "[": "a list",
  "{": "a mapping",
};

function quote(line: number, value: string, from: number): Edit[] {
  const end = from + value.length;
  const sign = /["\\]/.test(value) ? "'" : '"';
  const doubled = sign === "'" ? [...value.matchAll(/'/g)].map(({ index }) => from + index) : [];
  return [from, ...doubled, end].map((at) => insert(line, at, sign));
}

function insert(line: number, at: number, text: string): Edit {
  return { line, from: at, to: at, text };
}

/** Where the content of a line ends, without a comment. */
function contentEnd(text: string): number {
  return text.replace(/\s+#.*$/, "").trimEnd().length;
}

function name(written: string): string {
  return shorten(written.replace(/^(["'])(.*)\1$/, "$2"));
}

interface Match {
  readonly text: (group: number) => string;
  readonly at: (group: number) => { readonly from: number; readonly to: number };
}

/** All matches of a pattern, with the places of their groups. */
function all(text: string, pattern: string): Match[] {
  return [...text.matchAll(new RegExp(pattern, "dg"))].map((match) => ({
    text: (group: number) => match[group] ?? "",
    at: (group: number) => {
      const [from, to] = match.indices?.[group] ?? [match.index, match.index];
      return { from, to };
    },
  }));
}
