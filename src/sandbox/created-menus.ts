import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../util/host.ts";
import { parseJson } from "../util/parse-json.ts";
import { Account, AccountEvent, type Change } from "./account.ts";
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
  /** The complete lines that were read. */
  #read = "";

  constructor(path: string | undefined, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.account();
  }

  /** Returns the account, with the changes of other processes that use the same file. */
  account(): Account {
    const path = this.#path;
    if (path === undefined) return this.#account;
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const end = text.lastIndexOf("\n") + 1;
    // If the file was removed or replaced, it is read from its start.
    const start = text.startsWith(this.#read) ? this.#read.length : 0;
    const account = start < this.#read.length ? new Account() : this.#account;
    const before = text.slice(0, start).split("\n").length;
    for (const [at, line] of text.slice(start, end).split("\n").entries()) {
      if (line === "") continue;
      const event = AccountEvent.safeParse(parseJson(line));
      if (!event.success) {
        [this.#account, this.#read] = [new Account(), ""];
        throw new UsageError(
          `${path}:${before + at} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
        );
      }
      account.apply(event.data);
    }
    this.#account = account;
    this.#read = text.slice(0, end);
    return account;
  }

  store(change: Change): void {
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
