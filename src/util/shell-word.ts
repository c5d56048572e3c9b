/** One argument of a command that somebody copies into a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+,:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
