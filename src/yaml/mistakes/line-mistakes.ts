import type { Code } from "../../diagnostics/codes.ts";
import { shorten } from "../../util/nearest.ts";
import { brackets, wrongColumn } from "./indentation.ts";
import type { Mistake, TextLines } from "./text-lines.ts";

/** Finds possible mistakes in a line. A wrong guess does no harm: its correction does not help. */
type Recognizer = (lines: TextLines, line: number) => readonly Mistake[];

/** A mistake that is visible in one line. */
interface Row {
  readonly pattern: RegExp;
  /** What replaces a match. */
  readonly to: (match: Match) => string;
  readonly message: (match: Match) => string;
  readonly advice: string;
  /** The group of the pattern that a message points at; 1 unless given. */
  readonly at?: number;
  readonly code?: Code;
}

/** The whole match and its groups. */
type Match = readonly string[];

/** A word or a quoted text that can be a key. */
const key = String.raw`(?:"[^"]*"|'[^']*'|[\w.*#/-]+)`;
/** What is before the first key of a line. */
const lead = String.raw`(?<=^ *(?:- +)*)`;
/** What is before a value: its key or a dash, or the bracket or comma of a flow collection. */
const inBlock = String.raw`${lead}(?:${key} *: +|- +)`;
const inFlow = String.raw`(?<=[{,[]\s*)(?:${key} *: +)?`;
const blockEnd = "(?= *(?: # .*)?$)";
const flowEnd = String.raw`(?= *[,}\]])`;
const variable = String.raw`\{\{ *[\w-]+ *\}\}`;

/** Mistakes that YAML may accept. */
const inAnyText = (): Row[] => [
  lookAlike("\u00A0\u202F", "a non-breaking space", " ", "Use a normal space."),
  lookAlike("\u1680\u2000-\u200A\u205F\u3000", "a wide space", " ", "Use a normal space."),
  lookAlike("\u00AD\u200B-\u200F\u2060\uFEFF", "an invisible character", "", "Delete it."),
  lookAlike("\uFF1A\uFE55\uFE13\uA789", "a full-width colon", ": ", "Use a normal colon."),
  lookAlike("\uFF0C\u3001", "a full-width comma", ", ", "Use a normal comma."),
  lookAlike("\u201C-\u201F\uFF02", "a curly quote", '"', "Use straight quotes."),
  lookAlike("\u2018-\u201B\uFF07", "a curly quote", "'", "Use straight quotes."),
  {
    pattern: regex(`(?<=^ *(?:- +)*|[{,]\\s*)(${key})(:)(?=[^\\s,}\\]/:])`),
    at: 2,
    to: ([all]) => `${all} `,
    message: ([, name]) => `There is no space after the colon of \`${shown(name)}\`.`,
    advice: "Add a space.",
  },
  // `wait 5`, `wait = 5`, `1. Asha Rao`, `options` above its fields, `{ wait 5 }`
  colon(
    `${lead}(\\w[\\w-]*)([ \\t]*[=;][ \\t]*|[.)][ \\t]+|[ \\t]+-[ \\t]+|[ \\t]+)(?=[^\\s=;:#])`,
  ),
  colon(`${lead}(\\w[\\w-]*)()(?=\\s*(?:#.*)?$)`),
  colon("(?<=[{,]\\s*)([\\w-]+)([ \\t]*=[ \\t]*|[ \\t]+)(?=[^\\s=:,{}][^,{}:]*[,}])"),
  ...unquoted(
    (rest) => `(${variable})${rest}`,
    (name) => `YAML reads the braces of \`${name}\` as a mapping.`,
    "IVR118",
  ),
];

