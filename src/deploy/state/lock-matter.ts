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
  return matter("locked", [], facts, environment, { since: lock.since });
}
