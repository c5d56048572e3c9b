import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { Source } from "../../diagnostics/source.ts";
import type { Piece } from "./pieces.ts";
import { print } from "./print.ts";
import { split } from "./split.ts";
import { type ScalarNode, sameTrees } from "../node.ts";
import { type YamlText, readYaml } from "../read-yaml.ts";

/**
 * A file's text in the canonical layout. Undefined, with a diagnostic, if the file must be
 * left as it is: it cannot be read, or the result would not provably say the same.
 */
export function format(source: Source, diagnostics: Diagnostics): string | undefined {
  const faults = new Diagnostics();
  const documents = readYaml(source, faults);
  if (faults.hasErrors) {
    diagnostics.addAll(faults);
    return undefined;
  }
  const result = layOut(source.text);
  if (result?.text === source.text) return result.text;
  if (result !== undefined && isFaithful(source, documents, result)) return result.text;
  diagnostics.add(
    "IVR128",
    source.top(),
    "This file is left as it is: it cannot be laid out with certainty that it says the same afterwards.",
    "Nothing is wrong with it. Please report it all the same.",
  );
  return undefined;
}

interface LaidOut {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

function layOut(text: string): LaidOut | undefined {
  // A file keeps the line ends that its first line has.
  const ends = /\r?\n/.exec(text)?.[0] ?? "\n";
  const plain = text.replaceAll("\r\n", "\n");
  const pieces = split(plain);
  if (pieces === undefined) return undefined;
  return { text: print(plain, pieces).replaceAll("\n", ends), pieces };
}

/** Read again, the result has the same values and comments, and would not change once more. */
function isFaithful(source: Source, documents: readonly YamlText[], result: LaidOut): boolean {
  const faults = new Diagnostics();
  const reread = readYaml(new Source(source.file, result.text), faults);
  if (faults.hasErrors) return false;
  const again = layOut(result.text);
  return (
    again?.text === result.text &&
    samePieces(result.pieces, again.pieces) &&
    documents.length === reread.length &&
    documents.every(({ root }, index) => sameTrees(root, reread[index]?.root, sameScalars))
  );
}

/** Compares tokens too: anchors, aliases, tags and quotes do not show in the values. */
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
