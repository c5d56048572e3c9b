import { commandText, suggest, withSentence } from "../../../util/suggest.ts";
import { Damage, type Linked } from "../entries.ts";
import type { LogHost } from "../process-identity.ts";
import { type WaitOptions, StoreUnavailable, briefWait, retry } from "../retry.ts";
import type { StateView } from "../state.ts";
import { StateProblem } from "../store.ts";
import { type Block, blockSum, decodeSnapshot, describeBlock } from "./block.ts";
import { type CommitLog, damaged } from "./commit-log.ts";
import { LogState } from "./log-state.ts";
import type { Witness } from "./witness.ts";

/** Which state a log has, and who reads it. */
export interface NamedLog {
  readonly environment: string;
  /** The id that ivrctl.yaml names. Undefined: the state begins on its own, for the embedded sandbox. */
  readonly id?: string | undefined;
  /** Whether ivrctl.yaml also names the place where the state was before. */
  readonly isMoving?: boolean;
  readonly witness: Witness;
  readonly host: LogHost;
}

export interface Loaded {
  readonly view: LogState;
  /** The entries of the blocks that were read: all of them, or those after the snapshot. */
  readonly entries: readonly Linked[];
  /** Warnings for the user. */
  readonly notes: readonly StateProblem[];
}

/** Reads and adds blocks, and verifies that a log has all blocks that it had before. */
export class VerifiedLog {
  readonly log: CommitLog;
  readonly environment: string;
  readonly id: string | undefined;
  readonly host: LogHost;
  /** How long to wait for an answer when reading, and before a session has begun. */
  readonly brief: WaitOptions;
  readonly #witness: Witness;
  readonly #isMoving: boolean;
  /** Under which name the witness remembers the log. */
  readonly #known: string;

  constructor(log: CommitLog, { environment, id, witness, host, isMoving = false }: NamedLog) {
    this.log = log;
    this.environment = environment;
    this.id = id;
    this.host = host;
    this.brief = briefWait(host.clock);
    this.#witness = witness;
    this.#isMoving = isMoving;
    this.#known = id === undefined ? log.place : `${log.place} ${id}`;
  }

  /** Reads the log, from its snapshot on or `completely`. Refuses it if blocks are missing that it had before. */
  async load(how?: "completely"): Promise<Loaded> {
    const { log, environment } = this;
    // In this order: other runs make the log longer meanwhile, so what is read later reaches further.
    const seen = this.#witness.get(this.#known);
    const kept = await retry(() => log.snapshot(), this.brief);
    const snapshot = kept && decodeSnapshot(kept.bytes, `The snapshot at ${log.place}`);
    const isUsable = snapshot?.number === kept?.number && snapshot?.environment === environment;
    const view = new LogState(environment, isUsable && how === undefined ? snapshot : undefined);
    const first = Math.max(1, view.number);
    const blocks = await retry(() => log.read(first - 1), this.brief);
    const blockAt = async (n: number) =>
      n >= first ? blocks[n - first] : (await retry(() => log.read(n - 1, 1), this.brief))[0];
    if (kept !== undefined) {
      const end = await blockAt(kept.number);
      if (end === undefined) throw await damaged(log, kept.number, missingEnd);
      if (isUsable && snapshot !== undefined && blockSum(end) !== snapshot.log) {
        throw await damaged(log, kept.number, "is not the block that its snapshot was made from");
      }
    }
    if (seen !== undefined) {
      const end = await blockAt(seen.number);
      if (end === undefined || blockSum(end) !== seen.sum) {
        const last = first + blocks.length - 1;
        const isGone = last === 0 && this.id !== undefined;
        throw await (isGone ? this.#missing() : this.#setBack(last, seen.number));
      }
    }
    const entries = await this.#follow(view, blocks.slice(view.number === 0 ? 0 : 1));
    if (view.number > 0) this.#witness.raise(this.#known, view);
    return { view, entries, notes: kept === undefined || isUsable ? [] : [edited(log)] };
  }

  /** Reads the blocks that other runs have added. */
  async catchUp(view: LogState): Promise<void> {
    await this.#follow(view, await retry(() => this.log.read(view.number), this.brief));
  }

  /** Verifies and applies the next blocks. Returns their entries. */
  async #follow(view: LogState, blocks: readonly Buffer[]): Promise<Linked[]> {
    const n = () => view.number + 1;
    try {
      return blocks.flatMap((bytes) => view.follow(bytes, this.log.name(n())));
    } catch (error) {
      throw error instanceof Damage ? await damaged(this.log, n(), error.message) : error;
    }
  }

  /** Adds the next block to the log and to the view. False: another run has taken its number. */
  async add(view: LogState, session: string, block: Block, wait = this.brief): Promise<boolean> {
    const { log, host } = this;
    const n = view.number + 1;
    const { bytes, sum } = view.encode(session, block, host.clock.now());
    let attempts = 0;
    const isAdded = await retry(async () => {
      attempts += 1;
      const added = await log.append(n, bytes, describeBlock(block)).catch((error: unknown) => {
        // An earlier attempt may still arrive.
        const isFinal = error instanceof StateProblem && !(error instanceof StoreUnavailable);
        throw isFinal && attempts === 1 ? new BlockRefused(error) : error;
      });
      if (added === "added") return true;
      // The number can also be taken by this block: clients and proxies repeat requests.
      const [found] = await log.read(n - 1, 1);
      if (found === undefined) {
        const what = `${log.place} reports that ${log.name(n)} exists, but does not return it.`;
        throw new StoreUnavailable("IVR671", what);
      }
      return found.equals(bytes);
    }, wait);
    if (!isAdded) return false;
    view.advance(session, block, sum);
    // A run that finds blocks missing under its lock releases it, too. This must not hide what is known.
    if (block.kind !== "released") this.#witness.raise(this.#known, view);
    return true;
  }

