import { randomUUID } from "node:crypto";
import { beingFilled, movedAway } from "../moved.ts";
import { pause } from "../pause.ts";
import { isDead, ownIdentity } from "../process-identity.ts";
import { type Claim, type Lock, StateProblem } from "../store.ts";
import type { Log } from "./log.ts";
import type { Held } from "./log-object.ts";
import { brief, persist } from "../persist.ts";
import type { Standing } from "./standing.ts";

/**
 * A lock is an object of the log, and so is its end. Who holds it adds the next
 * object, and nobody else can: he would have to know it. Whether the holder is
 * alive no object store can tell; only of a process of this very machine it is known.
 */
export type Taken =
  | { readonly kind: "taken"; readonly session: string; readonly over: Lock | undefined }
  | { readonly kind: "held"; readonly lock: Lock };

/** Milliseconds between looks at a lock of another's. */
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
      // Another was faster; the log tells who.
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

/** One whose process is dead holds nobody up. */
export function holderOf(held: Held | null): Lock | null {
  return held === null || isDead(held.process) ? null : held.lock;
}

/** How often another is let past who adds to the log at the same time. */
const mostTries = 200;

/** Ends the lock of this id and returns it. Its holder adds nothing any more: the next number is taken. */
export async function unlock(
  log: Log,
  id: string,
  by: string,
  now: () => Date,
): Promise<Lock | null> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const { held } = log.standing;
    if (held === null || held.lock.id !== id) return null;
    const next = log.next({ kind: "released", by }, held.session, now());
    if (await persist(() => log.overtake(next), brief)) return held.lock;
  }
  throw new StateProblem(
    "IVR672",
    `The run that holds the lock ${id} adds to the log all the time, and was faster each of ${mostTries} times.`,
    "It is not dead. Stop it, or release the lock once more.",
  );
}

/** Told to whoever finds his number taken. */
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
  // The id may be a pipeline's own and given twice; the session makes two locks two.
  const session = randomUUID();
  const next = log.next({ kind: "locked", held: { session, lock, process } }, session, now);
  return (await persist(() => log.add(next), brief)) ? session : undefined;
}
