import { latePattern } from "./late-pattern.ts";
import { isReadable } from "./purposes.ts";
import { remembered } from "./remembered.ts";

/** What a prompt tells callers to press, as far as its words show it. */
export interface Announced {
  /** In the order of their first mention. */
  readonly keys: readonly string[];
  /** Whether `*` and `#` would have been understood as well. */
  readonly language: "English" | "other";
  /** How far into the text the first one stands: from 0 to 1. */
  readonly first: number;
  /** "dial" or "push", where one of them stands for "press". */
  readonly verb: string | undefined;
}

/** Undefined where nothing can be said: in another language without any digit. */
export const announcedIn = remembered((says): Announced | undefined => {
  if (says.length > maxLength) return undefined;
  const text = says.replace(/\s+/g, " ").trim();
  const english = isEnglish(text);
  const found = english ? inEnglish(text) : standAlone(text);
  if (!english && found.length === 0) return undefined;
  const verb = found.find(({ verb }) => verb === "dial" || verb === "push")?.verb;
  return {
    keys: [...new Set(found.map(({ key }) => key))],
    language: english ? "English" : "other",
    first: (found[0]?.at ?? text.length) / Math.max(text.length, 1),
    verb,
  };
});

/** Nobody listens to more. */
const maxLength = 20_000;

interface Mention {
  readonly key: string;
  readonly at: number;
  /** The word that asks for it, where it follows one. */
  readonly verb?: string | undefined;
}

const telling =
  /\b(?:press|dial|push|for|the|to|and|you|your|please|welcome|our|is|are|of|with|this|thank|call)\b/gi;

/** Latin letters, and two of the words that nearly every English sentence has. */
function isEnglish(text: string): boolean {
  if (!isReadable(text)) return false;
  if (/\bpress\b/i.test(text)) return true;
  const words = new Set(text.match(telling)?.map((word) => word.toLowerCase()));
  return words.size >= 2;
}

const keyWords: Readonly<Record<string, string>> = {
  zero: "0",
  one: "1",
  two: "2",
  three: "3",
  four: "4",
  five: "5",
  six: "6",
  seven: "7",
  eight: "8",
  nine: "9",
  star: "*",
  asterisk: "*",
  hash: "#",
  pound: "#",
};

const key = `(?:[0-9]{1,2}(?![0-9:./%-]?[0-9])|[*#]|${Object.keys(keyWords).join("|")})(?![A-Za-z0-9])`;
const article = String.raw`(?:(?:the|key|number|digit|button|either)\s+)*["\u201C'\u2018]?`;
// Of small letters, and looked for in these: a pattern for both takes twice as long to compile.
/** Press 1, press the star key, dial one or two. */
const asked = new RegExp(
  String.raw`(?<![A-Za-z0-9])(press|dial|push|hit|enter|touch|select|choose|type)(?:ing)?\s+${article}(${key})`,
  "g",
);
/** 2 for billing, after a comma, a word that joins, or at the start of a sentence. */
const listed = new RegExp(
  String.raw`(?<=(?:^|[,;.!?\u2026\u2013\u2014-]|(?<![A-Za-z0-9])(?:or|and|then))\s*["\u201C'\u2018]?)(${key})["\u201D'\u2019]?\s+(?:for|to|if|is)\s+(?![0-9]|${key})`,
  "g",
);
/** The further keys of "press 1 or 2". */
const further = new RegExp(
  String.raw`^["\u201D'\u2019]?\s*(?:,\s*(?:or\s+)?|or\s+|and\s+)(${key})(?!\s+(?:for|to|if|is)\s)`,
);

function inEnglish(written: string): Mention[] {
  // Not toLowerCase: it gives some letters of other alphabets another length.
  const text = written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const mentions: Mention[] = [];
  for (const match of text.matchAll(asked)) {
    const [whole, verb = "", word = ""] = match;
    let at = match.index + whole.length - word.length;
    mentions.push({ key: keyOf(word), at, verb });
    at += word.length;
    for (;;) {
      const next = further.exec(text.slice(at, at + 40));
      if (next === null) break;
      at += next[0].length;
      mentions.push({ key: keyOf(next[1] ?? ""), at });
    }
  }
  const [first] = mentions;
  if (first === undefined) return [];
  // Before anybody is asked to press something, a number is a number.
  for (const match of text.matchAll(listed)) {
    if (match.index > first.at) mentions.push({ key: keyOf(match[1] ?? ""), at: match.index });
  }
  return mentions.sort((a, b) => a.at - b.at);
}

function keyOf(word: string): string {
  return keyWords[word.toLowerCase()] ?? word;
}

const aloneDigit = latePattern(String.raw`(?<!\p{Nd}[:.,/-]?)\p{Nd}(?![:.,/-]?\p{Nd})`, "gu");
const digit = latePattern(String.raw`\p{Nd}`);

/** Digits of any script that are no part of a number, a time or a date. */
function standAlone(text: string): Mention[] {
  return [...text.matchAll(aloneDigit())].map((match) => ({
    key: digitOf(match[0]),
    at: match.index,
  }));
}

/** The ten digits of a script stand in a row that starts with its zero; rows may adjoin. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let start = code;
  while (start > 0 && digit().test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}
