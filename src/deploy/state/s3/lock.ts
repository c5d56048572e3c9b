import { randomUUID } from "node:crypto";
import { lockLost, lockOf, takeLock } from "../lock.ts";
import { refuseMarked } from "../marks.ts";
import { brief, persist } from "../persist.ts";
import { isDead, ownIdentity } from "../process-identity.ts";
import { type Claim, type Lock, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import type { Log } from "./log.ts";
import type { LogState } from "./log-state.ts";
import type { Held, Where } from "./objects.ts";
import { unconditional } from "./problems.ts";

/*
 * Taking the lock is an object of the log, and so is its release. The run that holds the
 * lock adds the next object. If another run releases the lock, the holder finds its next
 * number taken. An object store cannot tell whether the holder is alive, so only the lock
 * of a dead process of this machine is taken over.
 */

interface Taken {
  readonly session: string;
  /** The lock that was taken over from a dead process. */
  readonly over: Lock | undefined;
}

/** The most milliseconds between two looks at the lock of another run. */
const longestPause = 1000;

export function take(log: Log, claim: Claim, now: () => Date) {
  let isFirst = true;
  const attempt = async () => {
    if (!isFirst) await log.catchUp();
    isFirst = false;
    const { held, where } = log.result;
    refuseMarked(log.result, where.environment, where.address, claim.accepts);
    if (held !== null && !isDead(held.lock)) {
      return { kind: "held", lock: lockOf(held.lock) } as const;
    }
    const session = await grasp(log, claim, now());
    if (session === undefined) return { kind: "again" } as const;
    const over = held === null ? undefined : lockOf(held.lock);
    return { kind: "taken", taken: { session, over } } as const;
  };
  return takeLock<Taken>(claim, attempt, longestPause);
}

/** Returns null also if the holder is known to be dead: nobody has to wait for it. */
export function holderOf(held: Held | null): Lock | null {
  return held === null || isDead(held.lock) ? null : lockOf(held.lock);
}

/** How often to try while the holder adds to the log at the same time. */
const mostTries = 200;

/** Releases the lock with this id and returns it. Its holder can add nothing more, because its next number is taken. */
export async function unlock(
  log: Log,
  id: string,
  by: string,
  now: () => Date,
): Promise<Lock | null> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const { held } = log.result;
    if (held === null) return null;
    if (held.lock.id !== id) return lockOf(held.lock);
    const next = log.next({ kind: "released", by }, held.session, now());
    if (await persist(() => log.overtake(next), brief)) return lockOf(held.lock);
  }
  throw new StateProblem(
    "IVR672",
    `The lock ${id} could not be released in ${mostTries} attempts: its run is still writing to the log.`,
    "Stop that run, or try to release the lock again.",
  );
}

/** The error of a run that finds its number taken. */
export function lostBy({ held, where }: LogState): StateProblem {
  return lockLost(` of ${where.environment}`, where.address, held?.lock ?? null);
}

async function grasp(log: Log, { id, by, command }: Claim, now: Date): Promise<string | undefined> {
  const lock = { id, by, command, since: now.toISOString(), ...ownIdentity() };
  // A pipeline may use its id twice, so the id does not identify a lock.
  const session = randomUUID();
  const next = log.next({ kind: "locked", held: { session, lock } }, session, now);
  return (await persist(() => log.add(next), brief)) ? session : undefined;
}

/** Parallel requests for the same object. */
const many = 8;

/**
 * Refuses a store that overwrites objects. Usually one request is enough: an earlier run
 * created the probe, so the store has to refuse it. In a new environment the probe is
 * created, which shows nothing. Then many requests for one other object compete, and
 * only one of them may succeed.
 */
export async function probe(bucket: Bucket, { environment }: Where): Promise<void> {
  const folder = encodeURIComponent(environment);
  if ((await bucket.create(`${folder}/probe`, content)) === "taken") return;
  const key = `${folder}/probes/${randomUUID()}`;
  const asked = await Promise.allSettled(
    Array.from({ length: many }, () => bucket.create(key, content)),
  );
  const made = asked.filter((one) => one.status === "fulfilled" && one.value === "created");
  if (made.length > 1) {
    throw new StateProblem(
      "IVR676",
      `${bucket.address} ignores If-None-Match: ${made.length} of ${many} simultaneous requests created the same object.${unconditional}`,
      "Try a bucket without versioning: some stores ignore If-None-Match only in a bucket with versioning.",
    );
  }
  // One answer `taken` is enough; requests that failed for another reason show nothing.
  if (asked.some((one) => one.status === "fulfilled" && one.value === "taken")) return;
  for (const one of asked) if (one.status === "rejected") throw one.reason;
}

const content = Buffer.from(
  "ivrctl created this object to check that the store honors If-None-Match.\n",
);
