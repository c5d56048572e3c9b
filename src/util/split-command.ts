/** A command at the end of a text, after a colon that is not between backquotes. */
const commandAtEnd =
  /^((?:[^`]|`[^`]*`)*:) ((?:ivrctl|npm|git|perl|export|chmod|createdb|psql|aws|ALTER|#) \S.*)$/s;

/** Splits a text that ends with a command. Each format shows the command on its own line. */
export function splitCommand(text: string): { readonly words: string; readonly command?: string } {
  const [, words, command] = commandAtEnd.exec(text) ?? [];
  return words === undefined || command === undefined ? { words: text } : { words, command };
}
