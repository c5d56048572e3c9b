/** Returns a count with its noun: `1 menu`, `2 menus`. */
export function many(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
