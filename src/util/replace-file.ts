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
 * Writes a regular file atomically: it always has either the whole old or the whole new content.
 * Keeps its mode and, if possible, its owner. A new file gets the given mode.
 */
export function replaceFile(path: string, content: string, mode = 0o666): void {
  prepareFile(path, content, mode).replace();
}

/** A new content of a file that is on the disk, next to the file. */
export interface PreparedFile {
  replace(): void;
  discard(): void;
}

/** Does everything of `replaceFile` that can fail, except the last step. */
export function prepareFile(path: string, content: string, mode = 0o666): PreparedFile {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined) {
    // A rename checks only the folder, and root may do everything, so check the file itself.
    if ((before.mode & 0o222) === 0)
      throw Object.assign(new Error("read-only"), { code: "EACCES" });
    accessSync(path, constants.W_OK);
  }
  const file = writeTemporary(path, content, before, mode);
  const discard = () => rmSync(file, { force: true });
  const replace = () => {
    try {
      renameSync(file, path);
    } catch (error) {
      discard();
      throw error;
    }
  };
  return { replace, discard };
}

/** Creates a new file atomically. Throws EEXIST if it exists, even if it was created a moment ago. */
export function createFile(path: string, content: string): void {
  const file = writeTemporary(path, content);
  try {
    linkSync(file, path);
  } catch (error) {
    if (!failedWith(error, "EPERM", "ENOTSUP", "ENOSYS")) throw error;
    // Some disks have no hard links. Then a crash can leave an incomplete copy.
    copyFileSync(file, path, constants.COPYFILE_EXCL);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Writes a temporary file next to another, with the mode and owner of the file that it will replace. */
function writeTemporary(path: string, content: string, before?: Stats, mode = 0o666): string {
  // The name starts with a dot, so that a file left by a crash is not read as a menu.
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

/**
 * Writes to a path that the user named; `-` is the standard output. Replaces a regular file. Writes
 * to anything else, such as a pipe, without replacing it.
 */
export function writeNamed(
  root: string,
  named: string,
  content: string,
  { data }: { readonly data: (text: string) => void },
): void {
  if (named === "-") return data(content);
  const path = resolve(root, named);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === false) writeFileSync(path, content);
  else replaceFile(stats === undefined ? path : realpathSync(path), content);
}

/** Sets the owner, if this user may. A user may be allowed to write a file without owning it. */
function keepOwner(file: number, uid: number, gid: number): void {
  const created = fstatSync(file);
  if (created.uid === uid && created.gid === gid) return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    // The file then belongs to the current user, as with most editors.
  }
}
