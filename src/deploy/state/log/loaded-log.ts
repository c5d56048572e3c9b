import { validate } from "../../../schema/validated.ts";
import { nearest } from "../../../util/nearest.ts";
import { separateHints, suggest, withSentence } from "../../../util/suggest.ts";
import { Damage, type Linked, refuseFormat, takeLine } from "../entries.ts";
import type { LogHost } from "../process-identity.ts";
import { StoreUnavailable, briefWait, retry } from "../retry.ts";
import { State } from "../state.ts";
import { type Claim, StateProblem } from "../lock.ts";
import {
  type Block,
  HeaderSchema,
  type SnapshotContent,
  blockSum,
  decodeSnapshot,
  describeBlock,
  encodeBlock,
  encodeSnapshot,
  unseal,
} from "./block.ts";
import { type CommitLog, damaged } from "./commit-log.ts";
import type { Seen, Witness } from "./witness.ts";

/** A log, which state it has, and who reads it. */
export interface LogPlace {
  readonly log: CommitLog;
  readonly environment: string;
  /** The id that ivrctl.yaml names. Undefined: the state begins on its own, for the embedded sandbox. */
  readonly id?: string | undefined;
  /** Whether ivrctl.yaml also names the place where the state was before. */
  readonly isMoving?: boolean;
  readonly witness: Witness;
  readonly host: LogHost;
}

interface Loading {
  readonly loaded: LoadedLog;
  /** The entries of the blocks that were read: all of them, or those after the snapshot. */
  readonly entries: readonly Linked[];
  /** Warnings for the user. */
  readonly notes: readonly StateProblem[];
}

/** Asks the log. Waits briefly if it is unavailable. */
export function askLog<T>(
  { log, host }: LogPlace,
  act: (log: CommitLog) => Promise<T>,
): Promise<T> {
  return retry(() => act(log), briefWait(host.clock));
}

/** Reads a log, from its snapshot on or `completely`. Refuses it if blocks are missing that it had before. */
export async function load(place: LogPlace, how?: "completely"): Promise<Loading> {
  const { log, environment, witness } = place;
  // In this order: other runs make the log longer meanwhile, so what is read later reaches further.
  const seen = witness.get(nameOf(place));
  const kept = await askLog(place, () => log.snapshot());
  const snapshot = kept && decodeSnapshot(kept.bytes);
  const isUsable = snapshot?.number === kept?.number && snapshot?.environment === environment;
  const from = isUsable && how === undefined ? snapshot : undefined;
  const loaded = new LoadedLog(place, from, kept?.bytes.length);
  const oldest = loaded.number === 0 ? undefined : await askLog(place, async () => log.oldest?.());
  // Blocks of two histories may be mixed below the snapshot, so the chain is verified from what is known of earlier.
  const numbers = [loaded.number, seen?.number, oldest?.number].filter((n) => n !== undefined);
  const first = Math.max(1, Math.min(...numbers));
  const blocks = await askLog(place, () => log.read(first - 1));
  const blockAt = (n: number) => blocks[n - first];
  for (const stored of [kept, oldest]) {
    if (stored === undefined) continue;
    const end = blockAt(stored.number);
    if (end === undefined) throw await damaged(log, stored.number, missingEnd);
    const from = decodeSnapshot(stored.bytes);
    if (from?.number === stored.number && blockSum(end) !== from.log) {
      throw await damaged(log, stored.number, "is not the block that its snapshot was made from");
    }
  }
  if (seen !== undefined) {
    const end = blockAt(seen.number);
    if (end === undefined || blockSum(end) !== seen.sum) {
      const last = first + blocks.length - 1;
      const isGone = last === 0 && place.id !== undefined;
      throw await (isGone ? missing(place) : setBack(place, last, seen));
    }
  }
  for (let n = first + 1; n <= loaded.number; n += 1) {
    const [before = Buffer.alloc(0), bytes = before] = [blockAt(n - 1), blockAt(n)];
    if (unseal(blockSum(before) ?? "", bytes) === undefined)
      throw await damaged(log, n, "does not follow the block before it, or was changed");
  }
  let entries: readonly Linked[];
  try {
    entries = blocks.slice(loaded.number + 1 - first).flatMap((bytes) => loaded.follow(bytes));
  } catch (error) {
    throw error instanceof Damage ? await damaged(log, loaded.number + 1, error.message) : error;
  }
  if (loaded.number > 0) {
    await askLog(place, async () => log.accept?.());
    witness.raise(nameOf(place), loaded);
  }
  return { loaded, entries, notes: kept === undefined || isUsable ? [] : [edited(log)] };
}

/** A log up to one of its blocks: the state, the lock, and whether it was moved away. */
export class LoadedLog {
  readonly place: LogPlace;
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
  /** The size of the snapshot, and of the blocks since then. */
  #kept: number;
  #since = { bytes: 0, blocks: 0 };

