import { randomUUID } from "node:crypto";
import type { Clock, Host } from "../../../util/host.ts";
import type { ProcessLock } from "../lock.ts";
import { isDead, ownIdentity, whoami } from "../process-identity.ts";

/** What a log needs from the process and the machine. */
export interface LogHost {
  readonly clock: Clock;
  /** Returns USER@HOST. */
  whoami(): string;
  identity(): Pick<ProcessLock, "host" | "pid" | "boot" | "pid_namespace" | "started">;
  /** Whether the process of a lock has certainly ended. */
  isDead(lock: ProcessLock): boolean;
  uuid(): string;
}

export function logHost({ clock, machine }: Pick<Host, "clock" | "machine">): LogHost {
  return {
    clock,
    whoami: () => whoami(machine),
    identity: () => ownIdentity(machine),
    isDead: (lock) => isDead(lock, machine),
    uuid: randomUUID,
  };
}
