import type { Linked } from "../chain.ts";
import { StateProblem } from "../store.ts";
import { type HistoryObject, openHistory, openSnapshot } from "./derived.ts";
import {
  type Range,
  type Where,
  headKey,
  historyKey,
  historyRanges,
  logKey,
  shownObject,
  snapshotKey,
  snapshotNumbers,
} from "./names.ts";
import { type Reader, numbersFrom, refuseGaps } from "./reader.ts";
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
  const snapshots =
    what === "the state" ? snapshotNumbers(await reader.derived("snapshots", 0)) : [];
  // The witnesses are listed before the log, which has everything by then that they tell of.
  const [size, head] = await Promise.all([
    fromSnapshot(standing, snapshots, reader, isUsed),
    reader.head(),
  ]);
  const snapshot = { number: standing.number, size };
  const ranges = historyRanges(await reader.derived("history", snapshot.number));
  const known = ranges.filter((range) => isUsed(historyKey(where, range)));
  const pieces = cover(known, snapshot.number);
  const folded = pieces.at(-1)?.to ?? snapshot.number;
  // Of the objects that something was derived from, the last one is needed too.
  const single = pieces.flatMap(({ kind, from }) => (kind === "log" ? [from] : []));
  const from = Math.max(1, Math.min(folded, single[0] ?? folded));
  const listed = await reader.log(from);
  const last = listed.at(-1) ?? from - 1;
  refuseShorter(where, last, [
    ...(head === undefined ? [] : [{ number: head.number, key: headKey(where, head) }]),
    ...snapshots.map((number) => ({ number, key: snapshotKey(where, number) })),
    ...ranges.map((range) => ({ number: range.to, key: historyKey(where, range) })),
  ]);
  const tail = numbersFrom(folded + 1, last);
  const needed = [...single, ...(folded > 0 ? [folded] : []), ...tail];
  refuseGaps(where, needed, listed);
  await reader.fetch([
    ...pieces.map((piece) => pieceKey(where, piece)),
    ...needed.map((number) => logKey(where, number)),
  ]);

  let bytes = 0;
  const entries: Linked[] = [];
  const took = (linked: readonly Linked[], size: number) => {
    for (const one of linked) entries.push(one);
    bytes += size;
  };
  const compare = () => {
    if (standing.number !== head?.number || standing.sum === head.sum) return;
    const how = `is not the one that ${headKey(where, head)} was made for`;
    throw damaged(where, logKey(where, head.number), how);
  };
  for (const piece of pieces) {
    const taken = await followPiece(standing, piece, reader);
    took(taken.linked, taken.bytes);
  }
  const lastPiece = pieces.at(-1);
  if (folded > 0 && lastPiece?.kind !== "log") {
    const derived = lastPiece ? pieceKey(where, lastPiece) : snapshotKey(where, folded);
    const found = open(await reader.needed(folded));
    if (found?.sum !== standing.sum) throw new Misfit(derived);
  }
  compare();
  for (const number of tail) {
    const object = await reader.needed(number);
    took(standing.follow(object), object.length);
    compare();
  }
  return { standing, entries, bytes, snapshot, folded };
}

/** An object that is there only because the log once reached this number. */
interface Witness {
  readonly number: number;
  readonly key: string;
}

/** Refuses a log whose end is missing: the state would be an older one, and nobody would notice. */
function refuseShorter(where: Where, last: number, witnesses: readonly Witness[]): void {
  const further = witnesses.filter(({ number }) => number > last);
  const [furthest] = further.sort((one, other) => other.number - one.number);
  if (furthest === undefined) return;
  const first = logKey(where, last + 1);
  const lost =
    furthest.number === last + 1 ? first : `${first} to ${logKey(where, furthest.number)}`;
  throw new StateProblem(
    "IVR603",
    `${shownObject(where, first)} is missing: ${furthest.key} shows that the log reached object ${furthest.number}. Menus that were recorded there would be created again.`,
    `Bring back ${lost} from a backup or from the versions that the bucket kept (docs/state.md, Backup and restore of an object store).`,
  );
}

/** The size of the newest snapshot, which the standing begins with. */
async function fromSnapshot(
  standing: Standing,
  numbers: readonly number[],
  reader: Reader,
  isUsed: (key: string) => boolean,
): Promise<number> {
  const { where } = reader;
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
    const object = await reader.needed(piece.from);
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
