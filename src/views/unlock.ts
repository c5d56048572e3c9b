import { type Lock, describeLock } from "../deploy/state/store.ts";
import type { Result } from "../cli/result.ts";
import { visible } from "./terminal.ts";

interface Shown {
  readonly environment: string | null;
  readonly id: string;
  readonly released: Lock | null;
}

/** What was released. */
export function unlockedResult(
  { environment, id, released }: Shown,
  hasErrors: boolean,
): Pick<Result, "summary" | "notes"> {
  if (released === null) {
    const none = `The state of ${environment} has no lock with the id ${visible(id)}.\n`;
    return { notes: hasErrors ? "" : none };
  }
  return { summary: `Released the lock of ${visible(describeLock(released))}.\n` };
}
