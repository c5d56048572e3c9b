import { decode, readNamed } from "../project/files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";
import type { Host } from "../util/host.ts";

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Source | undefined> {
  const found = new Diagnostics();
  const source =
    named === "-"
      ? decode("stdin", await readPiped(host.stdin()), "importedText", found)
      : readNamed(root, named, "importedText", found);
  // A text that cannot be decoded may contain tokens.
  for (const diagnostic of found.sorted()) diagnostic.source?.hideAll();
  diagnostics.addAll(found);
  return source;
}

/** Reads all, or a little more than the limit. */
async function readPiped(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > limits.importedText) break;
  }
  return Buffer.concat(chunks);
}
