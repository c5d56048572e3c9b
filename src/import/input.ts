import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, parse, relative, resolve, sep } from "node:path";
import { decode, readNamed, shownPath } from "../project/files.ts";
import type { ReadFile } from "./pasted.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { describeSystemError } from "../util/system-error.ts";
import type { Host } from "../util/host.ts";
import type { Hint } from "../util/suggest.ts";

/** The maximum size of a text. No account has so many menus, so a larger text is something else. */
const maxBytes = limits.importedText;

export interface Input {
  readonly source: Source;
  /** The folder with the files that the text names. */
  readonly folder: string;
}

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Input | undefined> {
  const found = new Diagnostics();
  const input =
    named === "-" ? await readPiped(root, host.stdin(), found) : readFile(root, named, found);
  addGuarded(found, diagnostics);
  return input;
}

/** Adds diagnostics without their text, which cannot be decoded and may contain tokens. */
function addGuarded(found: Diagnostics, diagnostics: Diagnostics): void {
  for (const { source } of found.sorted()) source?.hideAll();
  diagnostics.addAll(found);
}

function readFile(root: string, named: string, diagnostics: Diagnostics): Input | undefined {
  const path = resolve(root, named);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) {
    return tooLarge(shownPath(root, path), diagnostics);
  }
  const source = readNamed(root, named, "importedText", diagnostics);
  return source && { source, folder: dirname(path) };
}

async function readPiped(
  root: string,
  stdin: NodeJS.ReadStream,
  diagnostics: Diagnostics,
): Promise<Input | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return tooLarge("stdin", diagnostics);
    chunks.push(bytes);
  }
  const source = decode("stdin", Buffer.concat(chunks), "importedText", diagnostics);
  return source && { source, folder: root };
}

function tooLarge(file: string, diagnostics: Diagnostics): undefined {
  const limit = shownLimit("importedText");
  diagnostics.addFile(
    "IVR651",
    file,
    `This is larger than the limit of ${limit}.`,
    "Import a payload, or a list of payloads, in JSON.",
  );
}

/**
 * Reads the file of `-d @FILE`. The text may come from anyone, so ivrctl reads only regular files
 * in the folder of the text or in the project. It resolves links before this check.
 */
export function companion({ folder }: Input, root: string, diagnostics: Diagnostics): ReadFile {
  return (name, at) => {
    const refuse = (message: string, hint: Hint): undefined => {
      diagnostics.add("IVR651", at, message, hint);
    };
    if (name.includes("\0")) return refuse("The name of this file contains a NUL.", nameOther);
    let path: string;
    try {
      path = realpathSync(resolve(folder, name));
      const entry = statSync(path);
      if (!homes(folder, root).some((home) => isInside(home, path))) {
        return refuse(
          "ivrctl does not read this file, because it is not in the project or next to the pasted text.",
          { words: "Import the file directly if it is the payload:", argv: ["import", "FILE"] },
        );
      }
      if (!entry.isFile()) return refuse("This is not a regular file.", nameOther);
      if (entry.size > maxBytes)
        return refuse("This file is too large to be a payload.", nameOther);
    } catch (error) {
      return refuse(`This file cannot be read: ${describeSystemError(error)}.`, nameOther);
    }
    const found = new Diagnostics();
    const source = readNamed(root, path, "importedText", found);
    addGuarded(found, diagnostics);
    return source;
  };
}

const nameOther = "Name a file with a payload in JSON.";

/** The folders whose files may be read. The root of a disk is never one of them. */
function homes(folder: string, root: string): string[] {
  return [folder, root]
    .map((home) => realpathSync(home))
    .filter((home) => home !== parse(home).root);
}

function isInside(home: string, path: string): boolean {
  const inside = relative(home, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
