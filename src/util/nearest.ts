import { distance } from "fastest-levenshtein";
import { joined } from "./many.ts";
import { secrets } from "./secrets.ts";

const most = 3;
const maxQuoted = 80;
const maxCompared = 100;
const maxQuestions = 100;

/** The candidates that are most similar to a word, best first; empty if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  const wanted = fold(word);
  const bound = Math.max(2, Math.floor(wanted.length * 0.4));
  const ranked: { candidate: string; score: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const name = fold(candidate);
    const score = likeness(wanted, name, bound);
    if (score <= bound) ranked.push({ candidate, score });
  }
  ranked.sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
  return ranked.slice(0, most).map(({ candidate }) => candidate);
}

/** Returns text from outside for a message: on one line and shortened. */
export function shorten(text: string): string {
  const line = text.replace(/[\r\n]+$/, "").replace(/[\r\n]+/g, " ");
  // Secrets are masked before the text is cut, because half a secret would not be found.
  return line.length <= maxQuoted ? line : `${secrets.mask(line).slice(0, maxQuoted - 1)}…`;
}

export function didYouMean(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const quoted = names.map((name) => `\`${name}\``);
  return `Did you mean ${joined(quoted, "or")}?`;
}

/**
 * Finds similar names among many. It compares only the names that share the most groups of three
 * letters with the word. After `maxQuestions` words it returns nothing, so that a project with
 * very many wrong names is still checked quickly.
 */
export class NameIndex {
  readonly #names: readonly string[];
  readonly #answers = new Map<string, string[]>();
  #byTriple: Map<string, number[]> | undefined;

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)];
  }

  nearest(word: string): string[] {
    let answer = this.#answers.get(word);
    if (answer === undefined) {
      answer = this.#answers.size < maxQuestions ? nearest(word, this.#candidates(word)) : [];
      this.#answers.set(word, answer);
    }
    return answer;
  }

  #candidates(word: string): readonly string[] {
    if (this.#names.length <= maxCompared) return this.#names;
    this.#byTriple ??= this.#build();
    const shared = new Map<number, number>();
    for (const triple of triples(fold(word))) {
      for (const name of this.#byTriple.get(triple) ?? []) {
        shared.set(name, (shared.get(name) ?? 0) + 1);
      }
    }
    return [...shared]
      .sort(([, a], [, b]) => b - a)
      .slice(0, maxCompared)
      .map(([name]) => this.#names[name] ?? "");
  }

  #build(): Map<string, number[]> {
    const byTriple = new Map<string, number[]>();
    for (const [index, name] of this.#names.entries()) {
      for (const triple of triples(fold(name))) {
        const list = byTriple.get(triple);
        if (list === undefined) byTriple.set(triple, [index]);
        else list.push(index);
      }
    }
    return byTriple;
  }
}

function likeness(wanted: string, name: string, bound: number): number {
  if (wanted === name) return 0;
  // "Asha" and "Rao Asha" are both near "Asha Rao".
  const words = wanted.split(" ");
  if (wanted.length > 2 && words.every((word) => name.split(" ").includes(word))) return 1;
  if (Math.abs(wanted.length - name.length) > bound) return Number.POSITIVE_INFINITY;
  return distance(wanted, name);
}

function fold(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/g, " ").toLowerCase().replaceAll(/[_-]/g, " ");
}

function triples(text: string): Set<string> {
  const padded = ` ${text} `;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3));
  return found;
}
