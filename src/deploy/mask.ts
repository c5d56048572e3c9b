/** Takes a token out of a text, in every spelling that services and shells give it. */
export function maskToken(text: string, token: string): string {
  // A token so short is none, and would be found in any text.
  if (token.length < 4) return text;
  const spellings = [token, encodeURIComponent(token), token.replaceAll("/", String.raw`\/`)];
  return spellings.reduce((clean, spelling) => clean.replaceAll(spelling, "***"), text);
}
