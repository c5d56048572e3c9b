import { statSync } from "node:fs";
import { resolve } from "node:path";
import { decode, readNamed, shownPath } from "../project/files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import type { Host } from "../util/host.ts";

/** The maximum size of a text. No account has so many menus, so a larger text is something else. */
const maxBytes = limits.importedText;

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Source | undefined> {
  const found = new Diagnostics();
  const source =
    named === "-" ? await readPiped(host.stdin(), found) : readFile(root, named, found);
  // A text that cannot be decoded may contain tokens.
  for (const diagnostic of found.sorted()) diagnostic.source?.hideAll();
  diagnostics.addAll(found);
  return source;
}

function readFile(root: string, named: string, diagnostics: Diagnostics): Source | undefined {
  const path = resolve(root, named);
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes
    ? tooLarge(shownPath(root, path), diagnostics)
    : readNamed(root, named, "importedText", diagnostics);
}

async function readPiped(
  stdin: NodeJS.ReadStream,
  diagnostics: Diagnostics,
): Promise<Source | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return tooLarge("stdin", diagnostics);
    chunks.push(bytes);
  }
  return decode("stdin", Buffer.concat(chunks), "importedText", diagnostics);
}

function tooLarge(file: string, diagnostics: Diagnostics): undefined {
  diagnostics.addFile(
    "IVR651",
    file,
    `This is larger than the limit of ${shownLimit("importedText")}.`,
    "Import a payload, or a list of payloads, in JSON.",
  );
}
