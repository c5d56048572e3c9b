import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, parse, relative, resolve, sep } from "node:path";
import { decode, readNamed, reason, shownPath } from "../project/files.ts";
import type { ReadFile } from "./pasted.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { limits, shownLimit } from "../schema/limits.ts";

/** More than any account's menus; a text beyond it is something else. */
const maxBytes = limits.importedText;

export interface Input {
  readonly source: Source;
  /** Where files that the text names are looked for. */
  readonly folder: string;
}

/** The text to import: a file that the user named, or what is piped in. */
export async function readInput(
  root: string,
  named: string,
  diagnostics: Diagnostics,
): Promise<Input | undefined> {
  const found = new Diagnostics();
  const input = named === "-" ? await readPiped(root, found) : readFile(root, named, found);
  // What cannot be read as text is not known to be free of tokens.
  for (const { source } of found.sorted()) source?.guard(new Set());
  diagnostics.addAll(found);
  return input;
}

function readFile(root: string, named: string, diagnostics: Diagnostics): Input | undefined {
  const path = resolve(root, named);
  if (isTooLarge(path)) {
    tooLarge(shownPath(root, path), diagnostics);
    return undefined;
  }
  const source = readNamed(root, named, "importedText", diagnostics);
  return source && { source, folder: dirname(path) };
}

async function readPiped(root: string, diagnostics: Diagnostics): Promise<Input | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) {
      tooLarge("stdin", diagnostics);
      return undefined;
    }
    chunks.push(bytes);
  }
  const source = decode("stdin", Buffer.concat(chunks), "importedText", diagnostics);
  return source && { source, folder: root };
}

function isTooLarge(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes;
}

function tooLarge(file: string, diagnostics: Diagnostics): void {
  const limit = shownLimit("importedText");
  diagnostics.addFile("IVR651", file, `This is larger than ${limit}, so it is no export of menus.`);
}

/**
 * Reads what `-d @FILE` names. The text may come from anybody, so only regular
 * files beside it or in the project are read, links followed before judging.
 */
export function companion({ folder }: Input, root: string, diagnostics: Diagnostics): ReadFile {
  return (name, at) => {
    const refuse = (message: string, hint?: string): undefined => {
      diagnostics.add("IVR654", at, message, hint);
    };
    if (name.includes("\0")) return refuse("A file's name has no NUL in it.");
    let path: string;
    try {
      path = realpathSync(resolve(folder, name));
      const entry = statSync(path);
      if (!homes(folder, root).some((home) => isInside(home, path))) {
        return refuse(
          "This file lies neither beside the pasted text nor in the project, so it is not read.",
          "If it is the payload, import it by itself: ivrctl import FILE.",
        );
      }
      if (!entry.isFile()) return refuse("This is not a regular file.");
      if (entry.size > maxBytes) return refuse("This file is too large to be a payload.");
    } catch (error) {
      return refuse(`The file named here cannot be read: ${reason(error)}.`);
    }
    const found = new Diagnostics();
    const source = readNamed(root, path, "importedText", found);
    for (const fault of found.sorted()) fault.source?.guard(new Set());
    diagnostics.addAll(found);
    return source;
  };
}

/** Everything lies in the root of a disk, so being beside a text there means nothing. */
function homes(folder: string, root: string): string[] {
  return [folder, root]
    .map((home) => realpathSync(home))
    .filter((home) => home !== parse(home).root);
}

function isInside(home: string, path: string): boolean {
  const way = relative(home, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
