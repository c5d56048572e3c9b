import { setImmediate as nextTurn } from "node:timers/promises";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import type * as Stores from "../../src/deploy/state/log/state-store.ts";
import type * as Moves from "../../src/deploy/state/transfer.ts";
import type { LogHost } from "../../src/deploy/state/process-identity.ts";
import type * as Records from "../../src/deploy/state/records.ts";
import type * as Retries from "../../src/deploy/state/retry.ts";
import type * as Problems from "../../src/deploy/state/lock.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { chainHash } from "../../src/deploy/state/entries.ts";
import { outcomeEvent } from "../../src/deploy/state/records.ts";
import { menuRecord, recordsOf } from "../../src/deploy/state/view.ts";
import { MemoryWitness } from "../support/memory-log.ts";
import { begun, created, failed, intent } from "./events.ts";

/*
 * A deterministic simulation of many runs on two logs. Every request, answer and pause is a step
 * that a seeded scheduler chooses. Runs crash, hang, lose answers, and have requests that arrive
 * late. People unlock and move the state, and somebody deletes blocks.
 */

/** The code under test, so that a changed copy of it can be tested, too. */
export type Modules = Pick<typeof Stores, "StateStore"> &
  Pick<typeof Moves, "moveState"> &
  Pick<typeof Retries, "StoreUnavailable"> &
  Pick<typeof Problems, "StateProblem"> &
  Pick<typeof Records, "Contradiction">;

type StateStore = Stores.StateStore;

/** A promise was broken. */
class Violation extends Error {}

export const count = {
  rounds: 0,
  steps: 0,
  crashes: 0,
  hangs: 0,
  lost: 0,
  late: 0,
  unlocks: 0,
  moves: 0,
  deletions: 0,
  noticed: 0,
  sends: 0,
  fenced: 0,
};

interface Process {
  readonly name: string;
  readonly machine: number;
  isAlive: boolean;
  hangsUntil: number;
}

interface Step {
  readonly process: Process;
  readonly due: number;
  readonly what: "request" | "answer" | "pause" | "late";
  readonly run: () => void;
}

interface Parsed {
  readonly number: number;
  readonly sum: string;
  readonly kind: string;
  readonly session: string;
  readonly lock?: { readonly id: string };
  readonly by?: string | null;
  readonly to?: string | null;
  readonly arrives?: true;
  readonly entries: readonly {
    readonly seq: number;
    readonly run: string;
    readonly event: StateEvent;
  }[];
}

/** What really is in a store, read without the code under test. */
interface Truth {
  readonly objects: Map<string, Buffer>;
  readonly parsed: Map<number, Parsed>;
  /** The ends of runs with a snapshot. If they are gone, every machine must notice it. */
  ends: Known[];
  isDamaged: boolean;
}

interface Known {
  readonly number: number;
  readonly sum: string;
}

const keys = ["a", "b", "c", "d", "e"];
const places = ["A", "B"] as const;
const machines = [0, 1, 2];

