import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { parseJson } from "../util/parse-json.ts";
import { type PreparedFile, createFile, prepareFile, replaceFile } from "../util/replace-file.ts";
import { configName, menuFolder } from "./files.ts";
import {
  Refused,
  attemptWrite,
  byteOrderMark,
  folderInTheWay,
  textToReplace,
} from "./write-file.ts";

/** The text of a file before and after a change. Undefined where it does not exist. */
interface FileChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}
export type FileChanges = ReadonlyMap<string, FileChange>;

/**
 * Writes, creates and deletes files: all of them or, if one is not possible, none. A file that no longer has
 * its text from before stays as it is.
 */
export function changeFiles(root: string, changes: FileChanges, diagnostics: Diagnostics): boolean {
  const attempt = (file: string, write: () => void) =>
    attemptWrite(file, diagnostics, write, "Check the file, then try again. No file was changed.");
  const prepared = new Map<string, PreparedFile>();
  const journal = join(root, journalName);
  try {
    undoUnfinished(root);
    const isReady = [...changes].every(([file, change]) =>
      attempt(file, () => prepared.set(file, prepare(root, file, change))),
    );
    if (!isReady) return false;
    // One file changes at once. Of several, a killed process may have changed only some.
    const note = () => replaceFile(journal, JSON.stringify([...changes]), 0o600);
    if (changes.size > 1 && !attempt(journalName, note)) return false;
    const isWritten = [...prepared].every(([file, next]) => attempt(file, () => next.replace()));
    if (!isWritten) undo(root, changes);
    return isWritten;
  } finally {
    for (const next of prepared.values()) next.discard();
    rmSync(journal, { force: true });
  }
}

/** Does everything of a change that can fail, except the last step. */
function prepare(root: string, file: string, { before, after }: FileChange): PreparedFile {
  const wrong = folderInTheWay(root, file);
  if (wrong !== undefined) throw new Refused(wrong);
  const path = resolve(root, file);
  const now = before === undefined ? "" : textToReplace(root, { file, text: before });
  if (after === undefined) return { replace: () => rmSync(path), discard: () => {} };
  if (before !== undefined) return prepareFile(path, withMark(now, after));
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Refused("there is already a file");
  mkdirSync(dirname(path), { recursive: true });
  return { replace: () => createFile(path, after), discard: () => {} };
}

/** What a process is about to change, in case that it is killed before it has changed everything. */
const journalName = ".ivrctl-edit.json";

const isOwn = (file: string) =>
  file === configName || (file.startsWith(`${menuFolder}/`) && !file.split("/").includes(".."));
const Text = z.optional(z.string());
const Journal = z.array(
  z.tuple([z.string().check(z.refine(isOwn)), z.strictObject({ before: Text, after: Text })]),
);

/** Takes back what a killed process has changed, because it did not change everything. */
export function undoUnfinished(root: string): void {
  const path = join(root, journalName);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const found = z.safeParse(Journal, parseJson(readFileSync(path)));
  const changes = found.data?.map(
    ([file, { before, after }]) => [file, { before, after }] as const,
  );
  undo(root, new Map(changes));
  rmSync(path);
}

/** Gives files their texts from before, if they have the new ones. */
function undo(root: string, changes: FileChanges): void {
  for (const [file, { before, after }] of changes) {
    const path = resolve(root, file);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isFile = stats?.isFile() === true && folderInTheWay(root, file) === undefined;
    const now = isFile ? readFileSync(path, "utf8") : undefined;
    if (now?.replace(byteOrderMark, "") !== after || (stats !== undefined && !isFile)) continue;
    if (before === undefined) rmSync(path, { force: true });
    else replaceFile(path, withMark(now ?? "", before));
  }
}

function withMark(old: string, text: string): string {
  return byteOrderMark.test(old) ? `\uFEFF${text}` : text;
}
