import type { Linked } from "../entries.ts";
import { type Extent, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import {
  type Head,
  type Where,
  damaged,
  folderOf,
  headKey,
  logKey,
  newestHead,
  numbersIn,
  open,
  openSnapshot,
  padded,
  shownObject,
  snapshotKey,
} from "./objects.ts";
import { LogState } from "./log-state.ts";

export interface Loaded {
  readonly result: LogState;
  /** The entries of the log objects that were read: all of them, or those after the snapshot. */
  readonly entries: readonly Linked[];
  /** The number of the snapshot that the reading started from; 0 if there is none. */
  readonly snapshot: number;
  readonly notes: readonly string[];
}

/**
 * Reads the newest snapshot that matches the log, and the log objects after it. It lists the
 * snapshots, the heads and the log, and then gets the objects in parallel.
 */
export async function load(objects: StoredObjects, what: Extent): Promise<Loaded> {
  const { where } = objects;
  // List the snapshots and heads before the log: a complete log reaches at least as far.
  const { snapshots } = await objects.knownEnds();
  const notes: string[] = [];
  for (const number of what === "the state" ? snapshots.toReversed() : []) {
    const last = await fetchFrom(objects, number, [snapshotKey(where, number)]);
    const found = await fromSnapshot(objects, number);
    if (found.kind === "fits") {
      const { result } = found;
      return { result, snapshot: number, notes, entries: await followAll(objects, result, last) };
    }
    if (found.kind === "damaged") notes.push(ignoredNote(snapshotKey(where, number)));
  }
  const last = await fetchFrom(objects, 1);
  const result = new LogState(where);
  return { result, snapshot: 0, notes, entries: await followAll(objects, result, last) };
}

/** Gets the log from this number on, together with some other objects. Returns the last number. */
async function fetchFrom(objects: StoredObjects, first: number, others: readonly string[] = []) {
  const { where } = objects;
  const { all } = await objects.knownEnds();
  const listed = await objects.log(first);
  const last = listed.at(-1) ?? first - 1;
  refuseShorter(where, last, all);
  const needed = numbersFrom(first, last);
  refuseGaps(where, needed, listed);
  await objects.fetch([...others, ...needed.map((number) => logKey(where, number))]);
  return last;
}

type FromSnapshot =
  | { readonly kind: "fits"; readonly result: LogState }
  | { readonly kind: "damaged" | "gone" };

/** Reads a snapshot. Compares it with the log object that it was made after. */
async function fromSnapshot(objects: StoredObjects, number: number): Promise<FromSnapshot> {
  const { where } = objects;
  const bytes = await objects.get(snapshotKey(where, number));
  if (bytes === undefined) return { kind: "gone" };
  const found = await openSnapshot(bytes, where, number);
  const object = open(await objects.needed(number), shownObject(where, logKey(where, number)));
  if (found === undefined || found.log !== object?.sum) return { kind: "damaged" };
  return { kind: "fits", result: new LogState(where, found) };
}

function ignoredNote(key: string): string {
  return `${key} was edited or damaged. This has no effect: ivrctl reads the state from the log.`;
}

/** Applies the log up to this number, and compares it with the newest head. */
async function followAll(objects: StoredObjects, result: LogState, last: number) {
  const { where } = objects;
  const { head } = await objects.knownEnds();
  const compare = () => {
    if (result.number !== head?.number || result.sum === head.sum) return;
    const how = `is not the one that ${headKey(where, head)} was written for`;
    throw damaged(where, logKey(where, head.number), how);
  };
  const entries: Linked[] = [];
  compare();
  for (const number of numbersFrom(result.number + 1, last)) {
    const object = await objects.needed(number);
    for (const one of result.follow(object)) entries.push(one);
    compare();
  }
  return entries;
}

/** An object whose name shows that the log once reached this number. */
interface KnownEnd {
  readonly number: number;
  readonly key: string;
}

/** Refuses a log without its end, because it would look like an older state. */
function refuseShorter(where: Where, last: number, knownEnds: readonly KnownEnd[]): void {
  const further = knownEnds.filter(({ number }) => number > last);
  const [furthest] = further.sort((one, other) => other.number - one.number);
  if (furthest === undefined) return;
  const first = logKey(where, last + 1);
  const lost =
    furthest.number === last + 1 ? first : `${first} to ${logKey(where, furthest.number)}`;
  throw new StateProblem(
    "IVR603",
    `${shownObject(where, first)} is missing: ${furthest.key} shows that the log reached object ${furthest.number}. Menus that were recorded there would be created again.`,
    `Restore ${lost} from a backup or from the versions in the bucket: see "Backup and restore of an object store" in docs/state.md.`,
  );
}

/**
 * Refuses a log in which one of these numbers is missing. The list decides, because some stores
 * answer 403 to a request for a missing object.
 */
export function refuseGaps(
  where: Where,
  wanted: readonly number[],
  listed: readonly number[],
): void {
  const there = new Set(listed);
  const lacking = wanted.find((number) => !there.has(number));
  if (lacking !== undefined) throw missing(where, lacking);
}

function missing(where: Where, number: number): StateProblem {
  return damaged(where, logKey(where, number), "is missing, but later objects exist");
}

/** Returns the numbers from one to the other, both included. */
export function numbersFrom(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

/** The number of objects to get at once. */
const width = 16;

/**
 * Reads the objects of an environment, each of them once, because they never change. A
 * command that loads the state twice lists the log again and gets only what is new.
 */
export class StoredObjects {
  readonly where: Where;
  readonly bucket: Bucket;
  readonly #found = new Map<string, Buffer>();
  #knownEnds: KnownEnds | undefined;

  constructor(bucket: Bucket, where: Where) {
    this.bucket = bucket;
    this.where = where;
  }

  /** Lists the objects that show how far the log reached. Later calls return the same list. */
  async knownEnds(): Promise<KnownEnds> {
    return (this.#knownEnds ??= await this.#listKnownEnds());
  }

  async #listKnownEnds(): Promise<KnownEnds> {
    const { bucket, where } = this;
    const snapshots = numbersIn(await bucket.list(folderOf(where, "snapshots"), ""), "snapshots");
    // Ask for some names, because the folder may have other objects too.
    const head = newestHead(await bucket.first(folderOf(where, "heads"), 10));
    const others = head ? [{ number: head.number, key: headKey(where, head) }] : [];
    const all = snapshots.map((number) => ({ number, key: snapshotKey(where, number) }));
    return { head, snapshots, all: [...all, ...others] };
  }

  /** Lists the log from this number on. */
  async log(from: number): Promise<readonly number[]> {
    return numbersIn(await this.bucket.list(folderOf(this.where, "log"), padded(from - 1)), "log");
  }

  async get(key: string): Promise<Buffer | undefined> {
    const found = this.#found.get(key) ?? (await this.bucket.get(key));
    if (found !== undefined) this.#found.set(key, found);
    return found;
  }

  /** Returns a log object that was listed. */
  async needed(number: number): Promise<Buffer> {
    const found = await this.get(logKey(this.where, number));
    if (found === undefined) throw missing(this.where, number);
    return found;
  }

  /** Gets many objects in parallel, for later calls of `get`. */
  async fetch(keys: readonly string[]): Promise<void> {
    const left = keys.values();
    const worker = async () => {
      for (const key of left) await this.get(key);
    };
    await Promise.all(Array.from({ length: Math.min(width, keys.length) }, worker));
  }
}

/** What the names of other objects show about the log. */
interface KnownEnds {
  readonly head: Head | undefined;
  /** In ascending order. */
  readonly snapshots: readonly number[];
  readonly all: readonly KnownEnd[];
}