/** One random story. Throws a `Violation` if a promise is broken. */
export async function round(seed: number, modules: Modules): Promise<void> {
  const { StateStore, moveState, StoreUnavailable, StateProblem, Contradiction } = modules;
  const { chance, below, pick } = random(seed);
  const faults = {
    crash: pick([0, 0.004, 0.02]),
    hang: pick([0, 0.01, 0.04]),
    lost: pick([0, 0.03, 0.12]),
  };
  const sabotages = chance(0.3);
  const focus = pick(["anything", "unlock", "move"]);
  let isCalm = false;
  let time = 0;
  let ids = 0;
  let steps: Step[] = [];
  let problem: unknown;
  const fail = (why: string) => void (problem ??= new Violation(why));
  const processes: Process[] = [];
  const truths = { A: truth(), B: truth() };
  type PlaceName = keyof typeof truths;
  const witnesses = machines.map(() => new MemoryWitness());
  /** What each machine knows, recorded here and not by the code under test. */
  const knows = machines.map(() => new Map<string, Known>());
  const acknowledged: string[] = [];
  /** The sum before each block that ever was. */
  const parents = new Map<string, string>([["", ""]]);
  const menus = new Map<string, number>();
  count.rounds += 1;

  // The network.
  let outage = { place: "", until: 0 };
  const unavailable = () => new StoreUnavailable("IVR671", "no answer");

  function ask<T>(process: Process, place: string, effect: () => T, isWrite: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const answer = (run: () => void) => steps.push({ process, due: 0, what: "answer", run });
      const nothing = () => answer(() => reject(unavailable()));
      const run = () => {
        if (!isCalm && faults.lost > 0 && chance(0.002)) {
          outage = { place, until: time + below(10_000) };
        }
        const isAway = outage.place === place && time < outage.until;
        const share = isWrite ? faults.lost : faults.lost / 4;
        const isLost = !isCalm && chance(isAway ? 0.9 : share);
        if (isLost) count.lost += 1;
        if (isLost && isWrite && chance(0.3)) {
          count.late += 1;
          const late = () => void attempted(effect);
          steps.push({ process, due: time + below(8000), what: "late", run: late });
          return nothing();
        }
        if (isLost && (!isWrite || chance(0.4))) return nothing();
        const done = attempted(effect);
        if (isLost) return nothing();
        answer(() => ("error" in done ? reject(done.error) : resolve(done.value)));
      };
      steps.push({ process, due: 0, what: "request", run });
    });
  }

  function pause(process: Process, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason as Error);
      const run = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      steps.push({ process, due: time + milliseconds, what: "pause", run });
      signal?.addEventListener("abort", abort, { once: true });
      // A person interrupts a run that waits.
      if (milliseconds > 4000 && !isCalm && faults.crash > 0 && chance(0.4))
        process.isAlive = false;
    });
  }

  function logOf(process: Process, place: PlaceName): CommitLog {
    const { objects } = truths[place];
    const create = (key: string, bytes: Buffer) =>
      ask(
        process,
        place,
        () => {
          if (objects.has(key)) return "taken";
          if (!isCalm && faults.lost > 0 && bytes.includes('"arrives":true') && chance(0.1)) {
            throw new StateProblem("IVR604", "too large");
          }
          objects.set(key, bytes);
          checkCreated(place, key, bytes);
          return "added";
        },
        true,
      );
    const get = (key: string) => ask(process, place, () => objects.get(key), false);
    const list = (prefix: string) => ask(process, place, () => numbersIn(objects, prefix), false);
    return {
      place,
      name: (n) => `block ${n}`,
      restoreHint: async () => "Restore it.",
      numbers: () => list("log/"),
      async read(after, limit) {
        const numbers = (await list("log/")).filter((n) => n > after).slice(0, limit);
        const gap = numbers.findIndex((n, at) => n !== after + 1 + at);
        if (gap !== -1) throw new StateProblem("IVR603", `block ${after + 1 + gap} is missing`);
        const found = await Promise.all(numbers.map((n) => get(`log/${n}`)));
        return found.map((bytes) => {
          if (bytes === undefined) throw new StateProblem("IVR603", "a block is missing");
          return bytes;
        });
      },
      append: (n, bytes) => create(`log/${n}`, bytes),
      async snapshot() {
        const number = (await list("snapshot/")).at(-1);
        const bytes = number === undefined ? undefined : await get(`snapshot/${number}`);
        return number === undefined || bytes === undefined ? undefined : { number, bytes };
      },
      async keep(n, bytes) {
        await create(`snapshot/${n}`, bytes);
      },
      async close() {},
    };
  }

  // The checks.
  function checkCreated(place: PlaceName, key: string, bytes: Buffer): void {
    const actual = truths[place];
    const number = Number(key.split("/")[1]);
    if (key.startsWith("snapshot/")) {
      const of = actual.parsed.get(number);
      if (of === undefined && !actual.isDamaged)
        fail(`${place}: a snapshot of ${number} before its block`);
      if (of?.kind === "released" && of.by === null) actual.ends.push({ number, sum: of.sum });
      return;
    }
    const block = parsed(bytes);
    const body = bytes.toString("utf8", 0, bytes.lastIndexOf('{"sum"'));
    const before = [...parents.keys()].find((sum) => chainHash(sum, body) === block.sum);
    parents.set(block.sum, before ?? "");
    if (!sabotages) {
      const { holder } = stateOf(actual);
      const isAllowed = block.kind === "locked" || (block.by ?? null) !== null;
      if (!isAllowed && holder !== block.session) {
        fail(
          `${place}: block ${number} (${block.kind}) of ${block.session}, but ${holder} holds the lock`,
        );
      }
    }
    actual.parsed.set(number, block);
    if (!sabotages && places.every((name) => stateOf(truths[name]).isLive)) fail("two live states");
  }

  /** Whether a block comes before another one in its chain, even if it was deleted since. */
  function isBefore({ sum }: Known, block: Parsed | undefined): boolean {
    for (let at = block?.sum; at; at = parents.get(at)) if (at === sum) return true;
    return false;
  }

  const has = ({ parsed }: Truth, { number, sum }: Known) => parsed.get(number)?.sum === sum;

  /** Calls something that loads a log, and checks that it fails if and only if blocks are missing. */
  async function loading<T>(
    machine: number,
    place: PlaceName,
    act: () => Promise<T>,
    isComplete: (found: T) => boolean = () => true,
  ): Promise<T> {
    const actual = truths[place];
    const missing = () => {
      const seen = knows[machine]?.get(place);
      // Blocks below a newer snapshot of the same chain are missing in the history only.
      const snapshot = numbersIn(actual.objects, "snapshot/").at(-1) ?? 0;
      const known = [...actual.ends, ...(seen ? [seen] : [])];
      return known
        .filter(
          (block) =>
            !has(actual, block) && (block.number >= snapshot || actual.parsed.has(block.number)),
        )
        .filter((block) => !isBefore(block, actual.parsed.get(snapshot)))
        .map(({ number, sum }) => `${number} ${sum}`);
    };
    const before = missing();
    try {
      const found = await act();
      const still = missing().filter((block) => before.includes(block));
      if (still.length > 0 && isComplete(found)) {
        fail(`${place}: machine ${machine} did not notice that block ${still[0]} is gone`);
      }
      return found;
    } catch (error) {
      const isAlarm = error instanceof StateProblem && ["IVR603", "IVR629"].includes(error.code);
      if (isAlarm && actual.isDamaged) count.noticed += 1;
      else if (isAlarm) fail(`false alarm: ${error.message}`);
      throw error;
    }
  }

  /** Records that a machine has seen the block with the last of these entries. */
  function know(machine: number, place: PlaceName, isIn: (block: Parsed) => boolean): void {
    const actual = truths[place];
    const block = [...actual.parsed.values()].findLast(isIn);
    if (block === undefined) return;
    const { number, sum } = block;
    const witness = witnesses[machine]?.get(place);
    // A hung run learns of its block after another run of its machine went past it on a log that was set back.
    if (actual.isDamaged && (witness?.number ?? 0) > number) return;
    if (number >= (knows[machine]?.get(place)?.number ?? 0))
      knows[machine]?.set(place, { number, sum });
  }

  // The runs.
  function start(
    machine: number,
    act: (process: Process, store: (place: PlaceName) => StateStore) => Promise<void>,
  ): void {
    const process: Process = {
      name: `p${processes.length}`,
      machine,
      isAlive: true,
      hangsUntil: 0,
    };
    processes.push(process);
    const host: LogHost = {
      clock: {
        now: () => new Date(time),
        elapsed: () => time,
        sleep: (milliseconds, signal) => pause(process, milliseconds, signal),
        after: () => () => {},
      },
      whoami: () => "a person",
      identity: () => ({
        host: process.name,
        pid: null,
        boot: null,
        pid_namespace: null,
        started: null,
      }),
      isDead: ({ host: name }) => {
        const other = processes.find((candidate) => candidate.name === name);
        return other !== undefined && !other.isAlive && other.machine === machine;
      },
      uuid: () => `s${(ids += 1)}`,
    };
    const store = (place: PlaceName) =>
      new StateStore(logOf(process, place), {
        environment: "production",
        witness: witnesses[machine] ?? new MemoryWitness(),
        host,
      });
    act(process, store)
      .catch((error: unknown) => {
        if (error instanceof StateProblem && error.code === "IVR601") count.fenced += 1;
        const isExpected = [StoreUnavailable, StateProblem, Contradiction].some(
          (kind) => error instanceof kind,
        );
        if (!isExpected) problem ??= error;
      })
      .finally(() => (process.isAlive = false));
  }

  const claimOf = ({ name }: Process) => ({
    id: `lock of ${name}`,
    by: "ci",
    command: "apply",
    wait: 0,
  });

  async function locked(process: Process, store: StateStore): Promise<Session | undefined> {
    const place = store.place as PlaceName;
    const found = await loading(
      process.machine,
      place,
      () => store.lock(claimOf(process)),
      ({ kind }) => kind === "locked",
    );
    if (found.kind === "held") return undefined;
    know(process.machine, place, ({ lock }) => lock?.id === claimOf(process).id);
    return found.session;
  }

  async function record(
    process: Process,
    place: PlaceName,
    session: Session,
    event: StateEvent,
  ): Promise<void> {
    await session.append(event);
    const run = claimOf(process).id;
    acknowledged.push(shownEntry({ run, event }));
    know(process.machine, place, ({ entries }) => entries.some((entry) => entry.run === run));
  }

  async function apply(
    process: Process,
    store: StateStore,
    wanted: readonly string[],
  ): Promise<boolean> {
    const place = store.place as PlaceName;
    const session = await locked(process, store);
    if (session === undefined) return false;
    try {
      if (session.state.origin === null) return false;
      for (const { key, pending } of recordsOf(session.state, "menu")) {
        if (pending === null) continue;
        // A person looks at the service, and says what came of it.
        const exists = await ask(process, "service", () => menus.has(key), false);
        const as = exists ? "done" : "not-done";
        const found = outcomeEvent(pending, { how: "person", as, evidence: "looked" });
        await record(process, place, session, found);
      }
      const left = wanted.filter((key) => !menuRecord(session.state, key));
      const worker = async () => {
        for (let key = left.shift(); key !== undefined; key = left.shift()) {
          await record(process, place, session, intent(key));
          while (!session.isConfirmed) await session.confirm();
          const isMade = send(process, place, key);
          const answer = await ask(process, "service", () => isMade, false).catch(() => null);
          // Without an answer, the outcome stays open.
          if (answer === null) continue;
          const number = menuRecord(session.state, key)?.pending?.intent ?? 0;
          const outcome = answer ? created(key, number) : failed(key, number);
          await record(process, place, session, outcome);
        }
      };
      await Promise.all([worker(), worker(), worker()]);
    } catch (error) {
      const isLost = error instanceof StateProblem && error.code === "IVR601";
      if (isLost && !sabotages && stateOf(truths[place]).holder === sessionOf(process, place)) {
        fail(`${process.name} stops although it holds the lock: ${error.message}`);
      }
      throw error;
    } finally {
      await session.close();
      checkEnd(place, sessionOf(process, place));
    }
    return true;
  }

  /** A run that has released its lock leaves a snapshot, unless the store does not answer. */
  function checkEnd(place: PlaceName, session: string | undefined): void {
    const { parsed, objects } = truths[place];
    const end = [...parsed.values()].findLast((block) => block.session === session);
    if (end?.kind !== "released" || faults.lost > 0) return;
    if (!objects.has(`snapshot/${end.number}`)) fail(`${place}: no snapshot of ${end.number}`);
  }

  function sessionOf(process: Process, place: PlaceName): string | undefined {
    const { id } = claimOf(process);
    return [...truths[place].parsed.values()].findLast(({ lock }) => lock?.id === id)?.session;
  }

  /** A request leaves. The service creates a menu, or refuses. */
  function send(process: Process, place: PlaceName, key: string): boolean {
    count.sends += 1;
    const actual = truths[place];
    if (!actual.isDamaged) {
      const blocks = [...actual.parsed.values()].sort((one, other) => one.number - other.number);
      const { id } = claimOf(process);
      const mine = blocks.findLastIndex(({ lock }) => lock?.id === id);
      const session = blocks[mine]?.session;
      const isDurable = blocks.some(({ entries }) =>
        entries.some(
          ({ run, event }) => run === id && event.kind === "intent" && event.key === key,
        ),
      );
      if (!isDurable) fail(`sends ${key} without a durable intent`);
      const changed = blocks
        .slice(mine)
        .some((block) => ["entries", "moved"].includes(block.kind) && block.session !== session);
      if (changed) fail(`sends ${key} although another run has changed the state`);
    }
    if (chance(0.1)) return false;
    menus.set(key, (menus.get(key) ?? 0) + 1);
    if (!sabotages && (menus.get(key) ?? 0) > 1) fail(`${key} was created twice`);
    return true;
  }

  async function unlock(store: StateStore): Promise<void> {
    const lock = await store.unlock("none");
    if (lock !== null && (await store.unlock(lock.id))) count.unlocks += 1;
  }

  async function migrate(process: Process, from: StateStore, to: StateStore): Promise<void> {
    const claim = { ...claimOf(process), accepts: ["moved"] as const };
    const there = await to.lock(claim);
    if (there.kind === "held") return;
    try {
      const here = await from.lock(claim);
      if (here.kind === "held") return;
      try {
        const source = { store: from, session: here.session };
        await moveState("production", source, { store: to, session: there.session });
        count.moves += 1;
      } finally {
        await here.session.close();
      }
    } finally {
      await there.session.close();
    }
  }

  function sabotage(): void {
    const actual = truths[pick(places)];
    const last = actual.parsed.size;
    if (last < 3 || actual.isDamaged) return;
    count.deletions += 1;
    const from = last - below(Math.min(6, last - 1));
    // A backup of everything, so the snapshots are older, too.
    const isRestored = chance(0.3);
    for (const key of actual.objects.keys()) {
      const isNew = Number(key.split("/")[1]) >= from;
      if (isNew && (key.startsWith("log/") || isRestored)) actual.objects.delete(key);
    }
    for (let n = from; n <= last; n += 1) actual.parsed.delete(n);
    if (isRestored) actual.ends = actual.ends.filter(({ number }) => number < from);
    actual.isDamaged = true;
  }

  /** Somebody loses patience with a run that hangs. */
  let overrules = 0;
  function overrule(): void {
    overrules += 1;
    const machine = below(3);
    for (const place of places) start(machine, (_, store) => unlock(store(place)));
    for (const place of [...places, ...places]) {
      start(machine, async (process, store) => {
        for (let tries = 0; tries < 5; tries += 1) {
          if (await apply(process, store(place), keys)) return;
          await pause(process, 300);
        }
      });
    }
  }

  function read(machine: number, place: PlaceName): void {
    start(machine, async (_, store) => {
      const { state } = await loading(machine, place, () => store(place).read());
      know(machine, place, ({ entries }) => entries.some(({ seq }) => seq === state.serial));
    });
  }

  function startSomething(): void {
    const machine = below(3);
    const place = pick(places);
    const isFocus = chance(focus === "unlock" ? 0.4 : 0.5) && focus !== "anything";
    const what = isFocus ? (focus === "unlock" ? 10 : 16) : below(20);
    if (what < 10) {
      const wanted = keys.slice(0, 1 + below(keys.length));
      start(machine, async (process, store) => void (await apply(process, store(place), wanted)));
    } else if (what < 13) start(machine, (_, store) => unlock(store(place)));
    else if (what < 16) read(machine, place);
    else {
      const other = place === "A" ? "B" : "A";
      start(machine, (process, store) => migrate(process, store(place), store(other)));
    }
  }

  // The scheduler.
  async function step(): Promise<boolean> {
    await nextTurn();
    if (problem !== undefined) throw problem;
    steps = steps.filter(({ process, what }) => process.isAlive || what === "late");
    const isReady = ({ process, due, what }: Step) =>
      due <= time && (what === "late" || what === "request" || process.hangsUntil <= time);
    let ready = steps.filter(isReady);
    if (ready.length === 0) {
      if (steps.length === 0) return false;
      const dueAt = ({ process, due, what }: Step) =>
        what === "late" ? due : Math.max(due, process.hangsUntil);
      time = Math.min(...steps.map(dueAt));
      ready = steps.filter(isReady);
    }
    time += below(10);
    count.steps += 1;
    const chosen = pick(ready);
    steps.splice(steps.indexOf(chosen), 1);
    chosen.run();
    const alive = processes.filter(({ isAlive }) => isAlive);
    const process = chance(0.5) || alive.length === 0 ? chosen.process : pick(alive);
    if (!isCalm && process.isAlive) disturb(process);
    return true;
  }

  function disturb(process: Process): void {
    if (chance(faults.crash)) {
      count.crashes += 1;
      process.isAlive = false;
      // What is in the network may still arrive.
      steps = steps.flatMap((waiting) => {
        if (waiting.process !== process || waiting.what === "late") return [waiting];
        if (waiting.what !== "request" || chance(0.5)) return [];
        return [{ ...waiting, what: "late", due: time + below(8000) }];
      });
    } else if (chance(faults.hang)) {
      count.hangs += 1;
      process.hangsUntil = time + below(pick([5000, 5000, 20_000]));
      if (focus === "unlock" && overrules < 2 && chance(0.5)) overrule();
    }
  }

  const isOver = async () => {
    while (await step());
  };

  start(0, async (process, store) => {
    const session = await locked(process, store("A"));
    await session?.append(begun("production"));
    await session?.close();
  });
  await isOver();
  // The first run crashed. Nothing has begun.
  if (stateOf(truths.A).history.length === 0) return;
  const starts = 4 + below(8);
  const rate = pick([0.01, 0.03, 0.08]);
  for (let done = 0, more = below(400); done < starts || more > 0;) {
    if (done === starts) more = steps.length === 0 ? 0 : more - 1;
    else if (chance(rate) || steps.length === 0) {
      startSomething();
      done += 1;
    }
    if (sabotages && chance(0.01)) sabotage();
    await step();
  }
  isCalm = true;
  await isOver();
  if (Object.values(truths).some(({ isDamaged }) => isDamaged)) {
    for (const machine of machines) for (const place of places) read(machine, place);
    await isOver();
  }
  if (sabotages) return;
  // Whatever happened, a person and one more run finish it.
  for (const process of processes) process.isAlive = false;
  let isFinished = false;
  start(0, async (process, store) => {
    for (const place of places) await unlock(store(place));
    const lengthAt = (place: PlaceName) => stateOf(truths[place]).history.length;
    // Both can be marked as moved, if a move back was interrupted. The longer history is the one to move.
    const source = lengthAt("B") > lengthAt("A") ? "B" : "A";
    const isLive = (place: PlaceName) => stateOf(truths[place]).isLive;
    if (!places.some(isLive)) {
      await migrate(process, store(source), store(source === "A" ? "B" : "A"));
    }
    const live = places.find(isLive);
    if (live === undefined) return fail("no live state");
    const isOpen = async () => {
      const { state } = await store(live).read();
      return recordsOf(state, "menu").some(({ pending }) => pending !== null);
    };
    for (let tries = 0; keys.some((key) => !menus.has(key)) || (await isOpen()); tries += 1) {
      if (tries === 20) return fail("the last run does not finish");
      await apply(process, store(live), keys);
    }
    const history = await store(live).history();
    const texts = new Set(history.map(({ entry }) => shownEntry(entry)));
    for (const text of acknowledged) if (!texts.has(text)) fail(`lost: ${text}`);
    const { state } = await store(live).read();
    for (const key of keys) {
      if (menus.get(key) !== 1 || !menuRecord(state, key)?.current) fail(`${key} is not recorded`);
    }
    isFinished = true;
  });
  await isOver();
  if (!isFinished) throw problem ?? new Violation("the last run was refused");
}

