import { type Lock, describeLock } from "../deploy/state/store.ts";
import { type Audience, visible } from "./terminal.ts";

/** Prints who holds the lock, and how long ivrctl waits for it. */
export function sayWaitingForLock(
  environment: string,
  lock: Lock,
  seconds: number,
  { globals, terminal }: Pick<Audience, "globals" | "terminal">,
): void {
  if (globals.quiet) return;
  const who = visible(describeLock(lock));
  terminal.say(
    `The state of ${environment} is locked by ${who}. Waiting up to ${seconds} s for the lock.\n`,
  );
}
