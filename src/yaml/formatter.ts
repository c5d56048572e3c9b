import { Lexer } from "yaml";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { explaining } from "./mistakes/syntax-mistakes.ts";
import { type YamlText, readYaml } from "./read-yaml.ts";

/**
 * The text of a file as Prettier formats it. Undefined, with a diagnostic, if the file must not be
 * changed: it cannot be read, or its values or comments would not stay the same.
 */
export async function format(
  source: Source,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  const problems = new Diagnostics();
  const documents = explaining(source, problems, readYaml);
  if (problems.hasErrors) {
    diagnostics.addAll(problems);
    return undefined;
  }
  const text = await prettierText(source.text);
  if (text === source.text) return text;
  const meansTheSame = text !== undefined && isSame(source, documents, text);
  if (meansTheSame && (await prettierText(text)) === text) return text;
  diagnostics.add(
    "IVR128",
    source.top(),
    "ivrctl cannot format this file without a risk of changing its values or comments.",
    "Leave it as it is: nothing is wrong with it. Simpler YAML, with comments on lines of their own, can be formatted.",
  );
  return undefined;
}

/** The text as Prettier writes it. Undefined if Prettier cannot format it. */
async function prettierText(text: string): Promise<string | undefined> {
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

/** Whether a text has the same values and comments as a file. */
function isSame(source: Source, documents: readonly YamlText[], text: string): boolean {
  const problems = new Diagnostics();
  const reread = readYaml(new Source(source.file, text), problems);
  return (
    !problems.hasErrors &&
    outline(documents) === outline(reread) &&
    piecesOf(source.text).join("\n") === piecesOf(text).join("\n")
  );
}

/** The kinds, keys and values of trees in their order, without their places. */
function outline(documents: readonly YamlText[]): string {
  return JSON.stringify(documents, [
    "root",
    "kind",
    "entries",
    "key",
    "value",
    "items",
    "text",
    "plain",
  ]);
}

/**
 * The comments, anchors, aliases and tags of a text, and a dot for each scalar. The parser drops
 * some scalars at places where YAML allows none, so equal trees are not enough.
 */
function piecesOf(text: string): string[] {
  const tokens = [...new Lexer().lex(text)];
  return tokens.flatMap((token, index) => {
    // The lexer puts U+001F before a scalar without quotes.
    if (tokens[index - 1] === "\u001F" || /^["']/.test(token)) return ".";
    return /^[#&*!]/.test(token) ? token.trimEnd() : [];
  });
}
