import { stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import { Damage, type Linked, takeLine } from "../entries.ts";
import { State } from "../state.ts";
import {
  type Block,
  HeaderSchema,
  type SnapshotContent,
  encodeBlock,
  encodeSnapshot,
  unseal,
} from "./block.ts";

/** What a log says up to one of its blocks: the state, the lock, and whether it was moved away. */
export class LogState {
  /** Always the same object, because sessions have a reference to it. */
  readonly state: State;
  /** The number of the last block, or 0 if the log is empty. */
  number: number;
  /** The sum of the last block, which covers all blocks before it. */
  sum: string;
  held: SnapshotContent["held"];
  /** Whether a person ended a lock and nothing was added since. That run may still send for a moment. */
  isForced: boolean;
  movedTo: string | null;
  readonly #environment: string;

  /** Starts from a snapshot, or from an empty log. */
  constructor(environment: string, from?: SnapshotContent) {
    this.#environment = environment;
    this.state = new State(from?.state);
    this.number = from?.number ?? 0;
    this.sum = from?.log ?? "";
    this.held = from?.held ?? null;
    this.isForced = from?.forced ?? false;
    this.movedTo = from?.moved_to ?? null;
  }

  /** Returns the bytes of the next block. */
  encode(session: string, block: Block, now: Date) {
    const [environment, number, at] = [this.#environment, this.number + 1, now.toISOString()];
    return encodeBlock(this.sum, { environment, number, session, at }, block);
  }

  /** Verifies and applies the next block, as it was read. Returns its entries. Throws `Damage`. */
  follow(bytes: Buffer, shown: string): readonly Linked[] {
    const found = unseal(this.sum, bytes, shown);
    if (found === undefined) throw new Damage("was changed after ivrctl wrote it");
    const read = validate(HeaderSchema, found.header);
    if (!read.success) throw new Damage(`is invalid: ${read.problem}`);
    const { environment, number } = read.data;
    if (environment !== this.#environment || number !== this.number + 1) {
      throw new Damage(`does not belong here: it is block ${number} of ${environment}`);
    }
    const linked = found.lines.map((line) => takeLine(line, this.state, shown));
    this.#apply(read.data.session, read.data, found.sum);
    return linked;
  }

  /** Applies the next block, which this process has added. */
  advance(session: string, block: Block, sum: string): void {
    for (const { entry, head } of block.linked ?? []) this.state.take(entry, head);
    this.#apply(session, block, sum);
  }

  /** Applies everything of a block but its entries. */
  #apply(session: string, block: Block, sum: string): void {
    switch (block.kind) {
      case "locked":
        this.held = { session, lock: block.lock };
        break;
      case "released":
        this.held = null;
        if (block.by !== null) this.isForced = true;
        break;
      case "entries":
        this.isForced = false;
        if (block.arrives) this.movedTo = null;
        break;
      case "moved":
        this.isForced = false;
        this.movedTo = block.to;
        break;
    }
    this.number += 1;
    this.sum = sum;
  }

  snapshot(): Buffer {
    return encodeSnapshot({
      version: stateVersion,
      environment: this.#environment,
      number: this.number,
      log: this.sum,
      held: this.held,
      forced: this.isForced,
      moved_to: this.movedTo,
      state: this.state.snapshot(),
    });
  }
}
