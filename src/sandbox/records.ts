import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
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
  /** The complete lines that were read. */
  #read = "";

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.account();
  }

  account(): Account {
    const text = refuseOther(this.#path) ? readFileSync(this.#path, "utf8") : "";
    // The file was removed or replaced.
    if (!text.startsWith(this.#read)) this.#forget();
    const end = text.lastIndexOf("\n") + 1;
    const added = text.slice(this.#read.length, end);
    if (added === "") return this.#account;
    for (const [at, line] of added.split("\n").entries()) {
      if (line !== "") this.#apply(line, at);
    }
    this.#read = text.slice(0, end);
    return this.#account;
  }

  store(change: Change): void {
    this.account();
    const line = JSON.stringify({ at: this.#clock.now().toISOString(), ...change });
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${line}\n`);
  }

  #forget(): void {
    this.#account = new Account();
    this.#read = "";
  }

  #apply(text: string, at: number): void {
    const line = AccountEvent.safeParse(parseJson(text));
    if (line.success) {
      this.#account.apply(line.data);
      return;
    }
    const place = `${this.#path}:${this.#read.split("\n").length + at}`;
    this.#forget();
    throw new CorruptRecords(
      `${place} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
    );
  }
}

/** Refuses everything except a regular file. Reading a pipe, for example, would never end. */
function refuseOther(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new CorruptRecords(`${path} is not a regular file.`);
  return found !== undefined;
}
