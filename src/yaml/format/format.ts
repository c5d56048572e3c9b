import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { Source } from "../../diagnostics/source.ts";
import type { Piece } from "./pieces.ts";
import { print } from "./print.ts";
import { split } from "./split.ts";
import { type ScalarNode, sameTrees } from "../node.ts";
import { explaining } from "../mistakes/explain.ts";
import { type YamlText, readYaml } from "../read-yaml.ts";

/**
 * The text of a file in the canonical layout. Undefined, with a diagnostic, if the file must not
 * be changed: it cannot be read, or its values might not stay the same.
 */
export function format(source: Source, diagnostics: Diagnostics): string | undefined {
  const found = new Diagnostics();
  const documents = explaining(source, found, readYaml);
  if (found.hasErrors) {
    diagnostics.addAll(found);
    return undefined;
  }
  const result = layOut(source.text);
  if (result?.text === source.text) return result.text;
  if (result !== undefined && isFaithful(source, documents, result)) return result.text;
  const hasBareReturn = /\r(?!\n)/.test(source.text);
  diagnostics.add(
    "IVR128",
    source.top(),
    "ivrctl cannot format this file without a risk of changing its values.",
    hasBareReturn
      ? "Replace the carriage returns that are not part of a line end, then format the file again."
      : "Leave it as it is: nothing is wrong with it. Please report this file as a bug in ivrctl.",
  );
  return undefined;
}

interface LaidOut {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

function layOut(text: string): LaidOut | undefined {
  // The whole file gets the line endings of its first line.
  const ends = /\r?\n/.exec(text)?.[0] ?? "\n";
  const plain = text.replaceAll("\r\n", "\n");
  const pieces = split(plain);
  if (pieces === undefined) return undefined;
  return { text: print(plain, pieces).replaceAll("\n", ends), pieces };
}

/** Whether the result has the same values and comments, and formatting it again changes nothing. */
function isFaithful(source: Source, documents: readonly YamlText[], result: LaidOut): boolean {
  const found = new Diagnostics();
  const reread = readYaml(new Source(source.file, result.text), found);
  if (found.hasErrors) return false;
  const again = layOut(result.text);
  return (
    again?.text === result.text &&
    samePieces(result.pieces, again.pieces) &&
    documents.length === reread.length &&
    documents.every(({ root }, index) => sameTrees(root, reread[index]?.root, sameScalars))
  );
}

/** Whether the tokens are the same. Anchors, aliases, tags and quotes are not part of the values. */
function samePieces(before: readonly Piece[], after: readonly Piece[]): boolean {
  return (
    before.length === after.length &&
    before.every((piece, index) => {
      const other = after[index];
      return piece.kind === other?.kind && piece.lines.join("\n") === other.lines.join("\n");
    })
  );
}

function sameScalars(before: ScalarNode, after: ScalarNode): boolean {
  return before.text === after.text && before.plain === after.plain;
}
