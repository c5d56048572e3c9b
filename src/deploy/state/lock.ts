import * as z from "zod/mini";
import type { FilePlace } from "../../diagnostics/diagnostic.ts";
import { pause } from "./persist.ts";
import { type Claim, type Lock, StateProblem } from "./store.ts";

export type Attempt<T> =
  | { readonly kind: "taken"; readonly taken: T }
  | { readonly kind: "held"; readonly lock: Lock }
  /** The lock has just changed hands: try again at once. */
  | { readonly kind: "again" };

/** Milliseconds between two attempts at first. */
const firstPause = 100;

/** Tries to take a lock until it succeeds, or the time that the claim waits is over. */
export async function takeLock<T>(
  { wait, signal }: Claim,
  attempt: () => Promise<Attempt<T>>,
  longestPause = firstPause,
): Promise<Exclude<Attempt<T>, { kind: "again" }>> {
  const deadline = performance.now() + wait;
  for (let next = firstPause; ;) {
    signal?.throwIfAborted();
    const tried = await attempt();
    if (tried.kind === "taken") return tried;
    if (tried.kind === "again") {
      next = firstPause;
      continue;
    }
    const left = deadline - performance.now();
    if (left <= 0) return tried;
    await pause(Math.min(left, next), signal);
    next = Math.min(2 * next, longestPause);
  }
}

/** The error of a session whose lock somebody else has released. `of` is empty or names the environment. */
export function lockLost(
  of: string,
  place: string,
  now: Pick<Lock, "by" | "host"> | null,
  at?: FilePlace,
): StateProblem {
  const who = now === null ? "" : ` ${now.by} on ${now.host} holds it now.`;
  return new StateProblem(
    "IVR601",
    `Another process released the lock${of} while this run held it (${place}).${who} This run records nothing more.`,
    "Find out who released the lock. Run the command again when no other run is in progress.",
    at,
  );
}

/** A lock as it is written where only the process itself shows whether its holder is alive. */
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

/** The part of a written lock that people see. */
export function lockOf({ id, by, command, since, host, pid }: Lock): Lock {
  return { id, by, command, since, host, pid };
}
