import { stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import { type Linked, decodeLine } from "../entries.ts";
import type { ProcessLock } from "../lock.ts";
import { takeNext } from "../read-entry.ts";
import { State } from "../state.ts";
import { StateProblem } from "../store.ts";
import {
  type Block,
  type Header,
  HeaderSchema,
  type Sealed,
  type SnapshotContent,
  encodeBlock,
  encodeSnapshot,
  openSealed,
} from "./block.ts";
import { type CommitLog, damaged } from "./commit-log.ts";

/** What a log says up to one of its blocks: the state, the lock, and whether it was moved away. */
export class LogState {
  /** Always the same object, because sessions have a reference to it. */
  readonly state: State;
  readonly #environment: string;
  #number: number;
  #sum: string;
  #held: { readonly session: string; readonly lock: ProcessLock } | null;
  #isForced: boolean;
  #movedTo: string | null;

  /** Starts from a snapshot, or from an empty log. */
  constructor(environment: string, from?: SnapshotContent) {
    this.#environment = environment;
    this.state = from?.state ? State.fromSnapshot(from.state) : new State();
    this.#number = from?.number ?? 0;
    this.#sum = from?.log ?? "";
    this.#held = from?.held ?? null;
    this.#isForced = from?.forced ?? false;
    this.#movedTo = from?.moved_to ?? null;
  }

  /** The number of the last block, or 0 if the log is empty. */
  get number(): number {
    return this.#number;
  }

  /** The sum of the last block, which covers all blocks before it. */
  get sum(): string {
    return this.#sum;
  }

  get held(): { readonly session: string; readonly lock: ProcessLock } | null {
    return this.#held;
  }

  /** Whether a person ended a lock and nothing was added since. That run may still send for a moment. */
  get isForced(): boolean {
    return this.#isForced;
  }

  get movedTo(): string | null {
    return this.#movedTo;
  }

  /** Returns the bytes of the next block. */
  encode(block: Block, now: Date): Sealed {
    const at = now.toISOString();
    const about = { environment: this.#environment, number: this.#number + 1, at };
    return encodeBlock(this.#sum, about, block);
  }

  /** Verifies and applies the next block, as it was read. Returns its entries. */
  async follow(bytes: Buffer, log: CommitLog): Promise<readonly Linked[]> {
    const number = this.#number + 1;
    const shown = log.name(number);
    const found = openSealed(bytes, shown);
    if (found === undefined || !found.follows(this.#sum)) {
      throw await damaged(log, number, "was changed after ivrctl wrote it");
    }
    const read = validate(HeaderSchema, found.header);
    if (!read.success) throw await damaged(log, number, `is invalid: ${read.problem}`);
    const { environment } = read.data;
    if (environment !== this.#environment || read.data.number !== number) {
      const other = `does not belong here: it is block ${read.data.number} of ${environment}`;
      throw await damaged(log, number, other);
    }
    const linked = await this.#verified(found.lines, log, shown);
    this.#apply(read.data);
    this.#number = number;
    this.#sum = found.sum;
    return linked;
  }

  /** Applies the next block, which this process has added. */
  advance(block: Block, sum: string): void {
    for (const { entry, head } of block.kind === "entries" ? block.linked : []) {
      this.state.take(entry, head);
    }
    this.#apply(block);
    this.#number += 1;
    this.#sum = sum;
  }

  /** Verifies the entries of the next block, and applies them to the state. */
  async #verified(lines: readonly string[], log: CommitLog, shown: string): Promise<Linked[]> {
    let found: string | undefined;
    const how = (what: string) => new StateProblem("IVR603", (found = what));
    try {
      return lines.map((line) => {
        const decoded = decodeLine(line);
        if (decoded === undefined) throw how("has a line that is not an event");
        return takeNext(decoded, this.state, shown, how);
      });
    } catch (error) {
      throw found === undefined ? error : await damaged(log, this.#number + 1, found);
    }
  }

  /** Applies everything of a block but its entries. */
  #apply(block: Block | Header): void {
    switch (block.kind) {
      case "locked":
        this.#held = { session: block.session, lock: block.lock };
        break;
      case "released":
        this.#held = null;
        if (block.by !== null) this.#isForced = true;
        break;
      case "entries":
        this.#isForced = false;
        if (block.arrives) this.#movedTo = null;
        break;
      case "moved":
        this.#isForced = false;
        this.#movedTo = block.to;
        break;
    }
  }

  snapshot(): Buffer {
    return encodeSnapshot({
      version: stateVersion,
      environment: this.#environment,
      number: this.#number,
      log: this.#sum,
      held: this.#held,
      forced: this.#isForced,
      moved_to: this.#movedTo,
      state: this.state.snapshot() ?? null,
    });
  }
}
