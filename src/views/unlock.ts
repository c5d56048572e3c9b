import { type Lock, describeLock } from "../deploy/state/store.ts";
import { suggest } from "../util/suggest.ts";
import type { Result } from "../cli/result.ts";
import { visible } from "./terminal.ts";

interface Shown {
  readonly environment: string | null;
  readonly id: string;
  readonly released: Lock | null;
  /** The flags that named the store, if any. */
  readonly target: string | undefined;
}

/** What was released, and what else may be locked. */
export function unlockedResult(
  { environment, id, released, target }: Shown,
  hasErrors: boolean,
): Pick<Result, "summary" | "notes"> {
  if (released === null) {
    const none = `The state of ${environment} has no lock with the id ${visible(id)}.\n`;
    return { notes: hasErrors ? "" : none };
  }
  const lines = otherLock(released, environment, target);
  return {
    summary: `Released the lock of ${visible(describeLock(released))}.\n`,
    notes: lines.map((line) => `${visible(line)}\n`).join(""),
  };
}

/** How to release the second lock of a migration. It locks two stores with one id, and both locks name its target. */
function otherLock(
  { id, command }: Lock,
  environment: string | null,
  releasedAt: string | undefined,
): readonly string[] {
  const target = /^state migrate (--to .+)$/s.exec(command)?.[1];
  if (target === undefined || environment === null) return [];
  const [other, flags] = releasedAt === target ? ["source", undefined] : ["target", target];
  return [
    `A migration also locks its ${other}. To release that lock, run:`,
    `  ${suggest("unlock", [id], environment, flags)}`,
  ];
}
