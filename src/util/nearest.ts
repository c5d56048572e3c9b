import { distance } from "fastest-levenshtein";
import { joined } from "./many.ts";
import { secrets } from "./secrets.ts";
import type { Correction } from "./suggest.ts";

const most = 3;
const maxQuoted = 80;

/** The candidates that are most similar to a word, best first; empty if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  const wanted = fold(word);
  // One character stays the same. Otherwise, all words with two characters are similar.
  const bound = Math.max(Math.min(2, wanted.length - 1), Math.floor(wanted.length * 0.4));
  const ranked: { candidate: string; score: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const name = fold(candidate);
    const score = likeness(wanted, name, bound);
    if (score <= bound) ranked.push({ candidate, score });
  }
  ranked.sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
  const [best] = ranked;
  // Beside a name that is much closer, the others only distract.
  const close = ranked.filter(({ score }) => best !== undefined && score <= best.score + 1);
  return close.slice(0, most).map(({ candidate }) => candidate);
}

/** Returns text from outside for a message: on one line and shortened. */
export function shorten(text: string): string {
  const line = text.replace(/[\r\n]+$/, "").replace(/[\r\n]+/g, " ");
  // Secrets are masked before the text is cut, because half a secret would not be found.
  return line.length <= maxQuoted ? line : `${secrets.mask(line).slice(0, maxQuoted - 1)}…`;
}

/** Says which of the nearest names is probably meant by a word, and what a reader cannot see in the word. */
export function didYouMean(names: readonly string[], word?: string): Correction | undefined {
  const [first] = names;
  if (first === undefined) return undefined;
  const quoted = names.map((name) => `\`${name}\``);
  const script = word === undefined ? undefined : differentScript(word, first);
  const words = [`Did you mean ${joined(quoted, "or")}?`, script ?? []].flat().join(" ");
  return { words, instead: names };
}

/** Says that a letter of a word is from a different script than that of the word that is meant. */
function differentScript(word: string, meant: string): string | undefined {
  const [letters, others] = [word.normalize("NFC").split(""), meant.normalize("NFC").split("")];
  const at = letters.findIndex((letter, index) => letter !== others[index]);
  const [letter = "", other = ""] = [letters[at], others[at]];
  const script = scripts.find(({ letters: own }) => own.test(letter));
  if (script === undefined || script.letters.test(other) || !/\p{L}/u.test(other)) return undefined;
  return `${at === 0 ? "The first letter" : `Letter ${at + 1}`} is ${script.name} ${letter}.`;
}

/** The scripts whose letters look like those of others. */
const scripts = [
  { name: "Cyrillic", letters: /\p{Script=Cyrillic}/u },
  { name: "Greek", letters: /\p{Script=Greek}/u },
  { name: "Latin", letters: /\p{Script=Latin}/u },
];

function likeness(wanted: string, name: string, bound: number): number {
  if (wanted === name) return 0;
  // "Asha" and "Rao Asha" are both near "Asha Rao".
  const words = wanted.split(" ");
  if (wanted.length > 1 && words.every((word) => name.split(" ").includes(word))) return 1;
  if (Math.abs(wanted.length - name.length) > bound) return Number.POSITIVE_INFINITY;
  return distance(wanted, name);
}

function fold(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase().replaceAll(/[_-]/g, " ");
}
