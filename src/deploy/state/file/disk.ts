import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { failedWith, syncFolder } from "../../../util/disk.ts";
import { StateProblem } from "../store.ts";
import { describeSystemError } from "../../../util/system-error.ts";

/** Returns the content of a file, or undefined if there is no file. */
export function readIfExists(path: string, shown: string): Buffer | undefined {
  return orProblem(shown, "read", () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      refuseDangling(path, shown);
      return undefined;
    }
    if (found.isDirectory()) throw inTheWay(shown, "is a folder, not a file", putBack("folder"));
    // Reading a pipe, for example, would never end.
    if (!found.isFile()) {
      throw inTheWay(shown, "is a pipe or a device, not a file", putBack("pipe or device"));
    }
    try {
      return readFileSync(path);
    } catch (error) {
      if (failedWith(error, "ENOENT")) return undefined;
      throw error;
    }
  });
}

/** Replaces a file atomically: after a power cut, it has either the old content or the new one. */
export function replaceFile(path: string, temporary: string, content: string | Buffer): void {
  writeNew(temporary, content);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Creates a file and syncs it. Fails if the file exists. Leaves no incomplete file. */
export function writeNew(path: string, content: string | Buffer): void {
  const file = openSync(path, "wx");
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Refuses a dangling link at the file or at a folder above it. It must not look like an empty state. */
function refuseDangling(path: string, shown: string): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && !existsSync(path)) {
    throw inTheWay(
      shown,
      `is a link to ${readlinkSync(path)}, which does not exist`,
      "Restore the target of the link, for example by mounting its disk, or remove the link.",
    );
  }
  const above = dirname(shown);
  if (above !== shown) refuseDangling(dirname(path), above);
}

/** Calls `act` and throws an error of the file system as a `StateProblem`. */
export function orProblem<T>(shown: string, verb: "read" | "written", act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw problemOf(error, shown, verb);
  }
}

/** Returns an error of the file system as a `StateProblem`, and any other error unchanged. */
export function problemOf(error: unknown, shown: string, verb: "read" | "written"): unknown {
  if (error instanceof StateProblem || !(error instanceof Error) || !("code" in error)) {
    return error;
  }
  if (error.code === "ELOOP") {
    return inTheWay(shown, "cannot be opened: its symbolic links form a loop", putBack("link"));
  }
  if (error.code === "ENOTDIR") {
    return inTheWay(
      dirname(shown),
      "is not a folder",
      "Move the file away that has this name, or the name of a folder above it. If a folder was there before, restore it from git or a backup.",
    );
  }
  const why = furtherReasons[String(error.code)] ?? describeSystemError(error);
  return new StateProblem("IVR604", `${shown} cannot be ${verb}: ${why}.`, undefined, {
    file: shown,
  });
}

/** The problem that something else has the name of a state file. */
function inTheWay(shown: string, what: string, hint: string): StateProblem {
  return new StateProblem("IVR604", `${shown} ${what}.`, hint, { file: shown });
}

function putBack(what: string): string {
  return `Move the ${what} away. If a file was there before, restore it from git or a backup.`;
}

const furtherReasons: Record<string, string> = {
  EEXIST: "a file with that name exists already",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it has reached the largest size that is allowed",
  EIO: "the disk reports an I/O error",
};
