import type { Code } from "../../diagnostics/codes.ts";
import { shorten } from "../../util/nearest.ts";
import type { Edit } from "./correction.ts";

/** A mistake that is visible in one line. A wrong guess does no harm: its correction does not help. */
export interface Row {
  readonly pattern: RegExp;
  /** The correction of one match. */
  readonly edit: (match: Match) => readonly LineEdit[];
  readonly message: (match: Match) => string;
  readonly advice: string;
  /** The group of the pattern that a message points at; 1 unless given. */
  readonly at?: number;
  readonly code?: Code;
}

type LineEdit = Omit<Edit, "line">;

export interface Match {
  readonly text: (group: number) => string;
  readonly at: (group: number) => { readonly from: number; readonly to: number };
}

/** All matches of a pattern in a line, with the places of their groups. */
export function findMatches(text: string, pattern: RegExp): Match[] {
  return [...text.matchAll(pattern)].map((match) => ({
    text: (group: number) => match[group] ?? "",
    at: (group: number) => {
      const [from, to] = match.indices?.[group] ?? [match.index, match.index];
      return { from, to };
    },
  }));
}

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

/** Mistakes that YAML may accept. If two corrections are equally good, the first is reported. */
export const inAnyText: readonly Row[] = [
  ...lookAlikes(),
  {
    pattern: regex(`(?<=^ *(?:- +)*|[{,]\\s*)(${key})(:)(?=[^\\s,}\\]/:])`),
    at: 2,
    edit: (match) => [insert(match.at(2).to, " ")],
    message: (match) => `There is no space after the colon of \`${name(match.text(1))}\`.`,
    advice: "Add a space.",
  },
  // `wait 5`, `wait = 5`, `1. Asha Rao`, `options` above its fields, `{ wait 5 }`
  colon(
    `${lead}(\\w[\\w-]*)([ \\t]*[=;][ \\t]*|[.)][ \\t]+|[ \\t]+-[ \\t]+|[ \\t]+)(?=[^\\s=;:#])`,
  ),
  colon(`${lead}(\\w[\\w-]*)()(?=\\s*(?:#.*)?$)`),
  colon("(?<=[{,]\\s*)([\\w-]+)([ \\t]*=[ \\t]*|[ \\t]+)(?=[^\\s=:,{}][^,{}:]*[,}])"),
  ...[
    `${inBlock}((${variable}).*?)${blockEnd}`,
    `${inFlow}((${variable})[^",{}[\\]]*?)${flowEnd}`,
  ].map((pattern): Row => ({
    pattern: regex(pattern),
    at: 2,
    code: "IVR118",
    edit: quote,
    message: (match) => `YAML reads the braces of \`${match.text(2)}\` as a mapping.`,
    advice: "Put the whole text in quotes.",
  })),
];

