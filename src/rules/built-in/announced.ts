import type { ResolvedRecording } from "../../compile/menu.ts";
import type { Span } from "../../diagnostics/source.ts";
import { Memo } from "../../util/memo.ts";
import { isReadable } from "./purposes.ts";

/** The keys that a prompt tells callers to press. */
export interface Announced {
  /** In the order of their first mention. */
  readonly keys: readonly string[];
  /** `*`, `#` and digits written as words are understood only in English. */
  readonly language: "English" | "other";
  /** The position of the first key in the text, from 0 to 1. */
  readonly first: number;
  /** "dial" or "push", if one of them is used instead of "press". */
  readonly verb: string | undefined;
}

/** What the prompt of a menu announces. Many menus have the same prompt, which is read once. */
export function announcedBy(recording: ResolvedRecording | undefined): Announced | undefined {
  const { value, saysAt } = recording ?? {};
  const says = value?.says;
  if (says === undefined || saysAt === undefined) return undefined;
  return prompts.of(saysAt, [says], () => announcedIn(says));
}

const prompts = new Memo<Span, Announced | undefined>();

/** Returns undefined if the keys are unknown: the text is not English and has no digit. */
export function announcedIn(says: string): Announced | undefined {
  if (says.length > maxLength) return undefined;
  const text = says.replace(/\s+/g, " ").trim();
  const english = isEnglish(text);
  const found = english ? inEnglish(text) : singleDigits(text);
  if (!english && found.length === 0) return undefined;
  const verb = found.find(({ verb }) => verb === "dial" || verb === "push")?.verb;
  return {
    keys: [...new Set(found.map(({ key }) => key))],
    language: english ? "English" : "other",
    first: (found[0]?.at ?? text.length) / Math.max(text.length, 1),
    verb,
  };
}

/** The maximum length of a prompt. No real prompt is longer. */
const maxLength = 20_000;

interface Mention {
  readonly key: string;
  readonly at: number;
  /** The verb before the key. */
  readonly verb?: string | undefined;
}

const englishWords =
  /\b(?:press|dial|push|for|the|to|and|you|your|please|welcome|our|is|are|of|with|this|thank|call)\b/gi;

/** Whether the text is in Latin letters and has "press" or two common English words. */
function isEnglish(text: string): boolean {
  if (!isReadable(text)) return false;
  if (/\bpress\b/i.test(text)) return true;
  const words = new Set(text.match(englishWords)?.map((word) => word.toLowerCase()));
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
/** Matches a key after a verb: press 1, press the star key, dial one or two. */
const asked = new RegExp(
  String.raw`(?<![A-Za-z0-9])(press|dial|push|hit|enter|touch|select|choose|type)(?:ing)?\s+${article}(${key})`,
  "gi",
);
/** Matches "2 for billing" after a comma, "or", "and" or "then", or at the start of a sentence. */
const listed = new RegExp(
  String.raw`(?<=(?:^|[,;.!?\u2026\u2013\u2014-]|(?<![A-Za-z0-9])(?:or|and|then))\s*["\u201C'\u2018]?)(${key})["\u201D'\u2019]?\s+(?:for|to|if|is)\s+(?![0-9]|${key})`,
  "gi",
);
/** Matches the further keys of "press 1 or 2". */
const further = new RegExp(
  String.raw`^["\u201D'\u2019]?\s*(?:,\s*(?:or\s+)?|or\s+|and\s+)(${key})(?!\s+(?:for|to|if|is)\s)`,
  "i",
);

function inEnglish(text: string): Mention[] {
  const mentions: Mention[] = [];
  for (const match of text.matchAll(asked)) {
    const [whole, verb = "", word = ""] = match;
    let at = match.index + whole.length - word.length;
    mentions.push({ key: keyOf(word), at, verb: verb.toLowerCase() });
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
  // Before the first "press", a number is not a key.
  for (const match of text.matchAll(listed)) {
    if (match.index > first.at) mentions.push({ key: keyOf(match[1] ?? ""), at: match.index });
  }
  return mentions.sort((a, b) => a.at - b.at);
}

function keyOf(word: string): string {
  return keyWords[word.toLowerCase()] ?? word;
}

const singleDigit = /(?<!\p{Nd}[:.,/-]?)\p{Nd}(?![:.,/-]?\p{Nd})/gu;

/** Digits of any script that are not part of a number, a time or a date. */
function singleDigits(text: string): Mention[] {
  return [...text.matchAll(singleDigit)].map((match) => ({
    key: digitOf(match[0]),
    at: match.index,
  }));
}

/** The value of a digit. Unicode has the ten digits of each script in a row; rows can be adjacent. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let start = code;
  while (start > 0 && /\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}
