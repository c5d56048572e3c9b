import * as z from "zod/mini";
import { type Claim, type Lock, StateProblem } from "./store.ts";
import type { Clock } from "../../util/host.ts";

export type Attempt<T> =
  | { readonly kind: "taken"; readonly taken: T }
  | { readonly kind: "held"; readonly lock: Lock }
  /** Another run has just taken or released the lock: try again without a pause. */
  | { readonly kind: "again" };

/** Milliseconds between the first two attempts. */
const firstPause = 100;

/** Tries to take a lock until it succeeds or the waiting time of the claim is over. */
export async function takeLock<T>(
  { wait, signal }: Claim,
  clock: Clock,
  attempt: () => Promise<Attempt<T>>,
  longestPause = firstPause,
): Promise<Exclude<Attempt<T>, { kind: "again" }>> {
  const deadline = clock.elapsed() + wait;
  for (let next = firstPause; ;) {
    signal?.throwIfAborted();
    const tried = await attempt();
    if (tried.kind === "taken") return tried;
    if (tried.kind === "again") {
      next = firstPause;
      continue;
    }
    const left = deadline - clock.elapsed();
    if (left <= 0) return tried;
    // A signal ends the wait, and is reported above.
    await clock.sleep(Math.min(left, next), signal).catch(() => {});
    next = Math.min(2 * next, longestPause);
  }
}

/** Returns the problem of a session whose lock another process has released. `of` is empty or " of ENVIRONMENT". */
export function lockLost(
  of: string,
  place: string,
  now: Pick<Lock, "by" | "host"> | null,
): StateProblem {
  const who = now === null ? "" : ` ${now.by} on ${now.host} holds it now.`;
  return new StateProblem(
    "IVR601",
    `Another process released the lock${of} while this run held it (${place}).${who} This run records nothing more.`,
    "Find out who released the lock. Run the command again when no other run is in progress.",
  );
}

/** Returns the problem of a state that was moved to a different store. */
export function movedAway(environment: string, from: string, to: string): StateProblem {
  return new StateProblem(
    "IVR674",
    `The state of ${environment} was moved from ${from} to ${to}.`,
    'Name the new store under `state:` in ivrctl.yaml. If that store is lost, see "Migrate to a different store" in docs/state.md.',
  );
}

/** A lock as it is stored, with everything that identifies the holder's process. */
export const ProcessLock = z.object({
  id: z.string(),
  by: z.string(),
  command: z.string(),
  since: z.string(),
  host: z.string(),
  pid: z.nullable(z.int().check(z.positive())),
  boot: z.nullable(z.string()),
  pid_namespace: z.nullable(z.string()),
  started: z.nullable(z.string()),
});
export type ProcessLock = z.infer<typeof ProcessLock>;

/** Returns the part of a stored lock that messages show. */
export function shownLock({ id, by, command, since, host, pid }: Lock): Lock {
  return { id, by, command, since, host, pid };
}
