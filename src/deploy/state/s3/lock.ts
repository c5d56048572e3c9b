import { randomUUID } from "node:crypto";
import { beingFilled, movedAway } from "../moved.ts";
import { pause } from "../pause.ts";
import { brief, persist } from "../persist.ts";
import { isDead, ownIdentity } from "../file/process-identity.ts";
import { type Claim, type Lock, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import type { Log } from "./log.ts";
import type { Held, Where } from "./objects.ts";
import { unconditional } from "./problems.ts";
import type { Standing } from "./standing.ts";

/*
 * Taking the lock is an object of the log, and so is its release. The run that holds the
 * lock adds the next object. If another run releases the lock, the holder finds its next
 * number taken. An object store cannot tell whether the holder is alive, so only the lock
 * of a dead process of this machine is taken over.
 */

export type Taken =
  | { readonly kind: "taken"; readonly session: string; readonly over: Lock | undefined }
  | { readonly kind: "held"; readonly lock: Lock };

/** Milliseconds between two looks at the lock of another run. */
const firstLook = 100;
const laterLook = 1000;

export async function take(log: Log, claim: Claim, now: () => Date): Promise<Taken> {
  const deadline = performance.now() + claim.wait;
  for (let wait = firstLook; ; wait = Math.min(2 * wait, laterLook)) {
    claim.signal?.throwIfAborted();
    refuseFilling(log, claim.accepts);
    refuseMoved(log, claim.accepts);
    const { held } = log.standing;
    if (held === null || isDead(held.process)) {
      const session = await grasp(log, claim, now());
      if (session !== undefined) return { kind: "taken", session, over: held?.lock };
      // Another run was faster. The log says which.
      await log.catchUp();
      wait = firstLook;
      continue;
    }
    const left = deadline - performance.now();
    if (left <= 0) return { kind: "held", lock: held.lock };
    await pause(Math.min(left, wait), claim.signal);
    await log.catchUp();
  }
}

export function refuseMoved({ standing }: Log, accepted: Claim["accepts"] = []): void {
  const { movedTo, where } = standing;
  if (movedTo === null || accepted.includes("moved")) return;
  throw movedAway(where.environment, where.address, movedTo);
}

export function refuseFilling({ standing }: Log, accepted: Claim["accepts"] = []): void {
  const { filling, where } = standing;
  if (filling === null || accepted.includes("filling")) return;
  throw beingFilled(where.environment, where.address, filling);
}

/** Returns null also if the holder is known to be dead: nobody has to wait for it. */
export function holderOf(held: Held | null): Lock | null {
  return held === null || isDead(held.process) ? null : held.lock;
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
    const { held } = log.standing;
    if (held === null || held.lock.id !== id) return held?.lock ?? null;
    const next = log.next({ kind: "released", by }, held.session, now());
    if (await persist(() => log.overtake(next), brief)) return held.lock;
  }
  throw new StateProblem(
    "IVR672",
    `The run that holds the lock ${id} adds to the log all the time, and was faster each of ${mostTries} times.`,
    "It is not dead. Stop it, or release the lock once more.",
  );
}

/** The error of a run that finds its number taken. */
export function lostBy({ held, where }: Standing): StateProblem {
  const who = held === null ? "" : ` It is now held by ${held.lock.by} on ${held.lock.host}.`;
  return new StateProblem(
    "IVR601",
    `The lock of ${where.environment} was released by somebody else while this run held it (${where.address}), so nothing more is recorded.${who}`,
    "Find out who released it, and run the command again when no other run is under way.",
  );
}

async function grasp(log: Log, { id, by, command }: Claim, now: Date): Promise<string | undefined> {
  const process = ownIdentity();
  const { host, pid } = process;
  const lock = { id, by, command, since: now.toISOString(), host, pid };
  // A pipeline may use its id twice, so the id does not identify a lock.
  const session = randomUUID();
  const next = log.next({ kind: "locked", held: { session, lock, process } }, session, now);
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
      `${bucket.address} ignores If-None-Match: of ${many} who asked for one object at once, ${made.length} were told that they had made it.${unconditional}`,
      "Some stores do so in a bucket with versioning alone: then use one without.",
    );
  }
  // One answer `taken` is enough; requests that failed for another reason show nothing.
  if (asked.some((one) => one.status === "fulfilled" && one.value === "taken")) return;
  for (const one of asked) if (one.status === "rejected") throw one.reason;
}

const content = Buffer.from("ivrctl made this to see whether the store honours If-None-Match.\n");