  /** Starts from a snapshot, or from an empty log. */
  constructor(place: LogPlace, from?: SnapshotContent, size = 0) {
    this.place = place;
    this.#kept = from === undefined ? 0 : size;
    this.state = new State(from?.state);
    this.number = from?.number ?? 0;
    this.sum = from?.log ?? "";
    this.held = from?.held ?? null;
    this.isForced = from?.forced ?? false;
    this.movedTo = from?.moved_to ?? null;
  }

  /** Verifies and applies the next block, as it was read. Returns its entries. Throws `Damage`. */
  follow(bytes: Buffer): readonly Linked[] {
    const parts = unseal(this.sum, bytes);
    if (parts === undefined) throw new Damage("was changed after ivrctl wrote it");
    refuseFormat(parts.header, this.place.log.name(this.number + 1));
    const read = validate(HeaderSchema, parts.header);
    if (!read.success) throw new Damage(`is invalid: ${read.problem}`);
    const { environment, number, session } = read.data;
    if (environment !== this.place.environment || number !== this.number + 1) {
      throw new Damage(`does not belong here: it is block ${number} of ${environment}`);
    }
    const linked = parts.lines.map((line) => takeLine(line, this.state));
    this.#advance(session, read.data, parts.sum, bytes.length);
    return linked;
  }

  /** Adds the next block. False: another run has taken its number. */
  async add(session: string, block: Block, wait = this.#brief): Promise<boolean> {
    const { log, environment, witness, host } = this.place;
    const number = this.number + 1;
    const about = { environment, number, session, at: host.clock.now().toISOString() };
    const { bytes, sum } = encodeBlock(this.sum, about, block);
    let attempts = 0;
    const isAdded = await retry(async () => {
      attempts += 1;
      const added = await log
        .append(number, bytes, describeBlock(block))
        .catch((error: unknown) => {
          // An earlier attempt may still arrive.
          const isFinal = error instanceof StateProblem && !(error instanceof StoreUnavailable);
          throw isFinal && attempts === 1 ? new BlockRefused(error) : error;
        });
      if (added === "added") return true;
      // The number can also be taken by this block: clients and proxies repeat requests.
      const [existing] = await log.read(number - 1, 1);
      if (existing === undefined) {
        const what = `${log.place} reports that ${log.name(number)} exists, but does not return it.`;
        throw new StoreUnavailable("IVR671", what);
      }
      return existing.equals(bytes);
    }, wait);
    if (!isAdded) return false;
    for (const { entry, head } of block.linked ?? []) this.state.take(entry, head);
    this.#advance(session, block, sum, bytes.length);
    // A run that finds blocks missing under its lock releases it, too. This must not hide what is known.
    if (block.kind !== "released") witness.raise(nameOf(this.place), this);
    return true;
  }

  /** Applies everything of a block but its entries. */
  #advance(session: string, block: Block, sum: string, size: number): void {
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
    this.#since.bytes += size;
    this.#since.blocks += 1;
  }

  /** Whether the log ends with the last block that is known here, and has never reached further. */
  async isEnd(wait = this.#brief): Promise<boolean> {
    const { log, witness } = this.place;
    const { number, sum } = this;
    if ((witness.get(nameOf(this.place))?.number ?? 0) > number) return false;
    const kept = await retry(() => log.snapshot(), wait);
    if ((kept?.number ?? 0) > number) return false;
    const [end, ...more] = await retry(() => log.read(number - 1), wait);
    return end !== undefined && blockSum(end) === sum && more.length === 0;
  }

  /** Releases the lock of a session. Returns the log that ends with it; undefined if it did not. Never rejects. */
  async release(session: string, wait = this.#brief): Promise<LoadedLog | undefined> {
    const released: Block = { kind: "released", by: null };
    try {
      if (await this.add(session, released, wait)) return this;
      // Blocks of this session may be there, whose answers never came.
      const { loaded } = await load(this.place);
      if (loaded.held?.session !== session) return undefined;
      return (await loaded.add(session, released, wait)) ? loaded : undefined;
    } catch {
      // The next run on this machine sees that the process has ended. On another one, a person unlocks.
      return undefined;
    }
  }

  /** Keeps a snapshot, unless the store keeps every one and reading the blocks since the last one costs less. */
  async keepEndIfUseful(): Promise<void> {
    const { bytes, blocks } = this.#since;
    if (this.place.log.keepsAll && bytes < this.#kept && blocks < manyBlocks) return;
    await this.keepEnd();
  }

  /** Makes the end of the log known to every machine. Never rejects: the log has everything. */
  async keepEnd(): Promise<void> {
    const { number } = this;
    const snapshot = encodeSnapshot({
      environment: this.place.environment,
      number,
      log: this.sum,
      held: this.held,
      forced: this.isForced,
      moved_to: this.movedTo,
      state: this.state.snapshot(),
    });
    this.#kept = snapshot.length;
    this.#since = { bytes: 0, blocks: 0 };
    await askLog(this.place, (log) => log.keep(number, snapshot)).catch(() => {});
  }

  /** Refuses a state that is not there, is not the one that ivrctl.yaml names, or was moved away. */
  async refuse(accepts: Claim["accepts"] = []): Promise<void> {
    const { log, environment, id } = this.place;
    const { origin } = this.state;
    if (id !== undefined && origin?.id !== id && !accepts.includes("missing")) {
      if (origin === null) throw await missing(this.place);
      const what = `The log at ${log.place} belongs to the state ${origin.id}, but ivrctl.yaml has ${id}.`;
      throw new StateProblem("IVR629", what, await log.restoreHint());
    }
    if (this.movedTo === null || accepts.includes("moved")) return;
    throw movedAway(environment, log.place, this.movedTo);
  }

  get #brief() {
    return briefWait(this.place.host.clock);
  }
}

