import { type Lock, describeLock } from "../deploy/state/store.ts";
import { type Terminal, visible } from "./terminal.ts";

/** Prints who holds the lock, and how long ivrctl waits for it. */
export function noteWaitingForLock(
  environment: string,
  lock: Lock,
  seconds: number,
  terminal: Terminal,
): void {
  const who = visible(describeLock(lock));
  terminal.note(
    `The state of ${environment} is locked by ${who}. Waiting up to ${seconds} s for the lock.\n`,
  );
}
