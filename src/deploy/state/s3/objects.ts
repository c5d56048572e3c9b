import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import * as z from "zod/mini";
import { SnapshotSchema, StateVersion, stateVersion } from "../../../schema/state.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { headOf } from "../entries.ts";
import { encodeLine } from "../file/journal.ts";
import { ProcessLock } from "../lock.ts";
import { FillingSchema } from "../marks.ts";
import type { Operation } from "../operations.ts";
import { refuseOtherVersion } from "../read-entry.ts";
import { StateProblem } from "../store.ts";

/*
 * The objects of an environment, below the prefix:
 *
 *     ENV/log/000000000017                       one change of the state or of its lock
 *     ENV/heads/999999999982-3f9a0c1e5b7d2a64    shows that the log reached object 17, with this sum
 *     ENV/snapshots/000000000064.gz              the state after object 64 of the log
 *     ENV/probe                                  see `probe`
 *
 * The log alone decides what the state is. A head shows whether the end of the log is
 * missing, and a snapshot saves reading the log from its first object.
 */

/** The place of one environment in a bucket. */
export interface Where {
  readonly environment: string;
  /** The bucket's address, as messages show it. */
  readonly address: string;
}

export function folderOf({ environment }: Where, folder: "log" | "heads" | "snapshots"): string {
  return `${encodeURIComponent(environment)}/${folder}/`;
}

/** Returns the number with 12 digits, so that names sort by number. */
export function padded(number: number): string {
  return String(number).padStart(12, "0");
}

export function logKey(where: Where, number: number): string {
  return folderOf(where, "log") + padded(number);
}

export function snapshotKey(where: Where, number: number): string {
  return `${folderOf(where, "snapshots")}${padded(number)}.gz`;
}

/** The number and sum of the log object that a head was written for. */
export interface Head {
  readonly number: number;
  readonly sum: string;
}

const largestNumber = 999_999_999_999;

/** Returns the key of a head. Its number descends, so that a list starts with the newest head. */
export function headKey(where: Where, { number, sum }: Head): string {
  return `${folderOf(where, "heads")}${padded(largestNumber - number)}-${sum}`;
}

/** Returns the first head among these names. Skips objects that are not heads. */
export function newestHead(names: readonly string[]): Head | undefined {
  for (const name of names) {
    const [, rest, sum] = /^(\d{12})-([0-9a-f]{16})$/.exec(name) ?? [];
    if (sum !== undefined) return { number: largestNumber - Number(rest), sum };
  }
  return undefined;
}