/** Mistakes that YAML never accepts. */
const inUnreadableText = (): Row[] => [
  {
    pattern: /(?<=^ *(?:- +)*|[{,]\s*)(\*)(?= *:(?:\s|$))/dg,
    code: "IVR108",
    to: () => '"*"',
    message: () => "In YAML, an unquoted `*` starts an alias, not a key.",
    advice: 'Put it in quotes: `"*"`.',
  },
  inQuotes(
    `${inFlow}([^\\s"',{}[\\]]*(\\$\\{\\w+\\})[^",{}[\\]]*?)${flowEnd}`,
    (name) => `Inside { } or [ ], a variable such as ${name} must be in quotes.`,
    "IVR118",
  ),
  {
    pattern: regex(`(?<=[{,].*[^\\s{,:;])(;?)( +)(${key}) *:(?=\\s|$)`),
    at: 3,
    to: ([all]) => `,${all?.replace(";", "")}`,
    message: ([, , , name]) => `There is no comma before \`${shown(name)}\`.`,
    advice: "Separate the fields inside { } with commas.",
  },
  {
    pattern: /(?<=[}\]"']) +([{["'])/dg,
    to: ([all]) => `,${all}`,
    message: () => "There is no comma before this value.",
    advice: "Separate the values inside [ ] or { } with commas.",
  },
  {
    pattern: /(?<=[^\s,{[])()(?=\s*(?:\s#.*)?$)/dg,
    to: () => ",",
    message: () => "There is no comma at the end of this line.",
    advice: "Separate the values inside { } or [ ] with commas.",
  },
  // A quote that ends at the end of the line, or before a comma, a bracket or a comment.
  ...["$", "\\s*[,}\\]].*$", "\\s+#.*$"].map((end): Row => ({
    pattern: regex(`(?<=(?:^|[\\s{[,]))(["'])(?:(?!\\1).)*?(?=\\s*${end})(?!.*\\1)`),
    to: ([all = "", quote]) => all + quote,
    message: () => "This quote is never closed.",
    advice: "Add the closing quote.",
  })),
  // `'It's open'` or `"the "best" desk"`
  ...[`'"`, `"'`].map(([quote = "", other = ""]): Row => {
    const inner = `[^${other}\\\\]*?`;
    return {
      pattern: regex(
        `(?<=[:[{,-]\\s+)${quote}${inner}(${quote})${inner}${quote}(?=\\s*(?:[,}\\]]|#.*$|$))`,
      ),
      to: ([all = ""]) => other + all.slice(1, -1) + other,
      message: () => "This quote ends the text, because the text starts with the same quote.",
      advice: `Put the text in ${other === '"' ? "double" : "single"} quotes.`,
    };
  }),
  ...unquoted(
    (rest) => `(?:"[^"]*"|'[^']*'|\\[[^\\][{}:]*\\]|\\{[^\\][{}:]*\\}) *([^\\s,}\\]#]${rest})`,
    (_, all) => `There is text after the closing ${/^["']/.test(all) ? "quote" : "bracket"}.`,
  ),
  ...unquoted(
    (rest) => `([&@%\`|>,]|\\*(?![\\w-]+$)|[?-](?= )|#(?! )|[{[](?!.*[\\]}:{[]))${rest}`,
    (sign) => {
      const meaning = meanings[sign];
      const message = `Text that starts with ${sign} must be in quotes.`;
      return meaning === undefined ? message : `${message} YAML reads it as ${meaning}.`;
    },
  ),
  ...unquoted(
    (rest) => `[^\\s"'{[]${rest}(:)(?:\\s${rest})?`,
    () => "This text contains a colon and a space, so YAML reads a second key.",
  ),
  ...["  ", ""].map((spaces): Row => ({
    pattern: /^ *(\t[ \t]*)/dg,
    code: "IVR102",
    to: ([all = ""]) => all.replaceAll("\t", spaces),
    message: () => "This line is indented with a tab. YAML allows only spaces.",
    advice: "Indent with two spaces per level.",
  })),
];

const meanings: Readonly<Record<string, string>> = {
  "*": "an alias",
  "&": "an anchor",
  "#": "a comment",
  "[": "a list",
  "{": "a mapping",
};

/** All mistakes. If two corrections are equally good, the first is reported. */
export function recognizers(isReadable: boolean): readonly Recognizer[] {
  const any = [...inAnyText().map(inLine), wrongColumn];
  return isReadable ? any : [...any, brackets, ...inUnreadableText().map(inLine)];
}

/** The recognizer of a row. The rest of the line and the lines next to it often have the same mistake. */
function inLine({ pattern, to, message, advice, at = 1, code }: Row): Recognizer {
  return (lines, line) => {
    const matchesIn = (other: number) => [...lines.text(other).matchAll(pattern)];
    const corrected = (other: number, matches = matchesIn(other)): [number, string] => {
      const text = matches.reduceRight(
        (rest, match) =>
          rest.slice(0, match.index) + to(match) + rest.slice(match.index + match[0].length),
        lines.text(other),
      );
      return [other, text];
    };
    const correction = (start: number, match: RegExpExecArray, changes: [number, string][]) => {
      const [from, end] = match.indices?.[at] ?? [match.index, match.index];
      const place = { line: start, from, to: Math.max(end, from + 1) };
      return { ...place, code, message: message(match), advice, lines: new Map(changes) };
    };
    const matches = matchesIn(line);
    if (matches[0] === undefined) return [];
    const group = lines.around(line, (other) => matchesIn(other).length > 0);
    const [first = line] = group;
    return [
      ...matches.map((match) => correction(line, match, [corrected(line, [match])])),
      correction(
        first,
        matchesIn(first)[0] ?? matches[0],
        group.map((other) => corrected(other)),
      ),
    ];
  };
}

/** A value that YAML does not read as text. The whole text gets quotes, and the message points at the group in it. */
function unquoted(
  value: (rest: string) => string,
  message: (group: string, all: string) => string,
  code?: Code,
): Row[] {
  return [
    inQuotes(`${inBlock}(${value(".*?")})${blockEnd}`, message, code),
    inQuotes(`${inFlow}(${value('[^",{}[\\]]*?')})${flowEnd}`, message, code),
  ];
}

function inQuotes(
  pattern: string,
  message: (group: string, all: string) => string,
  code?: Code,
): Row {
  return {
    pattern: regex(pattern),
    at: 2,
    ...(code && { code }),
    to: ([all = "", value = ""]) => {
      const quoted = /["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
      return all.slice(0, all.length - value.length) + quoted;
    },
    message: ([, value = "", group = ""]) => message(group, value),
    advice: "Put the whole text in quotes.",
  };
}

function colon(pattern: string): Row {
  return {
    pattern: regex(pattern),
    at: 2,
    to: ([, name, sign]) => `${name}:${sign === "" ? "" : " "}`,
    message: ([, name, sign = ""]) =>
      sign.trim() === ""
        ? `There is no colon after \`${shown(name)}\`.`
        : `A colon must follow \`${shown(name)}\`, not \`${sign.trim()}\`.`,
    advice: "Put a colon and a space after it.",
  };
}

/** Characters that look like those of YAML. Word processors and keyboards of some languages write them. */
function lookAlike(characters: string, what: string, to: string, advice: string): Row {
  return {
    pattern: regex(`([${characters}]${to.length > 1 ? " ?" : ""})`),
    to: () => to,
    message: ([all = ""]) => {
      const code = all.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      return `This is ${what} (U+${code}). YAML reads it as a letter.`;
    },
    advice,
  };
}

function regex(pattern: string): RegExp {
  return new RegExp(pattern, "dg");
}

function shown(written = ""): string {
  return shorten(written.replace(/^(["'])(.*)\1$/, "$2"));
}
