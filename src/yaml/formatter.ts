import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Lexer } from "yaml";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { packageRoot } from "../util/disk.ts";
import { explaining } from "./mistakes/syntax-mistakes.ts";
import { limits } from "../schema/limits.ts";
import { type Texts, prettierText, prettierTexts } from "./prettier-text.ts";
import { type YamlText, readYaml } from "./read-yaml.ts";

/**
 * The text of a file as Prettier formats it. Undefined, with a diagnostic, if the file must not be
 * changed: it cannot be read, or its values or comments would not stay the same.
 */
export async function format(
  source: Source,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  const [text] = await prettierTexts([isTooDeep(source) ? undefined : source.text]);
  return safeText(source, text, diagnostics);
}

/** The texts of files, in the same order. See `format`. */
export async function formatAll(
  sources: readonly Source[],
  diagnostics: Diagnostics,
): Promise<(string | undefined)[]> {
  const texts = await formattedTexts(
    sources.map((source) => (isTooDeep(source) ? undefined : source.text)),
  );
  const safe = sources.map(async (source, at) => safeText(source, texts[at], diagnostics));
  return Promise.all(safe);
}

/**
 * Whether a text is nested so deep that ivrctl refuses it. Prettier recurses, and the process aborts if
 * V8 compiles a regular expression when the stack is almost full. Few texts have to be read to know.
 */
function isTooDeep(source: Source): boolean {
  if (!mayBeDeep(source.text)) return false;
  const problems = new Diagnostics();
  readYaml(source, problems);
  return problems.hasErrors;
}

function mayBeDeep(text: string): boolean {
  if (/^ {64}|(?:[-?!&][^\s[\]{}]* +){16}/m.test(text)) return true;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limits.depth) return true;
  }
  return false;
}

/** Returns a new text of a file only if it means the same. A text that Prettier keeps is not read. */
async function safeText(
  source: Source,
  text: string | undefined,
  diagnostics: Diagnostics,
): Promise<string | undefined> {
  if (text === source.text) return text;
  const problems = new Diagnostics();
  const documents = explaining(source, problems, readYaml);
  if (problems.hasErrors) {
    diagnostics.addAll(problems);
    return undefined;
  }
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

/** The texts as Prettier writes them. Of many, a second thread formats half. */
async function formattedTexts(texts: Texts): Promise<(string | undefined)[]> {
  if (texts.length <= 200) return prettierTexts(texts);
  // Each thread compiles Prettier for itself, so more of them gain little.
  const half = texts.length / 2;
  const [first, second] = [texts.slice(0, half), texts.slice(half)];
  const formatted = await Promise.all([prettierTexts(first), inThread(second)]);
  return formatted.flat();
}

async function inThread(texts: Texts): Promise<(string | undefined)[]> {
  return new Promise((resolve, reject) => {
    const file = join(packageRoot(), "dist/ivrctl.cjs");
    new Worker(file, { workerData: texts }).once("message", resolve).once("error", reject);
  });
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
