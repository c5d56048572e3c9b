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
import { syncFolder } from "../util/disk.ts";
import { parseJson } from "../util/parse-json.ts";
import { Account, AccountEvent, type Change, type SandboxRecord } from "./account.ts";
import { describeSystemError } from "../util/system-error.ts";
import type { Clock } from "../util/host.ts";

export interface Records {
  /** Returns all menus, including those of other processes that use the same file. */
  all(): readonly SandboxRecord[];
  /** Returns the account, with the changes of other processes that use the same file. */
  account(): Account;
  /** Resolves when the change is durable. */
  store(change: Change): Promise<void>;
}

/** The sandbox did not write this data file, or the file is damaged. */
export class CorruptRecords extends Error {}

/** The record was not stored. */
export class NotStored extends Error {}

export function memoryRecords(clock: Clock): Records {
  const account = new Account();
  return {
    all: () => account.menus,
    account: () => account,
    async store(change) {
      account.apply({ at: clock.now().toISOString(), ...change });
    },
  };
}

/** Checks that the file can be written. Throws if not, so that the sandbox fails at its start. */
export function prepareRecords(path: string): void {
  closeSync(openToAppend(path));
}

/**
 * Records in a file, one change on each line. Several processes may have the file open.
 *
 * - The file is created with the first record.
 * - A line is appended by one write and synced before `store` resolves.
 * - The file is never truncated. If a crash left half a line, the next write ends that line with a
 *   mark that no JSON ends with, and readers skip it. If another process was still writing the line,
 *   it becomes complete and the mark is on its own line.
 * - A record's number is its position among the created ones.
 */
export function fileRecords(path: string, clock: Clock): Records {
  const records = new FileRecords(path, clock);
  records.all();
  return records;
}

const newline = 0x0a;
const cancelled = 0x18;
const sync = promisify(fdatasync);

class FileRecords implements Records {
  readonly #path: string;
  readonly #clock: Clock;
  #account = new Account();
  #inode: number | undefined;
  #lines = 0;
  /** Where the first incomplete line begins. */
  #offset = 0;
  #size = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  all(): readonly SandboxRecord[] {
    return this.account().menus;
  }

  account(): Account {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    refuseOther(found, this.#path);
    if (found?.ino !== this.#inode || (found?.size ?? 0) < this.#size) this.#forget(found?.ino);
    if (found !== undefined && found.size > this.#size) this.#read(found.size);
    return this.#account;
  }

  async store(change: Change): Promise<void> {
    const line = `${JSON.stringify({ at: this.#clock.now().toISOString(), ...change })}\n`;
    orNotStored(() => this.account());
    const broken = this.#size > this.#offset;
    const bytes = Buffer.from(broken ? `${String.fromCharCode(cancelled, newline)}${line}` : line);
    const file = orNotStored(() => openToAppend(this.#path));
    try {
      // Half a line is not a record, and the next write cancels it.
      const written = orNotStored(() => writeSync(file, bytes));
      if (written < bytes.length)
        throw new NotStored("The menu could not be stored: the disk is full.");
      await sync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Starts from scratch, because the file was removed or replaced. */
  #forget(inode: number | undefined): void {
    this.#account = new Account();
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
    const line = AccountEvent.safeParse(parseJson(bytes));
    if (!line.success) {
      const at = `${this.#path}:${this.#lines}`;
      this.#forget(undefined);
      throw new CorruptRecords(
        `${at} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
      );
    }
    this.#account.apply(line.data);
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

/** Refuses everything except a regular file. Reading a pipe, for example, would never end. */
function refuseOther(found: Stats | undefined, path: string): void {
  if (found?.isFile() === false) throw new CorruptRecords(`${path} is not a regular file.`);
}

function orNotStored<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof CorruptRecords) throw error;
    throw new NotStored(`The menu could not be stored: ${describeSystemError(error)}.`);
  }
}

function readFrom(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