/** Reading so many blocks takes longer than a snapshot, however small they are. */
const manyBlocks = 100;

/** The ids of all states of the environment at this place. */
export function idsAt(place: LogPlace): Promise<readonly string[]> {
  return askLog(place, async (log) => (await log.ids?.()) ?? []);
}

/** Under which name the witness remembers the log. */
function nameOf({ log, id }: LogPlace): string {
  return id === undefined ? log.place : `${log.place} ${id}`;
}

/** Returns why a log does not end with the last block of a session. */
export async function lostLock(place: LogPlace): Promise<StateProblem> {
  let held: LoadedLog["held"] = null;
  try {
    ({ held } = (await load(place)).loaded);
  } catch (error) {
    const isAnswer = error instanceof StateProblem && !(error instanceof StoreUnavailable);
    // A newer ivrctl may hold the lock now. It is no answer that this run has changed nothing.
    if (isAnswer && error.code !== "IVR602") return error;
  }
  const now = held === null ? "" : ` ${held.lock.by} on ${held.lock.host} holds it now.`;
  return new StateProblem(
    "IVR601",
    `Another process released the lock of ${place.environment} while this run held it (${place.log.place}).${now} This run records nothing more.`,
    "Find out who released the lock. Run the command again when no other run is in progress.",
  );
}

/** The problem of a state that ivrctl.yaml names, and that is not there. */
async function missing(place: LogPlace): Promise<StateProblem> {
  const { log, environment, id: named = "", isMoving, witness } = place;
  const others = (await idsAt(place)).filter((id) => id !== named);
  const what = `There is no state ${named} of ${environment} at ${log.place}.`;
  const there = others.length === 0 ? "" : ` The states there: ${others.join(", ")}.`;
  const argv = suggest("state migrate", [], environment);
  if (isMoving) {
    const hint = { words: "Move the state here from the backend under `from:`:", argv };
    return new StateProblem("IVR629", `${what}${there}`, hint);
  }
  const restore = await log.restoreHint(witness.get(nameOf(place)));
  const lost = suggest("state init", [], environment, ["--recover"]);
  const left = log.elsewhere?.();
  const before = witness.placesOf(named).find((one) => one !== log.place);
  const [near] = nearest(named, others);
  const cases = [
    ...(left ? [`It is in ${left}. If the project was moved, move this folder, too.`] : []),
    ...(before
      ? [
          {
            words: `This machine has used it at ${before}. If the backend was changed, add the old one as \`from:\` under \`state:\` in ivrctl.yaml. Then run:`,
            argv,
          },
        ]
      : []),
    ...(near ? [`If the id in ivrctl.yaml is mistyped: did you mean ${near}?`] : []),
  ];
  const usual =
    "Check `state:` in ivrctl.yaml: the id and the backend must be the same as in the last apply.";
  return new StateProblem("IVR629", `${what}${there}`, {
    words: cases.length === 0 ? usual : "Choose what fits:",
    otherwise: [
      ...cases,
      ...separateHints(withSentence("If it was deleted, restore it.", restore)),
      {
        words:
          "Only if it is lost for good, initialize a new state. Then you record from the console which menus exist:",
        argv: lost,
      },
    ],
  });
}

/** Returns the problem of a state that was moved to a different store. */
export function movedAway(environment: string, from: string, to: string): StateProblem {
  return new StateProblem(
    "IVR674",
    `The state of ${environment} was moved from ${from} to ${to}.`,
    'Write the new backend under `state:` in ivrctl.yaml. If that backend is lost, read "Move to a different backend" in `ivrctl explain state-backends`.',
  );
}

/** The problem of a log without a block that this machine has seen. */
async function setBack({ log, witness }: LogPlace, last: number, remembered: Seen) {
  const { number: seen } = remembered;
  const how =
    last === 0
      ? `There is no log at ${log.place}, but this machine knows its entry ${seen}`
      : last < seen
        ? `The log at ${log.place} ends with entry ${last}, but this machine knows entry ${seen}`
        : `The log at ${log.place} has a different entry ${seen} than this machine knows`;
  return new StateProblem(
    "IVR629",
    `${how}. Menus that were recorded in the missing entries would be created again.`,
    {
      words: "Choose what fits:",
      otherwise: [
        ...separateHints(
          withSentence(
            "If it was changed or set back, restore it.",
            await log.restoreHint(remembered),
          ),
        ),
        `Only if you are sure that the log is right as it is, delete ${witness.file}. If it is not, menus are created a second time.`,
      ],
    },
  );
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
