/** Quotes an argument of a command for copying into a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+,:-][\w./@%+,:=-]*$/.test(word)
    ? word
    : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
