import { randomUUID } from "node:crypto";
import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { failedWith } from "./disk.ts";

/**
 * Gives a regular file another content, or makes it: at every moment it holds
 * all of the old one or all of the new one. Its mode stays, and its owner where
 * that can be; a new one has the mode that is given.
 */
export function replaceFile(path: string, content: string, mode = 0o666): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined) {
    // A rename asks the folder alone, and root is never refused: ask the file itself.
    if ((before.mode & 0o222) === 0) throw new ReadOnly();
    accessSync(path, constants.W_OK);
  }
  const file = temporaryBeside(path, content, before, mode);
  try {
    renameSync(file, path);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/**
 * Makes a file that is not there yet, whole or not at all. What is there stays,
 * whoever put it there just now: that is EEXIST.
 */
export function createFile(path: string, content: string): void {
  const file = temporaryBeside(path, content);
  try {
    linkSync(file, path);
  } catch (error) {
    if (!failedWith(error, "EPERM", "ENOTSUP", "ENOSYS")) throw error;
    // Not every disk has links; without them a crash can leave half a copy.
    copyFileSync(file, path, constants.COPYFILE_EXCL);
  } finally {
    rmSync(file, { force: true });
  }
}

/** A file of this content beside another, written out; with the mode and owner of what it will replace. */
function temporaryBeside(path: string, content: string, before?: Stats, mode = 0o666): string {
  // Hidden, so that nobody takes what a crash leaves behind for a menu.
  const temporary = join(dirname(path), `.ivrctl-${randomUUID()}.tmp`);
  try {
    const handle = openSync(temporary, "wx", before === undefined ? mode : 0o600);
    try {
      writeFileSync(handle, content);
      if (before !== undefined) {
        keepOwner(handle, before.uid, before.gid);
        fchmodSync(handle, before.mode & 0o7777);
      }
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    return temporary;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Whether a path means what this process prints. */
export function isStdout(path: string): boolean {
  return path === "-" || /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/.test(path);
}

/**
 * Writes what a user named. A regular file is replaced; anything else, a pipe say,
 * is written to and never renamed over, and so is this process's own output,
 * whatever it leads to.
 */
export function writeNamed(
  root: string,
  named: string,
  content: string,
  { out }: { readonly out: (text: string) => void },
): void {
  if (isStdout(named)) {
    out(content);
    return;
  }
  const path = resolve(root, named);
  const found = statSync(path, { throwIfNoEntry: false });
  const device = /^\/(?:dev|proc)\//.test(path);
  const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (device || (found === undefined ? link : !found.isFile())) writeFileSync(path, content);
  else replaceFile(found === undefined ? path : realpathSync(path), content);
}

/** As far as this user may: who may write a file need not be its owner. */
function keepOwner(file: number, uid: number, gid: number): void {
  const created = fstatSync(file);
  if (created.uid === uid && created.gid === gid) return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    // It then belongs to whoever formats it, as with most editors.
  }
}

class ReadOnly extends Error {
  readonly code = "EACCES";
}
