import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type Session, StateProblem } from "../../src/deploy/state/store.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { Random, seedOf } from "./random.ts";
import { fewerSeconds, seed } from "./settings.ts";
import { type Fate, Gate, type Reaches } from "../support/gate.ts";
import { freshPrefix, radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { claim } from "../state/conformance.ts";
import { begun, created, intent } from "../state/events.ts";

/*
 * Many sessions at once over a store that loses requests and answers, delays them, fails
 * and is busy, while a person releases locks at random. The other files here test whole runs.
 */

const server = radosgw(useCredentials);

/** The events of one session: requested and acknowledged. */
interface SessionLog {
  readonly id: string;
  /** In the order of the calls. */
  readonly asked: string[];
  readonly acknowledged: Set<string>;
}

/** A search that has kept nothing in so many rounds never will. */
const mostRounds = 40;

test(
  "acknowledged events exist once and in order, and no session writes into another one",
  { timeout: fewerSeconds * 2000 + 120_000 },
  async () => {
    const deadline = performance.now() + fewerSeconds * 1000;
    let [rounds, sessions, events, kept] = [0, 0, 0, 0];
    const worker = async () => {
      // On a busy machine, a person may release every lock before an event is written.
      while (performance.now() < deadline || (kept === 0 && rounds < mostRounds)) {
        rounds += 1;
        const round = await play(new Random(seedOf(seed, rounds)));
        sessions += round.logs.length;
        events += round.logs.reduce((sum, { asked }) => sum + asked.length, 0);
        kept += round.kept;
      }
    };
    // Each worker waits most of the time.
    await Promise.all(Array.from({ length: 4 }, worker));
    console.log(
      `To repeat it: npm run test:search -- --store s3-requests --seed ${seed}\n${rounds} rounds, ${sessions} sessions, ${events} events asked for, ${kept} kept`,
    );
    expect(kept).toBeGreaterThan(0);
  },
);

/** Runs some sessions and a person who releases locks, for some seconds. */
async function play(random: Random) {
  const gate = new Gate(server().port);
  await gate.open();
  onTestFinished(() => gate.close().catch(() => {}));
  const prefix = freshPrefix();
  const direct = storeAt(server().endpoint, prefix);
  const logs: SessionLog[] = [];
  const rate = random.pick([0, 0.05, 0.15, 0.3]);
  const faults = new Random(random.between(0, 1e9));
  gate.fate = () => (faults.chance(rate) ? fateBy(faults) : { kind: "pass" });
  const end = performance.now() + random.between(1500, 4000);
  const isOver = () => performance.now() > end;
  const runner = async (name: string, own: Random) => {
    const store = storeAt(gate.endpoint, prefix, { maxWait: own.between(300, 1500) });
    for (let at = 0; !isOver(); at += 1) {
      const id = `${name}-${at}`;
      const found = await store.lock(claim(id, { wait: 500 })).catch(ignoreExpected);
      if (found?.kind === "locked") logs.push(await write(found.session, id, own));
    }
  };
  const person = async (own: Random) => {
    while (!isOver()) {
      await sleep(own.between(50, 600));
      const holder = await direct.holder();
      if (holder !== null) await direct.unlock(holder.id).catch(ignoreExpected);
    }
  };
  const names = ["a", "b", "c"].slice(0, random.between(1, 3));
  await Promise.all([
    ...names.map((name) => runner(name, new Random(random.between(0, 1e9)))),
    person(new Random(random.between(0, 1e9))),
  ]);
  // Wait for late requests.
  await sleep(450);
  await gate.close();
  return { logs, kept: await check(direct, logs) };
}

async function write(session: Session, id: string, random: Random): Promise<SessionLog> {
  const log: SessionLog = { id, asked: [], acknowledged: new Set() };
  const asking: Promise<void>[] = [];
  const append = (...events: StateEvent[]) => {
    const names = events.map(nameOf);
    log.asked.push(...names);
    const asked = session
      .append(...events)
      .then(() => names.forEach((name) => log.acknowledged.add(name)), ignoreExpected);
    asking.push(asked.then(() => {}));
    return asked;
  };
  if (session.state.origin === null) await append(begun("production"));
  for (let left = random.between(0, 12); left > 0; left -= 1) {
    const key = `${id}-${left}`;
    if (session.state.origin === null) break;
    const asked = random.chance(0.2)
      ? append(intent(key), created(key))
      : append(intent(key)).then(() => undefined);
    if (random.chance(0.6)) await asked;
    if (random.chance(0.1)) await sleep(random.between(1, 300));
  }
  await Promise.all(asking);
  await session.close();
  return log;
}

async function check(
  store: ReturnType<typeof storeAt>,
  logs: readonly SessionLog[],
): Promise<number> {
  const history = await store.history();
  const { state, notes } = await store.read();
  expect(notes).toEqual([]);
  expect([state.serial, state.head]).toEqual([history.length, history.at(-1)?.head ?? ""]);
  const runs = history.map(({ entry }) => entry.run);
  const blocks = runs.filter((run, at) => run !== runs[at - 1]);
  expect(new Set(blocks).size).toBe(blocks.length);
  for (const { id, asked, acknowledged } of logs) {
    const there = history
      .filter(({ entry }) => entry.run === id)
      .map(({ entry }) => nameOf(entry.event));
    // The log has the first events of the session, and at least all acknowledged ones.
    expect(there).toEqual(asked.slice(0, there.length));
    expect([...acknowledged].filter((name) => !there.includes(name))).toEqual([]);
  }
  const known = new Set(logs.map(({ id }) => id));
  expect(blocks.filter((run) => !known.has(run))).toEqual([]);
  return history.length;
}

function nameOf(event: StateEvent): string {
  return "key" in event ? `${event.kind} ${event.key}` : event.kind;
}

/** Ignores a lost lock and an unavailable store. Throws every other error. */
function ignoreExpected(error: unknown): undefined {
  if (error instanceof StateProblem && /^IVR(?:601|671)$/.test(error.code)) return undefined;
  throw error;
}

function fateBy(random: Random): Fate {
  const reaches = random.pick<Reaches>(["never", "first", random.between(1, 400)]);
  switch (random.between(0, 3)) {
    case 0:
      return { kind: "cut", reaches };
    case 1:
      return { kind: "answer", status: 500, code: "InternalError", reaches };
    case 2:
      return { kind: "answer", status: 503, code: "SlowDown", reaches: "never" };
    default:
      return { kind: "pass", after: random.between(1, 400) };
  }
}