  /** Whether the log ends with the last block of this view, and has never reached further. */
  async isEnd({ number, sum }: LogState, wait: WaitOptions): Promise<boolean> {
    const { log } = this;
    if ((this.#witness.get(this.#known)?.number ?? 0) > number) return false;
    const kept = await retry(() => log.snapshot(), wait);
    if ((kept?.number ?? 0) > number) return false;
    const [end, ...more] = await retry(() => log.read(number - 1), wait);
    return end !== undefined && blockSum(end) === sum && more.length === 0;
  }

  /** Releases the lock of a session. Returns whether it did. Never rejects. */
  async release(view: LogState, session: string, wait = this.brief): Promise<boolean> {
    const released: Block = { kind: "released", by: null };
    try {
      if (await this.add(view, session, released, wait)) return true;
      // Blocks of this session may be there, whose answers never came.
      const later = await this.log.read(view.number);
      if (!later.every((bytes) => bytes.includes(`"session":"${session}"`))) return false;
      await this.#follow(view, later);
      return await this.add(view, session, released, wait);
    } catch {
      // The next run on this machine sees that the process has ended. On another one, a person unlocks.
      return false;
    }
  }

  /** Makes the end of the log known to every machine. Never rejects: the log has everything. */
  async keepEnd(view: LogState): Promise<void> {
    const snapshot = view.snapshot();
    await retry(() => this.log.keep(view.number, snapshot), this.brief).catch(() => {});
  }

  /** Ends connections that are idle. Makes sure that later processes know the end of the log. */
  async close(): Promise<void> {
    this.#witness.flush();
    await this.log.close();
  }

  /** The ids of all states of the environment at this place. */
  async ids(): Promise<readonly string[]> {
    return retry(async () => (await this.log.ids?.()) ?? [], this.brief);
  }

  /** Refuses a state that is not there, or is not the one that ivrctl.yaml names. */
  async refuseOther({ origin }: StateView): Promise<void> {
    if (this.id === undefined || origin?.id === this.id) return;
    if (origin === null) throw await this.#missing();
    const what = `The log at ${this.log.place} belongs to the state ${origin.id}, but ivrctl.yaml names ${this.id}.`;
    throw new StateProblem("IVR629", what, await this.log.restoreHint());
  }

  /** The problem of a state that ivrctl.yaml names, and that is not there. */
  async #missing(): Promise<StateProblem> {
    const { log, environment } = this;
    const others = (await this.ids()).filter((id) => id !== this.id);
    const what = `There is no state ${this.id} of ${environment} at ${log.place}.`;
    const there = others.length === 0 ? "" : ` The states there: ${others.join(", ")}.`;
    const hint = this.#isMoving
      ? {
          words: "Move the state here, from the place under `from:`:",
          argv: suggest("state migrate", [], environment),
        }
      : withSentence(
          `Check \`state:\` in ivrctl.yaml. If it is right, restore the state as follows. If it is lost for good, run \`${commandText(suggest("state init", [], environment, ["--recover"]))}\` instead.`,
          await log.restoreHint(),
        );
    return new StateProblem("IVR629", `${what}${there}`, hint);
  }

  /** The problem of a log without a block that this machine has seen. */
  async #setBack(last: number, known: number): Promise<StateProblem> {
    const { log } = this;
    const how =
      last === 0
        ? `There is no log at ${log.place}, but this machine has seen its block ${known}`
        : last < known
          ? `The log at ${log.place} ends with block ${last}, but this machine has seen block ${known}`
          : `The log at ${log.place} has a different block ${known} than this machine has seen`;
    return new StateProblem(
      "IVR629",
      `${how}. Menus that were recorded in the missing blocks would be created again.`,
      withSentence(
        `If you are sure that the log is right as it is, delete ${this.#witness.file}. If not:`,
        await log.restoreHint(),
      ),
    );
  }

  /** Returns why the log does not end with the last block of a session. */
  async lost(): Promise<StateProblem> {
    let held: LogState["held"] = null;
    try {
      ({ held } = (await this.load()).view);
    } catch (error) {
      if (error instanceof StateProblem && !(error instanceof StoreUnavailable)) return error;
    }
    const now = held === null ? "" : ` ${held.lock.by} on ${held.lock.host} holds it now.`;
    return new StateProblem(
      "IVR601",
      `Another process released the lock of ${this.environment} while this run held it (${this.log.place}).${now} This run records nothing more.`,
      "Find out who released the lock. Run the command again when no other run is in progress.",
    );
  }
}

/** The problem of a block that the store refused: it does not exist, and will not appear later. */
export class BlockRefused extends StateProblem {
  constructor({ code, message, hint, at }: StateProblem) {
    super(code, message, hint, at);
  }
}

const missingEnd =
  "is missing, but the snapshot shows that the log reached it. Menus that were recorded there would be created again";

function edited({ place }: CommitLog): StateProblem {
  const what = `The snapshot at ${place} was edited or damaged, or a different version of ivrctl wrote it. This has no effect: ivrctl reads the state from the log.`;
  return new StateProblem("IVR605", what);
}
