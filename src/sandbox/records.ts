import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../util/host.ts";
import { parseJson } from "../util/parse-json.ts";
import { Account, AccountEvent, type Change } from "./account.ts";

export interface Records {
  /** Returns the account, with the changes of other processes that use the same file. */
  account(): Account;
  store(change: Change): void;
}

/** The sandbox did not write this data file, or the file is damaged. */
export class CorruptRecords extends Error {}

export function memoryRecords(clock: Clock): Records {
  const account = new Account();
  return {
    account: () => account,
    store: (change) => account.apply({ at: clock.now().toISOString(), ...change }),
  };
}

/** Checks that the file can be written. Throws if not, so that the sandbox fails at its start. */
export function prepareRecords(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  refuseOther(path);
  appendFileSync(path, "");
}

/**
 * Records in a file, one change on each line. Several processes may have the file open, so each line
 * is appended by one write. The file is created with the first record.
 */
export class FileRecords implements Records {
  readonly #path: string;
  readonly #clock: Clock;
  #account = new Account();
  #inode: number | undefined;
  #lines = 0;
  /** The end of the last complete line. */
  #offset = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.account();
  }

  account(): Account {
    const found = refuseOther(this.#path);
    const size = found?.size ?? 0;
    // The file was removed or replaced.
    if (found?.ino !== this.#inode || size < this.#offset) this.#forget(found?.ino);
    if (size > this.#offset) this.#read(size);
    return this.#account;
  }

  store(change: Change): void {
    this.account();
    const line = JSON.stringify({ at: this.#clock.now().toISOString(), ...change });
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${line}\n`);
  }

  #forget(inode: number | undefined): void {
    this.#account = new Account();
    this.#inode = inode;
    this.#lines = 0;
    this.#offset = 0;
  }

  #read(size: number): void {
    const bytes = readFrom(this.#path, this.#offset, size - this.#offset);
    const end = bytes.lastIndexOf("\n") + 1;
    if (end === 0) return;
    for (const text of bytes.toString("utf8", 0, end - 1).split("\n")) {
      this.#lines += 1;
      if (text !== "") this.#apply(text);
    }
    this.#offset += end;
  }

  #apply(text: string): void {
    const line = AccountEvent.safeParse(parseJson(text));
    if (line.success) {
      this.#account.apply(line.data);
      return;
    }
    const at = `${this.#path}:${this.#lines}`;
    this.#forget(undefined);
    throw new CorruptRecords(
      `${at} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
    );
  }
}

/** Refuses everything except a regular file. Reading a pipe, for example, would never end. */
function refuseOther(path: string) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new CorruptRecords(`${path} is not a regular file.`);
  return found;
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
