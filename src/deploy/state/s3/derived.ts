import * as z from "zod/mini";
import { type Snapshot, SnapshotSchema } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { refuseNewer } from "../checkpoint.ts";
import { entryLines, headerOf } from "./log-object.ts";
import { type Where, shownObject } from "./names.ts";
import { type Sealed, open, seal, unpacked } from "./sealed.ts";
import { type Place, PlaceSchema, type Standing } from "./standing.ts";

/**
 * What was made from the log for the sake of speed: a snapshot of the state, or
 * the events of many objects in one. They are believed only where they fit the
 * log, and may be taken away at any time.
 */
export interface SnapshotObject {
  readonly place: Place;
  /** Null: the state had not begun. */
  readonly snapshot: Snapshot | null;
  /** In bytes, unpacked. */
  readonly size: number;
}

export interface HistoryObject {
  readonly place: Place;
  /** The serial of the state before the first of its entries. */
  readonly after: number;
  readonly lines: readonly string[];
  readonly size: number;
}

const SnapshotHeader = z.extend(PlaceSchema, {
  kind: z.literal("snapshot"),
  state: z.nullable(SnapshotSchema),
});

const HistoryHeader = z.extend(PlaceSchema, { kind: z.literal("history"), after: z.int() });

export function sealSnapshot(standing: Standing): Sealed {
  const state = standing.state.snapshot() ?? null;
  return seal("", [JSON.stringify({ ...standing.place(), kind: "snapshot", state })]);
}

/** `linked` are all entries of the objects that it stands for. */
export function sealHistory(standing: Standing, linked: readonly Linked[]): Sealed {
  const after = standing.state.serial - linked.length;
  const header = JSON.stringify({ ...standing.place(), kind: "history", after });
  return seal("", [header, ...entryLines(linked)]);
}

/** Undefined where it is not as ivrctl made it. */
export async function openSnapshot(
  bytes: Buffer,
  where: Where,
  key: string,
): Promise<SnapshotObject | undefined> {
  const found = await opened(bytes, where, key, SnapshotHeader);
  if (found === undefined) return undefined;
  const { header: place, size } = found;
  return { place, snapshot: place.state, size };
}

export async function openHistory(
  bytes: Buffer,
  where: Where,
  key: string,
): Promise<HistoryObject | undefined> {
  const found = await opened(bytes, where, key, HistoryHeader);
  if (found === undefined) return undefined;
  const { header: place, lines, size } = found;
  return { place, after: place.after, lines: lines.slice(1), size };
}

async function opened<S extends z.ZodMiniType<Place>>(
  bytes: Buffer,
  where: Where,
  key: string,
  schema: S,
) {
  const plain = await unpacked(bytes);
  const found = plain && open(plain);
  if (plain === undefined || found === undefined) return undefined;
  const content = headerOf(found.lines);
  refuseNewer(content, shownObject(where, key));
  const header = schema.safeParse(content);
  if (!header.success || !found.follows("")) return undefined;
  if (header.data.environment !== where.environment) return undefined;
  return { header: header.data, lines: found.lines, size: plain.length };
}
