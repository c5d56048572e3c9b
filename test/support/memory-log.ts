import { type CommitLog, refuseGap } from "../../src/deploy/state/log/commit-log.ts";
import { StateStore, type StoreOptions } from "../../src/deploy/state/log/state-store.ts";
import type { Seen, Witness } from "../../src/deploy/state/log/witness.ts";
import { logHost } from "../../src/deploy/state/process-identity.ts";
import { testHost } from "./host.ts";

/** Opens the state in a log: that of production, unless the options say otherwise. */
export function openStore(log: CommitLog, options: Partial<StoreOptions> = {}): StateStore {
  return new StateStore(log, {
    environment: "production",
    witness: new MemoryWitness(),
    host: logHost(testHost()),
    ...options,
  });
}

/** What several logs of one place share. */
export class MemoryBlocks {
  readonly blocks = new Map<number, Buffer>();
  snapshot: { readonly number: number; readonly bytes: Buffer } | undefined;
}

/** A log in memory. */
export class MemoryLog implements CommitLog {
  readonly place: string;
  readonly #stored: MemoryBlocks;

  constructor(stored = new MemoryBlocks(), place = "memory") {
    this.#stored = stored;
    this.place = place;
  }

  name = (n: number) => `block ${n}`;
  restoreHint = async () => "Restore it.";

  async numbers() {
    return [...this.#stored.blocks.keys()].sort((one, other) => one - other);
  }

  async read(after: number, limit = Infinity) {
    const found = (await this.numbers()).filter((n) => n > after).slice(0, limit);
    await refuseGap(this, after, found);
    return found.flatMap((n) => this.#stored.blocks.get(n) ?? []);
  }

  async append(n: number, bytes: Buffer) {
    if (this.#stored.blocks.has(n)) return "taken";
    this.#stored.blocks.set(n, bytes);
    return "added";
  }

  async snapshot() {
    return this.#stored.snapshot;
  }

  async keep(number: number, bytes: Buffer) {
    if (number > (this.#stored.snapshot?.number ?? 0)) this.#stored.snapshot = { number, bytes };
  }

  async close() {}
}

/** What a machine remembers, without a file. */
export class MemoryWitness implements Witness {
  readonly file = "the witness";
  readonly #seen = new Map<string, Seen>();

  get(place: string): Seen | undefined {
    return this.#seen.get(place);
  }

  placesOf(): readonly string[] {
    return [];
  }

  raise(place: string, { number, sum }: Seen): void {
    if (number > (this.get(place)?.number ?? 0)) this.#seen.set(place, { number, sum });
  }

  flush(): void {}
}
