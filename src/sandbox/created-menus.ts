import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../util/host.ts";
import { parseJson } from "../util/parse-json.ts";
import { Account, AccountEvent, type AccountChange } from "./account.ts";
import { describeSystemError } from "../util/system-error.ts";
import { UsageError } from "../util/usage-error.ts";

/** Checks that the file can be written. Throws if not, so that the sandbox fails at its start. */
export function prepareRecords(path: string): void {
  try {
    // Reading a pipe, for example, would never end.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      throw new UsageError(`${path} is not a regular file.`);
    }
    append(path, "");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be used: ${describeSystemError(error)}.`);
  }
}

/**
 * The changes of the account: in a file, one on each line, or only in memory. Several processes may have
 * the file open, so each line is appended by one write. The file is created with the first record.
 */
export class Records {
  readonly #path: string | undefined;
  readonly #clock: Clock;
  #account = new Account();
  #read = unread;

  constructor(path: string | undefined, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.account();
  }

  /** Returns the account, with the changes of other processes that use the same file. */
  account(): Account {
    const path = this.#path;
    if (path === undefined) return this.#account;
    const added = readFrom(path, this.#read.end - this.#read.last.length);
    // If the file was removed or replaced, it is read from its start.
    const isSame = added.subarray(0, this.#read.last.length).equals(this.#read.last);
    const read = isSame ? this.#read : unread;
    const account = isSame ? this.#account : new Account();
    const text = isSame ? added.subarray(read.last.length) : readFrom(path, 0);
    const complete = text.subarray(0, text.lastIndexOf("\n") + 1);
    const lines = complete.toString("utf8").split("\n").slice(0, -1);
    for (const [at, line] of lines.entries()) {
      if (line === "") continue;
      const event = AccountEvent.safeParse(parseJson(line));
      if (!event.success) {
        [this.#account, this.#read] = [new Account(), unread];
        throw new UsageError(
          `${path}:${read.lines + at + 1} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
        );
      }
      account.apply(event.data);
    }
    const last = complete.subarray(complete.lastIndexOf("\n", -2) + 1);
    this.#account = account;
    this.#read = {
      end: read.end + complete.length,
      lines: read.lines + lines.length,
      last: complete.length === 0 ? read.last : last,
    };
    return account;
  }

  store(change: AccountChange): void {
    const event = { at: this.#clock.now().toISOString(), ...change };
    // A file that is corrupt gets no more lines.
    const account = this.account();
    if (this.#path === undefined) account.apply(event);
    else append(this.#path, `${JSON.stringify(event)}\n`);
  }
}

function append(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
}

/** How far a file was read. */
interface Read {
  /** In bytes. */
  readonly end: number;
  readonly lines: number;
  /** The last line. If it is no longer there, the file was replaced. */
  readonly last: Buffer;
}

const unread: Read = { end: 0, lines: 0, last: Buffer.alloc(0) };

/** The bytes of a file from a position on. Empty if there is no such file, or if it is shorter. */
function readFrom(path: string, start: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0);
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}
