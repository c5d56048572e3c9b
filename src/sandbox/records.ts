import {
  type Stats,
  closeSync,
  fdatasync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { reason } from "../project/files.ts";
import { syncFolder } from "../util/disk.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { SandboxPayload } from "./judge.ts";

/** A menu that the sandbox has confirmed. */
export interface SandboxRecord {
  /** From 1, in the order of their creation. */
  readonly number: number;
  readonly at: string;
  readonly payload: SandboxPayload;
}

export interface Records {
  /** All of them, those of other processes on the same file included. */
  all(): readonly SandboxRecord[];
  /** Resolves when the record will not be forgotten. */
  add(payload: SandboxPayload): Promise<void>;
}

/** The data file is not, or no longer, what a sandbox writes. */
export class CorruptRecords extends Error {}

/** Nothing of the record was kept. */
export class NotStored extends Error {}

export function memoryRecords(): Records {
  const records: SandboxRecord[] = [];
  return {
    all: () => records,
    async add(payload) {
      records.push({ number: records.length + 1, at: now(), payload });
    },
  };
}

/** So that a file that cannot be written is told at the start, and not at the first create. */
export function prepareRecords(path: string): void {
  closeSync(openToAppend(path));
}

/**
 * Records in a file, one a line, which several processes may have open.
 *
 * - Nothing is written, and no file made, before the first record.
 * - A line is appended by one write and synced before `add` resolves.
 * - Nothing is ever cut off: what a crash left of a line is cancelled by the
 *   next write, with a mark that no JSON ends with. A line that another process
 *   was only just writing is then whole, and the mark stands alone.
 * - A record's number is its place in the file.
 */
export function fileRecords(path: string): Records {
  const records = new FileRecords(path);
  records.all();
  return records;
}

const Line = z.strictObject({ at: z.string(), payload: PayloadSchema });
const newline = 0x0a;
const cancelled = 0x18;
const sync = promisify(fdatasync);

class FileRecords implements Records {
  readonly #path: string;
  #records: SandboxRecord[] = [];
  #inode: number | undefined;
  #lines = 0;
  /** Where the first line begins that was not whole yet. */
  #offset = 0;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  all(): readonly SandboxRecord[] {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    refuseOther(found, this.#path);
    if (found?.ino !== this.#inode || (found?.size ?? 0) < this.#size) this.#forget(found?.ino);
    if (found !== undefined && found.size > this.#size) this.#read(found.size);
    return this.#records;
  }

  async add(payload: SandboxPayload): Promise<void> {
    const line = `${JSON.stringify({ at: now(), payload })}\n`;
    orNotStored(() => this.all());
    const broken = this.#size > this.#offset;
    const bytes = Buffer.from(broken ? `${String.fromCharCode(cancelled, newline)}${line}` : line);
    const file = orNotStored(() => openToAppend(this.#path));
    try {
      // Half a line is no record, and the next one cancels it.
      const written = orNotStored(() => writeSync(file, bytes));
      if (written < bytes.length)
        throw new NotStored("The menu could not be stored: the disk is full.");
      await sync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Another file, or none: whoever took it away began anew. */
  #forget(inode: number | undefined): void {
    this.#records = [];
    this.#inode = inode;
    this.#lines = 0;
    this.#offset = 0;
    this.#size = 0;
  }

  #read(size: number): void {
    const bytes = readFrom(this.#path, this.#offset, size - this.#offset);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(newline, start);
      if (end === -1) break;
      this.#line(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#offset += start;
    this.#size = size;
  }

  #line(bytes: Buffer): void {
    this.#lines += 1;
    if (bytes.length === 0 || bytes.at(-1) === cancelled) return;
    const line = Line.safeParse(parse(bytes.toString("utf8")));
    if (!line.success) {
      const at = `${this.#path}:${this.#lines}`;
      this.#forget(undefined);
      throw new CorruptRecords(
        `${at} is not a record of the sandbox. Mend the line or take it out, or move the file away to begin anew.`,
      );
    }
    this.#records.push({ number: this.#records.length + 1, ...line.data });
  }
}

function openToAppend(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const found = statSync(path, { throwIfNoEntry: false });
  refuseOther(found, path);
  const file = openSync(path, "a");
  if (found === undefined) syncFolder(dirname(path));
  return file;
}

/** A pipe, say, would never come to an end. */
function refuseOther(found: Stats | undefined, path: string): void {
  if (found?.isFile() === false) throw new CorruptRecords(`${path} is not a regular file.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function orNotStored<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof CorruptRecords) throw error;
    throw new NotStored(`The menu could not be stored: ${reason(error)}.`);
  }
}

function readFrom(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    let got = 0;
    while (got < length) {
      const count = readSync(file, bytes, got, length - got, offset + got);
      if (count === 0) break;
      got += count;
    }
    return bytes.subarray(0, got);
  } finally {
    closeSync(file);
  }
}

function now(): string {
  return new Date().toISOString();
}