/** Returns the number that each name starts with. Skips objects that ivrctl did not write. */
export function numbersIn(names: readonly string[], folder: keyof typeof namesIn): number[] {
  return names.flatMap((name) => {
    const number = namesIn[folder].exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

const namesIn = {
  log: /^(\d{12})$/,
  snapshots: /^(\d{12})\.gz$/,
};

export function shownObject({ address }: Where, key: string): string {
  return `The object ${key} of ${address}`;
}

export function damaged(where: Where, key: string, how: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `${shownObject(where, key)} ${how}.`,
    'Restore the first version of this object: see "Backup and restore of an object store" in docs/state.md. ivrctl never changes an object.',
  );
}

/**
 * The content of a log object or a snapshot: lines of JSON. The last line has a checksum of
 * the lines before it and of the sum of the log object before this one.
 */
export interface Sealed {
  readonly bytes: Buffer;
  readonly sum: string;
}

/** Adds the checksum line. `before` is the sum of the log object before it; "" for the first. */
export function seal(before: string, lines: readonly string[]): Sealed {
  const body = lines.map((line) => `${line}\n`).join("");
  const sum = headOf(before, body);
  return { bytes: Buffer.from(`${body}{"sum":"${sum}"}\n`), sum };
}

/** The content of an object that was read. Its sum is not checked yet. */
export interface Opened {
  /** The first line, which says what the object is. Undefined if it is not JSON. */
  readonly header: unknown;
  /** The lines between the header and the sum. */
  readonly lines: readonly string[];
  readonly sum: string;
  /** Whether the object is complete and unchanged, and follows the object with this sum. */
  follows(before: string): boolean;
}

/** Opens an object. Undefined if its last line is not a sum. Throws if another version wrote it. */
export function open(bytes: Buffer, shown: string): Opened | undefined {
  const lines = bytes.toString("utf8").split("\n");
  const last = Seal.safeParse(parseJson(lines.at(-2)));
  if (!last.success || lines.at(-1) !== "") return undefined;
  const content = lines.slice(0, -2);
  const header = parseJson(content[0]);
  refuseOtherVersion(header, shown);
  return {
    header,
    lines: content.slice(1),
    sum: last.data.sum,
    follows: (before) => seal(before, content).bytes.equals(bytes),
  };
}

const Seal = z.object({ sum: z.string() });

const common = {
  version: StateVersion,
  environment: z.string(),
  number: z.int(),
  /** The session of the lock that was taken, used or released. */
  session: z.string(),
  /** The time of writing, for people who look at the object. */
  at: z.string(),
};

/** The first line of a log object. */
export const HeaderSchema = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("locked"), lock: ProcessLock }),
  z.object({ ...common, kind: z.enum(["entries", "staged", "filled", "discarded"]) }),
  z.object({ ...common, kind: z.literal("moved"), to: z.nullable(z.string()) }),
  z.object({ ...common, kind: z.enum(["filling", "sealed"]), filling: FillingSchema }),
  z.object({ ...common, kind: z.literal("released"), by: z.nullable(z.string()) }),
]);
export type Header = z.infer<typeof HeaderSchema>;

/**
 * Returns the lines of a log object. Entries are written as in a journal.
 */
export function linesOf(
  operation: Operation,
  about: Pick<Header, "environment" | "number" | "session" | "at">,
): string[] {
  const { environment, number, session, at } = about;
  const header = {
    version: stateVersion,
    environment,
    number,
    session,
    at,
    ...fieldsOf(operation),
  };
  const linked = "linked" in operation ? operation.linked : [];
  return [JSON.stringify(header), ...linked.map((one) => encodeLine(one).trimEnd())];
}

function fieldsOf(operation: Operation) {
  switch (operation.kind) {
    case "locked":
      return { kind: operation.kind, lock: operation.held.lock };
    case "entries":
    case "staged":
      return { kind: operation.kind };
    default:
      return operation;
  }
}

const SnapshotHeader = z.object({
  version: StateVersion,
  environment: z.string(),
  number: z.int(),
  /** The sum of the log object with that number. */
  log: z.string(),
  /** The session of the lock; "" if there was no lock. */
  session: z.string(),
  lock: z.nullable(ProcessLock),
  moved_to: z.nullable(z.string()),
  kind: z.literal("snapshot"),
  /** Null before the first event. */
  state: z.nullable(SnapshotSchema),
});
export type SnapshotContent = z.infer<typeof SnapshotHeader>;

export function sealSnapshot(content: SnapshotContent): Sealed {
  return seal("", [JSON.stringify(content)]);
}

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export async function packed({ bytes }: Sealed): Promise<Buffer> {
  return zip(bytes);
}

/** Returns the snapshot, or undefined if it is damaged or does not belong here. */
export async function openSnapshot(
  bytes: Buffer,
  where: Where,
  number: number,
): Promise<SnapshotContent | undefined> {
  const plain = await unzip(bytes, { maxOutputLength: 512 * 1024 * 1024 }).catch(() => undefined);
  const found = plain && open(plain, shownObject(where, snapshotKey(where, number)));
  const header = SnapshotHeader.safeParse(found?.header);
  if (!header.success || found?.follows("") !== true) return undefined;
  const content = header.data;
  return content.environment === where.environment && content.number === number
    ? content
    : undefined;
}