/** Mistakes that YAML never accepts. */
export const inUnreadableText: readonly Row[] = [
  {
    pattern: /(?<=^ *(?:- +)*|[{,]\s*)(\*)(?= *:(?:\s|$))/dg,
    code: "IVR108",
    edit: quote,
    message: () => "In YAML, an unquoted `*` starts an alias, not a key.",
    advice: 'Put it in quotes: `"*"`.',
  },
  {
    pattern: regex(`${inFlow}([^\\s"',{}[\\]]*(\\$\\{\\w+\\})[^",{}[\\]]*?)${flowEnd}`),
    at: 2,
    code: "IVR118",
    edit: quote,
    message: (match) => `Inside { } or [ ], a variable such as ${match.text(2)} must be in quotes.`,
    advice: "Put the whole text in quotes.",
  },
  {
    pattern: regex(`(?<=[{,].*[^\\s{,:;])(;?)( +)(${key}) *:(?=\\s|$)`),
    at: 3,
    edit: (match) => [{ ...match.at(1), text: "," }],
    message: (match) => `There is no comma before \`${name(match.text(3))}\`.`,
    advice: "Separate the fields inside { } with commas.",
  },
  {
    pattern: regex(`(?<=[}\\]"'])() +([{["'])`),
    at: 2,
    edit: (match) => [insert(match.at(1).from, ",")],
    message: () => "There is no comma before this value.",
    advice: "Separate the values inside [ ] or { } with commas.",
  },
  {
    pattern: /(?<=[^\s,{[])()(?=\s*(?:\s#.*)?$)/dg,
    edit: (match) => [insert(match.at(1).from, ",")],
    message: () => "There is no comma at the end of this line.",
    advice: "Separate the values inside { } or [ ] with commas.",
  },
  // A quote that ends at the end of the line, or before a comma, a bracket or a comment.
  ...["$", "\\s*[,}\\]].*$", "\\s+#.*$"].map((end): Row => ({
    pattern: regex(`(?<=(?:^|[\\s{[,]))(["'])((?:(?!\\1).)*?)(?=\\s*${end})(?!.*\\1)`),
    edit: (match) => [insert(match.at(2).to, match.text(1))],
    message: () => "This quote is never closed.",
    advice: "Add the closing quote.",
  })),
  // `'It's open'` or `"the "best" desk"`
  ...[`'"`, `"'`].map(([own = "", other = ""]): Row => {
    const inner = `[^${other}\\\\]*?`;
    return {
      pattern: regex(
        `(?<=[:[{,-]\\s+)(${own})${inner}(${own})${inner}(${own})(?=\\s*(?:[,}\\]]|#.*$|$))`,
      ),
      at: 2,
      edit: (match) => [
        { ...match.at(1), text: other },
        { ...match.at(3), text: other },
      ],
      message: () => "This quote ends the text, because the text starts with the same quote.",
      advice: `Put the text in ${other === '"' ? "double" : "single"} quotes.`,
    };
  }),
  ...[
    [`${inBlock}(`, `)${blockEnd}`, ".*?"] as const,
    [`${inFlow}(`, `)${flowEnd}`, `[^",{}[\\]]*?`] as const,
  ].flatMap(([before, after, rest]) => unquoted(before, after, rest)),
  ...["  ", ""].map((spaces): Row => ({
    pattern: /^ *(\t[ \t]*)/dg,
    code: "IVR102",
    edit: (match) => [{ ...match.at(1), text: match.text(1).replaceAll("\t", spaces) }],
    message: () => "This line is indented with a tab. YAML allows only spaces.",
    advice: "Indent with two spaces per level.",
  })),
];

/** Text that YAML does not read as text: all of it gets quotes. */
function unquoted(before: string, after: string, rest: string): Row[] {
  const row = (value: string, message: (match: Match) => string, at: number): Row => ({
    pattern: regex(`${before}${value}${after}`),
    at,
    edit: quote,
    message,
    advice: "Put the whole text in quotes.",
  });
  const closed = `(?:"[^"]*"|'[^']*'|\\[[^\\][{}:]*\\]|\\{[^\\][{}:]*\\})`;
  const sign = "[&@%`|>,]|\\*(?![\\w-]+$)|[?-](?= )|#(?! )|[{[](?!.*[\\]}:{[])";
  return [
    row(
      `${closed} *([^\\s,}\\]#]${rest})`,
      (match) =>
        `There is text after the closing ${/^["']/.test(match.text(1)) ? "quote" : "bracket"}.`,
      2,
    ),
    row(`(${sign})${rest}`, (match) => startsWith(match.text(2)), 2),
    row(
      `[^\\s"'{[]${rest}(:)(?:\\s${rest})?`,
      () => "This text contains a colon and a space, so YAML reads a second key.",
      2,
    ),
  ];
}

const meanings: Readonly<Record<string, string>> = {
  "*": "an alias",
  "&": "an anchor",
  "#": "a comment",
  "[": "a list",
  "{": "a mapping",
};

function startsWith(sign: string): string {
  const meaning = meanings[sign];
  const message = `Text that starts with ${sign} must be in quotes.`;
  return meaning === undefined ? message : `${message} YAML reads it as ${meaning}.`;
}

function colon(pattern: string): Row {
  return {
    pattern: regex(pattern),
    at: 2,
    edit: (match) => {
      const { from, to } = match.at(2);
      return [{ from, to, text: to === from ? ":" : ": " }];
    },
    message: (match) => {
      const sign = match.text(2).trim();
      return sign === ""
        ? `There is no colon after \`${name(match.text(1))}\`.`
        : `A colon must follow \`${name(match.text(1))}\`, not \`${sign}\`.`;
    },
    advice: "Put a colon and a space after it.",
  };
}

/** Characters that look like those of YAML. Word processors and keyboards of some languages write them. */
function lookAlikes(): Row[] {
  const normalSpace = "Replace it with a normal space.";
  const straight = "Use straight quotes.";
  const rows = [
    [/([\u00A0\u202F])/dg, "a non-breaking space", " ", normalSpace],
    [/([\u1680\u2000-\u200A\u205F\u3000])/dg, "a wide or narrow space", " ", normalSpace],
    [/([\u00AD\u200B-\u200F\u2060\uFEFF])/dg, "an invisible character", "", "Delete it."],
    [
      /([\uFF1A\uFE55\uFE13\uA789] ?)/dg,
      "a full-width colon",
      ": ",
      "Replace it with a normal colon and a space.",
    ],
    [
      /([\uFF0C\u3001] ?)/dg,
      "a full-width comma",
      ", ",
      "Replace it with a normal comma and a space.",
    ],
    [/([\u201C-\u201F\uFF02])/dg, "a curly quote", '"', straight],
    [/([\u2018-\u201B\uFF07])/dg, "a curly quote", "'", straight],
  ] as const;
  return rows.map(([pattern, what, text, advice]) => ({
    pattern,
    edit: (match) => [{ ...match.at(1), text }],
    message: (match) => {
      const code = match.text(1).charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      return `This is ${what} (U+${code}). YAML reads it as a letter.`;
    },
    advice,
  }));
}

/** Puts the first group in quotes. */
function quote(match: Match): LineEdit[] {
  const { from, to } = match.at(1);
  const value = match.text(1);
  const sign = /["\\]/.test(value) ? "'" : '"';
  const doubled = sign === "'" ? [...value.matchAll(/'/g)].map(({ index }) => from + index) : [];
  return [from, ...doubled, to].map((at) => insert(at, sign));
}

function insert(at: number, text: string): LineEdit {
  return { from: at, to: at, text };
}

function regex(pattern: string): RegExp {
  return new RegExp(pattern, "dg");
}

function name(written: string): string {
  return shorten(written.replace(/^(["'])(.*)\1$/, "$2"));
}
