import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, parse, relative, resolve, sep } from "node:path";
import { decode, readNamed, shownPath } from "../project/files.ts";
import type { ReadFile } from "./pasted.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { describeSystemError } from "../util/system-error.ts";

/** More than the menus of any account; a larger text is something else. */
const maxBytes = limits.importedText;

export interface Input {
  readonly source: Source;
  /** Where to look for files that the text names. */
  readonly folder: string;
}

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  diagnostics: Diagnostics,
): Promise<Input | undefined> {
  const found = new Diagnostics();
  const input = named === "-" ? await readPiped(root, found) : readFile(root, named, found);
  addGuarded(found, diagnostics);
  return input;
}

/** A text that cannot be decoded may hold tokens anywhere, so no word of it is shown. */
function addGuarded(found: Diagnostics, diagnostics: Diagnostics): void {
  for (const { source } of found.sorted()) source?.guard(new Set());
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

async function readPiped(root: string, diagnostics: Diagnostics): Promise<Input | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
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
  diagnostics.addFile("IVR651", file, `This is larger than ${limit}, so it is no export of menus.`);
}

/**
 * Reads what `-d @FILE` names. The text may come from anybody, so only regular
 * files beside it or in the project are read. Links are resolved before this check.
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
      return refuse(`The file named here cannot be read: ${describeSystemError(error)}.`);
    }
    const found = new Diagnostics();
    const source = readNamed(root, path, "importedText", found);
    addGuarded(found, diagnostics);
    return source;
  };
}

/** The folders that files may be in. The root of a disk is not one: everything is inside it. */
function homes(folder: string, root: string): string[] {
  return [folder, root]
    .map((home) => realpathSync(home))
    .filter((home) => home !== parse(home).root);
}

function isInside(home: string, path: string): boolean {
  const inside = relative(home, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
