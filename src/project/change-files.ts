import { lstatSync, mkdirSync, readFileSync, rmSync, unlinkSync } from "node:fs";
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
 * its text from before stays as it is. Returns what was changed, with byte order marks.
 */
export function changeFiles(
  root: string,
  wanted: FileChanges,
  diagnostics: Diagnostics,
): FileChanges | undefined {
  const attempt = (file: string, write: () => void) =>
    attemptWrite(file, diagnostics, write, "Check the file, then try again. No file was changed.");
  const prepared = new Map<string, PreparedFile>();
  const changes = new Map<string, FileChange>();
  const journal = join(root, journalName);
  try {
    undoUnfinished(root);
    const isReady = [...wanted].every(([file, change]) =>
      attempt(file, () => {
        const marked = withMark(root, file, change);
        changes.set(file, marked);
        prepared.set(file, prepare(resolve(root, file), marked));
      }),
    );
    if (!isReady) return undefined;
    // One file changes at once. Of several, a killed process may have changed only some.
    const note = () => replaceFile(journal, JSON.stringify([...changes]), 0o600);
    if (changes.size > 1 && !attempt(journalName, note)) return undefined;
    if ([...prepared].every(([file, next]) => attempt(file, () => next.replace()))) return changes;
    undo(root, changes);
    return undefined;
  } finally {
    for (const next of prepared.values()) next.discard();
    rmSync(journal, { force: true });
  }
}

/** A change with the byte order mark that the file has. */
function withMark(root: string, file: string, { before, after }: FileChange): FileChange {
  const wrong = folderInTheWay(root, file);
  if (wrong !== undefined) throw new Refused(wrong);
  if (before === undefined) return { before, after };
  const text = before.replace(byteOrderMark, "");
  const now = textToReplace(root, { file, text });
  const hasMark = byteOrderMark.test(now) && after !== undefined && !byteOrderMark.test(after);
  return { before: now, after: hasMark ? `\uFEFF${after}` : after };
}

/** Does everything of a change that can fail, except the last step. */
function prepare(path: string, { before, after }: FileChange): PreparedFile {
  if (after === undefined) return { replace: () => unlinkSync(path), discard: () => {} };
  if (before !== undefined) return prepareFile(path, after);
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
  const journal = z.safeParse(Journal, parseJson(readFileSync(path)));
  const changes = journal.data?.map(
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
    if (now !== after || (stats !== undefined && !isFile)) continue;
    if (before === undefined) rmSync(path, { force: true });
    else replaceFile(path, before);
  }
}
