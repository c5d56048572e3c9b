/** Returns a count with its noun: `1 menu`, `2 menus`. */
export function many(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}

/** Returns the first of some texts, and how many more there are: `a, b and 12 more`. */
export function listed(texts: readonly string[], most = 10): string {
  const left = texts.length - most;
  return left > 0 ? `${texts.slice(0, most).join(", ")} and ${left} more` : texts.join(", ");
}

/** Returns words as a person lists them: `a`, `a and b`, `a, b and c`. */
export function joined(words: readonly string[], conjunction: "and" | "or"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}
