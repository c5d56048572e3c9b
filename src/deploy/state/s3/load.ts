import type { Linked } from "../chain.ts";
import { StateProblem } from "../store.ts";
import { type HistoryObject, openHistory, openSnapshot } from "./derived.ts";
import {
  type Range,
  type Where,
  behind,
  historyKey,
  historyRanges,
  logKey,
  logNumbers,
  snapshotKey,
  snapshotNumbers,
} from "./names.ts";
import type { Reader } from "./reader.ts";
import { open } from "./sealed.ts";
import { Standing, damaged } from "./standing.ts";

export interface Loaded {
  readonly standing: Standing;
  /** Those that came one by one: behind the snapshot, where there is one. */
  readonly entries: readonly Linked[];
  /** How many bytes these were read from. */
  readonly bytes: number;
  readonly snapshot: { readonly number: number; readonly size: number };
  /** Up to this number of the log nothing needs to be derived any more. */
  readonly folded: number;
  readonly notes: readonly string[];
}

/** Entries that a snapshot stands for are read only where every one is asked for. */
export type Extent = "the state" | "every entry";

/**
 * What the log led to, with the help of what was derived from it. A derived object
 * that does not fit is passed over, and its part of the log read instead.
 */
export async function load(reader: Reader, what: Extent): Promise<Loaded> {
  const passedOver = new Map<string, Misfit>();
  for (;;) {
    try {
      const loaded = await attempt(reader, what, (key) => !passedOver.has(key));
      const notes = [...passedOver.values()].flatMap((misfit) => misfit.note ?? []);
      return { ...loaded, notes };
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      passedOver.set(error.key, error);
    }
  }
}

/** A derived object that cannot be believed, or is gone. */
class Misfit extends Error {
  readonly key: string;
  readonly note: string | undefined;

  constructor(key: string, isGone = false) {
    super(key);
    this.key = key;
    this.note = isGone
      ? undefined
      : `${key} was edited or damaged, which changes nothing: the log is what counts, and that part was read from it.`;
  }
}

async function attempt(
  reader: Reader,
  what: Extent,
  isUsed: (key: string) => boolean,
): Promise<Omit<Loaded, "notes">> {
  const { where } = reader;
  const standing = new Standing(where);
  const size = what === "the state" ? await fromSnapshot(standing, reader, isUsed) : 0;
  const snapshot = { number: standing.number, size };
  const ranges = historyRanges(await reader.list("history", behind(snapshot.number)));
  const known = ranges.filter((range) => isUsed(historyKey(where, range)));
  const pieces = cover(known, snapshot.number);
  const folded = pieces.at(-1)?.to ?? snapshot.number;
  // The last object that something was derived from, and all behind it.
  const before = folded === 0 ? "" : behind(folded - 1);
  const [first, ...others] = logNumbers(await reader.list("log", before));
  if (folded > 0 && first !== folded) {
    const how = "is missing, and the state was recorded up to it at least";
    throw damaged(where, logKey(where, folded), how);
  }
  const last = others.at(-1) ?? first ?? 0;
  const tail = Array.from({ length: last - folded }, (_, at) => logKey(where, folded + 1 + at));
  await reader.fetch([
    ...(folded > 0 ? [logKey(where, folded)] : []),
    ...pieces.map((piece) => pieceKey(where, piece)),
    ...tail,
  ]);

  let bytes = 0;
  const entries: Linked[] = [];
  for (const piece of pieces) {
    const taken = await followPiece(standing, piece, reader);
    entries.push(...taken.linked);
    bytes += taken.bytes;
  }
  const lastPiece = pieces.at(-1);
  if (folded > 0 && lastPiece?.kind !== "log") {
    const derived = lastPiece ? pieceKey(where, lastPiece) : snapshotKey(where, folded);
    const found = open(await reader.needed(logKey(where, folded)));
    if (found?.sum !== standing.sum) throw new Misfit(derived);
  }
  for (const key of tail) {
    const object = await reader.needed(key);
    entries.push(...standing.follow(object));
    bytes += object.length;
  }
  return { standing, entries, bytes, snapshot, folded };
}

/** The size of the newest snapshot, which the standing begins with. */
async function fromSnapshot(
  standing: Standing,
  reader: Reader,
  isUsed: (key: string) => boolean,
): Promise<number> {
  const { where } = reader;
  const numbers = snapshotNumbers(await reader.list("snapshots", ""));
  const number = numbers.findLast((one) => isUsed(snapshotKey(where, one)));
  if (number === undefined) return 0;
  const key = snapshotKey(where, number);
  const bytes = await reader.get(key);
  if (bytes === undefined) throw new Misfit(key, true);
  const found = await openSnapshot(bytes, where, key);
  if (found === undefined || found.place.number !== number) throw new Misfit(key);
  standing.begin(found.place, found.snapshot);
  return found.size;
}

/** A part of the log: an object that holds the events of it, or a single one of its own. */
type Piece = Range & { readonly kind: "history" | "log" };

/** As few pieces as there can be, as far as derived objects reach. */
function cover(ranges: readonly Range[], from: number): readonly Piece[] {
  const pieces: Piece[] = [];
  const end = Math.max(from, ...ranges.map(({ to }) => to));
  for (let next = from + 1; next <= end;) {
    const begun = ranges.filter((range) => range.from <= next && range.to >= next);
    const to = Math.max(...begun.map((range) => range.to));
    const best = begun.find((range) => range.to === to);
    pieces.push(best ? { kind: "history", ...best } : { kind: "log", from: next, to: next });
    next = best ? to + 1 : next + 1;
  }
  return pieces;
}

function pieceKey(where: Where, piece: Piece): string {
  return piece.kind === "log" ? logKey(where, piece.from) : historyKey(where, piece);
}

async function followPiece(
  standing: Standing,
  piece: Piece,
  reader: Reader,
): Promise<{ readonly linked: readonly Linked[]; readonly bytes: number }> {
  const { where } = reader;
  const key = pieceKey(where, piece);
  if (piece.kind === "log") {
    const object = await reader.needed(key);
    return { linked: standing.follow(object), bytes: object.length };
  }
  const object = await reader.get(key);
  if (object === undefined) throw new Misfit(key, true);
  const found = await openHistory(object, where, key);
  if (found === undefined || found.place.number !== piece.to) throw new Misfit(key);
  return { linked: leap(standing, found, key), bytes: found.size };
}

function leap(standing: Standing, { place, after, lines }: HistoryObject, key: string) {
  const known = standing.state.serial - after;
  if (known < 0 || known > lines.length) throw new Misfit(key);
  try {
    return standing.leap(place, lines.slice(known), key);
  } catch (error) {
    if (error instanceof StateProblem && error.code === "IVR603") throw new Misfit(key);
    throw error;
  }
}
