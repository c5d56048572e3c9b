import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Gives a regular file another content, or makes it: at every moment it holds
 * all of the old one or all of the new one. Its mode stays, and its owner where
 * that can be.
 */
export function replaceFile(path: string, content: string): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined) {
    // A rename asks the folder alone, and root is never refused: ask the file itself.
    if ((before.mode & 0o222) === 0) throw new ReadOnly();
    accessSync(path, constants.W_OK);
  }
  // Hidden, so that nobody takes what a crash leaves behind for a menu.
  const temporary = join(dirname(path), `.ivrctl-${randomUUID()}.tmp`);
  try {
    const file = openSync(temporary, "wx", before === undefined ? 0o666 : 0o600);
    try {
      writeFileSync(file, content);
      if (before !== undefined) {
        keepOwner(file, before.uid, before.gid);
        fchmodSync(file, before.mode & 0o7777);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
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
