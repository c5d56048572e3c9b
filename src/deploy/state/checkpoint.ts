import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { type Snapshot, SnapshotSchema, stateVersion } from "../../schema/state.ts";
import { jsonOf, readIfThere, syncFolder } from "./disk.ts";
import { StateProblem } from "./store.ts";

/** How much of the journal a checkpoint stands for. */
export interface Covered {
  readonly bytes: number;
  /** The sum of the last line in it. */
  readonly sum: string;
}

/**
 * The state at the end of a session, so that a reader need not go through every
 * event again. It is made from the journal, and can be at any time.
 */
export type Checkpoint =
  | { readonly kind: "missing" | "cut off" | "edited" }
  | { readonly kind: "sound"; readonly snapshot: Snapshot; readonly journal: Covered };

export function readCheckpoint(path: string, shown: string): Checkpoint {
  const text = readIfThere(path, shown)?.toString("utf8");
  if (text === undefined) return { kind: "missing" };
  const content = jsonOf(text);
  if (content === undefined) return { kind: wholeEnd.test(text) ? "edited" : "cut off" };
  refuseNewer(content, shown);
  // A checkpoint of an older version would be brought to this one here.
  if (!isSummed(content)) return { kind: "edited" };
  const { sum, ...summed } = content;
  if (sumOf(summed) !== sum) return { kind: "edited" };
  const found = Content.safeParse(summed);
  if (!found.success) return { kind: "edited" };
  const { journal, ...snapshot } = found.data;
  return { kind: "sound", snapshot, journal };
}

/** At every moment, and after a power cut, there is all of the old one or all of the new one. */
export function writeCheckpoint(
  path: string,
  temporary: string,
  snapshot: Snapshot,
  journal: Covered,
): void {
  const summed = { ...snapshot, journal };
  const text = `${JSON.stringify({ ...summed, sum: sumOf(summed) }, undefined, 2)}\n`;
  try {
    const file = openSync(temporary, "wx");
    try {
      writeFileSync(file, text);
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

/** Before its form is judged, which this version may not know. */
export function refuseNewer(content: unknown, shown: string): void {
  const found = Versioned.safeParse(content);
  if (!found.success || found.data.version <= stateVersion) return;
  throw new StateProblem(
    "IVR602",
    `${shown} is of version ${found.data.version}; this ivrctl knows version ${stateVersion}.`,
  );
}

const Versioned = z.object({ version: z.number() });

const Content = z.extend(SnapshotSchema, {
  journal: z.strictObject({ bytes: z.int(), sum: z.string() }),
});

function isSummed(content: unknown): content is { readonly sum: unknown } {
  return typeof content === "object" && content !== null && "sum" in content;
}

/** How `writeCheckpoint` ends a file, and no part of one ends. */
const wholeEnd = /\n {2}"sum": "[^"]*"\r?\n\}\s*$/;

/** Of the content and not of the text, so that its layout does not count. */
function sumOf(content: object): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}