function truth(): Truth {
  return { objects: new Map(), parsed: new Map(), ends: [], isDamaged: false };
}

function parsed(bytes: Buffer): Parsed {
  const lines = bytes.toString("utf8").trimEnd().split("\n");
  const { sum } = JSON.parse(lines.at(-1) ?? "") as { sum: string };
  const entries = lines.slice(1, -1).map((line) => JSON.parse(line) as Parsed["entries"][number]);
  return { ...(JSON.parse(lines[0] ?? "") as Omit<Parsed, "sum" | "entries">), sum, entries };
}

function shownEntry({ run, event }: { readonly run: string; readonly event: StateEvent }): string {
  return `${run}: ${JSON.stringify(event)}`;
}

function stateOf({ parsed }: Truth) {
  let holder: string | null = null;
  let isLive = false;
  const history: Parsed["entries"][number][] = [];
  for (let n = 1; ; n += 1) {
    const block = parsed.get(n);
    if (block === undefined) return { holder, isLive, history };
    if (block.kind === "locked") holder = block.session;
    if (block.kind === "released") holder = null;
    if (block.kind === "moved") isLive = block.to === null;
    if (block.arrives || block.entries[0]?.seq === 1) isLive = true;
    history.push(...block.entries);
  }
}

function numbersIn(objects: ReadonlyMap<string, Buffer>, prefix: string): number[] {
  return [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => Number(key.slice(prefix.length)))
    .sort((one, other) => one - other);
}

function attempted<T>(effect: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: effect() };
  } catch (error) {
    return { error };
  }
}

/** A generator of random numbers that a seed repeats (mulberry32). */
function random(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    chance: (share: number) => next() < share,
    below,
    pick: <T>(all: readonly T[]): T => all[below(all.length)] as T,
  };
}
