import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { failedWith, syncFolder } from "../../disk.ts";
import { reason } from "../../compile/read/files.ts";
import { StateProblem } from "./store.ts";

/** A file's content, or undefined where there is none. */
export function readIfThere(path: string, shown: string): Buffer | undefined {
  return orProblem(shown, "read", () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      // Neither there nor to be made: it would be looked for without end.
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
        throw new StateProblem("IVR604", `${shown} is a link that leads nowhere.`);
      }
      return undefined;
    }
    // A pipe, say, would never come to an end.
    if (!found.isFile()) throw new StateProblem("IVR604", `${shown} is not a regular file.`);
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
  const why = furtherReasons[String(error.code)] ?? reason(error);
  return new StateProblem("IVR604", `${shown} cannot be ${verb}: ${why}.`);
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
