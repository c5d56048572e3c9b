/** Texts of files. Undefined for those that Prettier must not read. */
export type Texts = readonly (string | undefined)[];

/** The texts as Prettier writes them, in the same order. Undefined for those that it cannot format. */
export async function prettierTexts(texts: Texts): Promise<(string | undefined)[]> {
  const formatted: (string | undefined)[] = [];
  for (const text of texts) formatted.push(text && (await prettierText(text)));
  return formatted;
}

/** The text as Prettier writes it. Undefined if Prettier cannot format it. */
export async function prettierText(text: string): Promise<string | undefined> {
  // Prettier needs quadratic time for a long run of blanks, and takes a lone return for a line end.
  if (/[ \t]{5000}|\r(?!\n)/.test(text)) return undefined;
  const [prettier, yaml] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/yaml"),
  ]);
  const endOfLine = /\r?\n/.exec(text)?.[0] === "\r\n" ? "crlf" : "lf";
  return prettier
    .format(text, { parser: "yaml", plugins: [yaml], printWidth: 120, endOfLine })
    .catch(() => undefined);
}
