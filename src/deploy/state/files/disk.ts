import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { failedWith } from "../../../util/disk.ts";
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

/** Returns the names in a folder. None if there is no folder. */
export function namesIn(folder: string, shown: string): readonly string[] {
  return orProblem(shown, "read", () => {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (!failedWith(error, "ENOENT")) throw error;
      refuseDangling(folder, shown);
      return [];
    }
  });
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
    throw fileProblem(error, shown, verb);
  }
}

/** Returns an error of the file system as a `StateProblem`, and any other error unchanged. */
export function fileProblem(error: unknown, shown: string, verb: "read" | "written"): unknown {
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
