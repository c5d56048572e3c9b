import { type Matter, matter } from "../reasons/kinds.ts";
import { type Lock, describeLock } from "./lock.ts";
/** Who holds the lock. A command that could not take it has its own reader. */
export function lockMatter(
  lock: Lock,
  environment: string,
  reader: "command" | "job" | "plan",
  hasEnded?: boolean,
): Matter {
  const facts = { who: describeLock(lock), id: lock.id, reader, hasEnded };
  const held = matter("locked", [], facts, environment, { since: lock.since });
  // The next apply takes over a lock that a dead run has left, so nobody has to do anything.
  return hasEnded === true ? { ...held, exit: 0 } : held;
}
