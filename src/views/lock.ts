import { type Lock, describeLock } from "../deploy/state/store.ts";
import { type Audience, visible } from "./terminal.ts";

/** Whoever waits knows for whom, and for how long at the most. */
export function sayLockWaitedFor(
  environment: string,
  lock: Lock,
  seconds: number,
  { globals, terminal }: Pick<Audience, "globals" | "terminal">,
): void {
  if (globals.quiet) return;
  const who = visible(describeLock(lock));
  terminal.say(
    `The state of ${environment} is locked by ${who}. It is waited for, up to ${seconds} s.\n`,
  );
}
