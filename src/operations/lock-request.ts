import { randomUUID } from "node:crypto";
import { type StepOutcome as Applied, isUnfinished } from "../deploy/apply/step-results.ts";
import type { Matter } from "../deploy/reasons/kinds.ts";
import { exitFor } from "../deploy/reasons/matter.ts";
import type { Refusal } from "../deploy/state/access.ts";
import { type Claim, describeLock } from "../deploy/state/lock.ts";
import type { ExitCode } from "../views/result.ts";
import { type Audience, visible } from "../views/terminal.ts";

/** The exit code of a command that did nothing, by reason. */
export const refusalCodes: Readonly<Record<Refusal, ExitCode>> = {
  failed: 1,
  declined: 1,
  locked: 4,
  interrupted: 130,
};

/** Returns the exit code for the most serious result or matter. */
export function worstExitCode(
  results: readonly Applied[],
  halted: boolean,
  failed: boolean,
  matters: readonly Matter[],
): ExitCode {
  const left = exitFor(matters);
  if (left === 3 || results.some(({ outcome }) => outcome === "unknown")) return 3;
  if (halted) return 130;
  const isLeft = (result: Applied) => isUnfinished(result) || result.outcome === "waiting";
  return failed || results.some(isLeft) ? 1 : left;
}

/** Returns the lock that a command requests. It waits for another run so many seconds. */
export function lockRequest(
  { terminal }: Pick<Audience, "terminal">,
  environment: string,
  command: string,
  { lockTimeout = 0, ...more }: Partial<Claim> & { readonly lockTimeout?: number | undefined },
): Claim {
  return {
    id: randomUUID().slice(0, 8),
    command,
    wait: lockTimeout * 1000,
    onWait: (lock, wait) => {
      const held = `The state of ${environment} is locked by ${visible(describeLock(lock))}.`;
      terminal.note(`${held} Waiting up to ${wait} s for the lock.\n`);
    },
    ...more,
  };
}
