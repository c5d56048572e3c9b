/** The names of a thing, and all text that a search looks at. Both must be `comparable`. */
export interface Searchable {
  readonly names: readonly string[];
  readonly text: string;
}

/** The items that contain every word of the query, the best matches first. */
export function bestFirst<T extends Searchable>(all: readonly T[], query: string): T[] {
  const words = comparable(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [...all];
  const ranks: T[][] = [[], [], [], []];
  for (const one of all) {
    if (words.every((word) => one.text.includes(word))) ranks[rankOf(one, words)]?.push(one);
  }
  return ranks.flat();
}

/**
 * Returns the rank of a match. 0: the name is equal. 1: a word of the names begins with it. 2: a
 * word of the text does. 3: any match.
 */
function rankOf({ names, text }: Searchable, words: readonly string[]): number {
  if (names.includes(words.join(" "))) return 0;
  const begin = (where: string) => words.every((word) => beginsWord(where, word));
  return begin(names.join("\n")) ? 1 : begin(text) ? 2 : 3;
}

function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    // Two code units, because a letter may take two.
    if (!/[\p{L}\p{M}\p{N}]$/u.test(text.slice(Math.max(at - 2, 0), at))) return true;
  }
  return false;
}

/** The text in lower case and without accents, so that it can be found from any keyboard. */
export function comparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase();
}
