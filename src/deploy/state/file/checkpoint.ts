import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { type Snapshot, SnapshotSchema, stateVersion } from "../../../schema/state.ts";
import type { FilePlace } from "../../../diagnostics/diagnostic.ts";
import { jsonOf, replaceFile } from "./disk.ts";
import { jsonParts } from "../json-parts.ts";
import { type Filling, StateProblem } from "../store.ts";

/**
 * The state at the end of a session, so that a reader need not go through every
 * event again. It is also the witness of the journal: its serial and head say
 * which events have to be there. The first one, with serial 0, is written before
 * the journal's first line, so a journal always has one beside it.
 */
export type Checkpoint =
  | { readonly kind: "missing" | "cut off" }
  | { readonly kind: "edited"; readonly witness: Witness | undefined }
  | { readonly kind: "sound"; readonly snapshot: Snapshot }
  | { readonly kind: "filling"; readonly mark: FillingMark };

/** Takes the place of the checkpoint, where every version of ivrctl looks first. */
export interface FillingMark {
  readonly filling: Filling;
  /** Where the history ends that was there before. */
  readonly serial: number;
  readonly head: string;
  /** Names the file that becomes the journal. */
  readonly staging: string;
}

/** The event that the journal has to have at this number. */
export type Witness = Pick<Snapshot, "serial" | "head">;

/** Of the file's content, where there is a file. */
export function checkpointOf(bytes: Buffer | undefined, shown: string): Checkpoint {
  if (bytes === undefined) return { kind: "missing" };
  const { content, whole } = contentOf(bytes);
  if (content === undefined) return whole ? edited(undefined) : { kind: "cut off" };
  refuseNewer(content, shown, { file: shown });
  if (isMark(content)) return { kind: "filling", mark: markOf(content, shown) };
  if (!isSummed(content)) return edited(content);
  const { sum, ...summed } = content;
  if (sumOf(summed) !== sum) return edited(content);
  const found = SnapshotSchema.safeParse(summed);
  return found.success ? { kind: "sound", snapshot: found.data } : edited(content);
}

/** A head is not invented: where it is the journal's, the journal reaches that far. */
function edited(content: unknown): Checkpoint {
  const found = WitnessSchema.safeParse(content);
  return { kind: "edited", witness: found.success ? found.data : undefined };
}

const WitnessSchema = z.object({ serial: z.int().check(z.positive()), head: z.string() });

/** The text goes when this returns: of ten thousand menus it is as large as all else together. */
function contentOf(bytes: Buffer): { readonly content: unknown; readonly whole: boolean } {
  // Editors add a byte order mark, which changes nothing here.
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const content = jsonOf(text);
  return { content, whole: content !== undefined || wholeEnd.test(text) };
}

export function writeCheckpoint(path: string, temporary: string, snapshot: Snapshot): void {
  replaceFile(path, temporary, textsOf({ ...snapshot, sum: sumOf(snapshot) }));
}

export function writeMark(path: string, temporary: string, mark: FillingMark): void {
  replaceFile(path, temporary, textsOf({ version: stateVersion, ...mark }));
}

/** Whatever else was edited in it: a state with such a mark is not used. */
function isMark(content: unknown): boolean {
  return typeof content === "object" && content !== null && "filling" in content;
}

function markOf(content: unknown, shown: string): FillingMark {
  const found = MarkSchema.safeParse(content);
  if (found.success) return found.data;
  throw new StateProblem(
    "IVR603",
    `${shown} says that the state is being filled, but ivrctl did not write it like this.`,
    `Restore ${shown} from git or a backup.`,
    { file: shown },
  );
}

const MarkSchema = z.object({
  filling: z.object({
    command: z.string(),
    source: z.string(),
    by: z.string(),
    since: z.string(),
    head: z.nullable(z.string()),
  }),
  serial: z.int(),
  head: z.string(),
  staging: z.uuid(),
});

/** The file's text, in pieces that are worth a write of their own. */
function* textsOf(content: object): Generator<string> {
  let piece = "";
  for (const part of jsonParts(content, "  ")) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}\n`;
}

const pieceLength = 2 ** 18;

/** Before its form is judged, which this version may not know. */
export function refuseNewer(content: unknown, shown: string, at?: FilePlace): void {
  const found = Versioned.safeParse(content);
  if (!found.success || found.data.version <= stateVersion) return;
  throw new StateProblem(
    "IVR602",
    `${shown} is of version ${found.data.version}; this ivrctl knows version ${stateVersion}.`,
    "Upgrade ivrctl to the version that wrote it: npm install -g ivrctl@latest. In a pipeline, raise the version that it installs.",
    at,
  );
}

const Versioned = z.object({ version: z.number() });

function isSummed(content: unknown): content is { readonly sum: unknown } {
  return typeof content === "object" && content !== null && "sum" in content;
}

/** How `writeCheckpoint` ends a file, and no part of one ends. */
const wholeEnd = /\n {2}"sum": "[^"]*"\r?\n\}\s*$/;

/** Of the content and not of the text, so that its layout does not count. */
function sumOf(content: object): string {
  const sum = createHash("sha256");
  for (const part of jsonParts(content)) sum.update(part);
  return sum.digest("hex").slice(0, 16);
}
