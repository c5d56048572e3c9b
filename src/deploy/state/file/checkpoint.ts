import { hash } from "node:crypto";
import * as z from "zod/mini";
import { type Snapshot, SnapshotSchema, stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { FillingSchema } from "../marks.ts";
import { refuseOtherVersion } from "../read-entry.ts";
import { StateProblem } from "../store.ts";
import { replaceFile } from "./disk.ts";

/**
 * The state at the end of a session, so that a reader need not read every event. Its serial and
 * head also show how far the journal must reach. The first checkpoint, with serial 0, is written
 * before the journal's first line, so every journal has a checkpoint.
 */
export type Checkpoint =
  | { readonly kind: "missing" | "cut off" }
  | { readonly kind: "edited"; readonly knownEnd: KnownEnd | undefined }
  | { readonly kind: "valid"; readonly snapshot: Snapshot }
  | { readonly kind: "filling"; readonly mark: FillingMark };

const MarkSchema = z.object({
  filling: FillingSchema,
  /** Where the history ended before the fill. */
  serial: z.int(),
  head: z.string(),
  /** Part of the name of the file that becomes the journal. */
  staging: z.uuid(),
});

/** The mark of an unfinished fill. It replaces the checkpoint, which every version of ivrctl reads first. */
export type FillingMark = Readonly<z.infer<typeof MarkSchema>>;

/** The number and head of an event that was in the journal, so the journal must reach it. */
export type KnownEnd = Pick<Snapshot, "serial" | "head">;

/** Reads a checkpoint from the content of its file; undefined if there is no file. */
export function checkpointOf(bytes: Buffer | undefined, shown: string): Checkpoint {
  if (bytes === undefined) return { kind: "missing" };
  // Editors add a byte order mark, which changes nothing here.
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const content = parseJson(text);
  if (content === undefined) return wholeEnd.test(text) ? edited(undefined) : { kind: "cut off" };
  refuseOtherVersion(content, shown, { file: shown });
  if (isMark(content)) return { kind: "filling", mark: markOf(content, shown) };
  if (!isSummed(content)) return edited(content);
  const { sum, ...summed } = content;
  if (sumOf(summed) !== sum) return edited(content);
  const found = SnapshotSchema.safeParse(summed);
  return found.success ? { kind: "valid", snapshot: found.data } : edited(content);
}

/** A head is a hash, so an edited checkpoint with a head of the journal still proves how far the journal reached. */
function edited(content: unknown): Checkpoint {
  const found = KnownEndSchema.safeParse(content);
  return { kind: "edited", knownEnd: found.success ? found.data : undefined };
}

const KnownEndSchema = z.object({ serial: z.int().check(z.positive()), head: z.string() });

export function writeCheckpoint(path: string, temporary: string, snapshot: Snapshot): void {
  replaceFile(path, temporary, checkpointText(snapshot));
}

/** The content of a checkpoint's file. */
export function checkpointText(snapshot: Snapshot): string {
  return textOf({ ...snapshot, sum: sumOf(snapshot) });
}

export function writeMark(path: string, temporary: string, mark: FillingMark): void {
  replaceFile(path, temporary, textOf({ version: stateVersion, ...mark }));
}

/** Whether the file has a mark. A marked state is not used, even if the file was edited. */
function isMark(content: unknown): boolean {
  return typeof content === "object" && content !== null && "filling" in content;
}

function markOf(content: unknown, shown: string): FillingMark {
  const found = validate(MarkSchema, content);
  if (found.success) return found.data;
  throw new StateProblem(
    "IVR603",
    `${shown} marks the state as incomplete, but the mark is invalid: ${found.problem}.`,
    `Restore ${shown} from git or a backup.`,
    { file: shown },
  );
}

function textOf(content: object): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function isSummed(content: unknown): content is { readonly sum: unknown } {
  return typeof content === "object" && content !== null && "sum" in content;
}

/** The end of a file that `writeCheckpoint` wrote completely. */
const wholeEnd = /\n {2}"sum": "[^"]*"\r?\n\}\s*$/;

/** Returns the checksum of the content. The layout of the file does not matter. */
function sumOf(content: object): string {
  return hash("sha256", JSON.stringify(content), "hex").slice(0, 16);
}
