import { randomUUID } from "node:crypto";
import { lockLost, lockOf, takeLock } from "../lock.ts";
import { refuseMarked } from "../marks.ts";
import { briefWait, retry } from "../retry.ts";
import { isDead, ownIdentity, whoami } from "../process-identity.ts";
import { type Claim, type Lock, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import type { Log } from "./log.ts";
import type { LogState } from "./log-state.ts";
import type { Where } from "./objects.ts";
import { unconditional } from "./problems.ts";
import type { Host } from "../../../util/host.ts";

/*
 * Taking the lock adds an object to the log, and so does releasing it. Only the holder of the
 * lock adds the next object. If another run releases the lock, the holder finds its next
 * number taken. An object store cannot tell whether the holder is alive. So a lock is taken
 * over only if its process ran on this machine and has ended.
 */

interface Taken {
  readonly session: string;
  /** The lock that was taken over from a dead process. */
  readonly previous: Lock | undefined;
}

/** The maximum number of milliseconds between two attempts to take the lock. */
const longestPause = 1000;

export function take(log: Log, claim: Claim, host: Host) {
  let isFirst = true;
  const attempt = async () => {
    if (!isFirst) await log.catchUp();
    isFirst = false;
    const { held, where } = log.result;
    refuseMarked(log.result, where.environment, where.address, claim.accepts);
    if (held !== null && !isDead(held.lock, host.machine)) {
      return { kind: "held", lock: lockOf(held.lock) } as const;
    }
    const session = await tryTake(log, claim, host);
    if (session === undefined) return { kind: "again" } as const;
    const previous = held === null ? undefined : lockOf(held.lock);
    return { kind: "taken", taken: { session, previous } } as const;
  };
  return takeLock<Taken>(claim, host.clock, attempt, longestPause);
}

/** How often to try to release the lock while its holder adds to the log. */
const maxTries = 200;

/** Ends the lock with this id and returns it. Its holder can add nothing more, because its next number is taken. */
export async function unlock(log: Log, id: string, { clock, machine }: Host): Promise<Lock | null> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const { held } = log.result;
    if (held === null) return null;
    if (held.lock.id !== id) return lockOf(held.lock);
    const next = log.next({ kind: "released", by: whoami(machine) }, held.session, clock.now());
    if (await retry(() => log.overtake(next), briefWait(clock))) return lockOf(held.lock);
  }
  throw new StateProblem(
    "IVR604",
    `The lock ${id} could not be released in ${maxTries} attempts: its run is still writing to the log.`,
    "Stop that run, or try to release the lock again.",
  );
}

/** Returns the problem of a run that finds its number taken. */
export function lockLostProblem({ held, where }: LogState): StateProblem {
  return lockLost(` of ${where.environment}`, where.address, held?.lock ?? null);
}

async function tryTake(
  log: Log,
  { id, by, command }: Claim,
  { clock, machine }: Host,
): Promise<string | undefined> {
  const now = clock.now();
  const lock = { id, by, command, since: now.toISOString(), ...ownIdentity(machine) };
  // A pipeline may use its id twice, so the id does not identify a lock.
  const session = randomUUID();
  const next = log.next({ kind: "locked", held: { session, lock } }, session, now);
  return (await retry(() => log.add(next), briefWait(clock))) ? session : undefined;
}

/** The number of parallel requests for the same object. */
const probeCount = 8;

/**
 * Refuses a store that overwrites objects. Usually one request is enough: the probe of an
 * earlier run exists, so the store must refuse to create it again. In a new environment that
 * request succeeds and proves nothing. Then several requests create one other object at the
 * same time, and only one of them may succeed.
 */
export async function probe(bucket: Bucket, { environment }: Where): Promise<void> {
  const folder = encodeURIComponent(environment);
  if ((await bucket.create(`${folder}/probe`, content)) === "taken") return;
  const key = `${folder}/probes/${randomUUID()}`;
  const asked = await Promise.allSettled(
    Array.from({ length: probeCount }, () => bucket.create(key, content)),
  );
  const made = asked.filter((one) => one.status === "fulfilled" && one.value === "created");
  if (made.length > 1) {
    throw new StateProblem(
      "IVR676",
      `${bucket.address} ignores If-None-Match: ${made.length} of ${probeCount} simultaneous requests created the same object.${unconditional}`,
      "Try a bucket without versioning: some stores ignore If-None-Match only in a bucket with versioning.",
    );
  }
  // One answer `taken` is enough. Requests that failed for another reason prove nothing.
  if (asked.some((one) => one.status === "fulfilled" && one.value === "taken")) return;
  for (const one of asked) if (one.status === "rejected") throw one.reason;
}

const content = Buffer.from(
  "ivrctl created this object to check that the store honors If-None-Match.\n",
);
