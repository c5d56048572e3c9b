import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../util/host.ts";
import { parseJson } from "../util/parse-json.ts";
import { Account, AccountEvent, type Change } from "./account.ts";
import { describeSystemError } from "../util/system-error.ts";
import { UsageError } from "../util/usage-error.ts";

/** Checks that the file can be written. Throws if not, so that the sandbox fails at its start. */
export function prepareRecords(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    refuseOther(path);
    appendFileSync(path, "");
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
    const text = refuseOther(path) ? readFileSync(path, "utf8") : "";
    // The file was removed or replaced.
    if (!text.startsWith(this.#read)) this.#forget();
    const end = text.lastIndexOf("\n") + 1;
    const added = text.slice(this.#read.length, end);
    if (added === "") return this.#account;
    for (const [at, line] of added.split("\n").entries()) {
      if (line !== "") this.#apply(line, `${path}:${this.#read.split("\n").length + at}`);
    }
    this.#read = text.slice(0, end);
    return this.#account;
  }

  store(change: Change): void {
    const event = { at: this.#clock.now().toISOString(), ...change };
    if (this.#path === undefined) {
      this.#account.apply(event);
      return;
    }
    this.account();
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify(event)}\n`);
  }

  #forget(): void {
    this.#account = new Account();
    this.#read = "";
  }

  #apply(text: string, place: string): void {
    const line = AccountEvent.safeParse(parseJson(text));
    if (line.success) {
      this.#account.apply(line.data);
      return;
    }
    this.#forget();
    throw new UsageError(
      `${place} is not a menu that the sandbox stored. Fix or remove the line, or move the file away to start from scratch.`,
    );
  }
}

/** Refuses everything except a regular file. Reading a pipe, for example, would never end. */
function refuseOther(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new UsageError(`${path} is not a regular file.`);
  return found !== undefined;
}
