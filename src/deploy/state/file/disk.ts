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
import { reason } from "../../../project/files.ts";
import { StateProblem } from "../store.ts";

/** A file's content, or undefined where there is none. */
export function readIfThere(path: string, shown: string): Buffer | undefined {
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

/** At every moment, and after a power cut, there is all of the old file or all of the new one. */
export function replaceFile(
  path: string,
  temporary: string,
  content: Iterable<string | Buffer>,
): void {
  try {
    const file = openSync(temporary, "wx");
    try {
      for (const part of content) writeFileSync(file, part);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** A link to nothing, at the file or at a folder above it, must not look like a state that is empty. */
function refuseDangling(path: string, shown: string): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && !existsSync(path)) {
    throw inTheWay(
      shown,
      `is a link to ${readlinkSync(path)}, which does not exist`,
      "Bring back what the link leads to, for example by mounting its disk, or remove the link.",
    );
  }
  const above = dirname(shown);
  if (above !== shown) refuseDangling(dirname(path), above);
}

/** The disk's refusal becomes one that a person can read. */
export function orProblem<T>(shown: string, verb: "read" | "written", act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw problemOf(error, shown, verb);
  }
}

/** Bugs stay what they are. */
export function problemOf(error: unknown, shown: string, verb: "read" | "written"): unknown {
  if (error instanceof StateProblem || !(error instanceof Error) || !("code" in error)) {
    return error;
  }
  if (error.code === "ELOOP") {
    return inTheWay(shown, "cannot be opened: its links lead in a circle", putBack("link"));
  }
  const why = furtherReasons[String(error.code)] ?? reason(error);
  return new StateProblem("IVR604", `${shown} cannot be ${verb}: ${why}.`, undefined, {
    file: shown,
  });
}

/** Something else is where a file of the state belongs. */
function inTheWay(shown: string, what: string, hint: string): StateProblem {
  return new StateProblem("IVR604", `${shown} ${what}.`, hint, { file: shown });
}

function putBack(what: string): string {
  return `Move the ${what} away. If a file was there before, put it back from git or a backup.`;
}

/** Undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const furtherReasons: Record<string, string> = {
  EEXIST: "a file is in the way",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it may not grow any further",
  EIO: "the disk reports a fault",
};
