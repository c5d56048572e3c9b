import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { failedWith } from "../../util/disk.ts";
import type { Clock, Host, Machine } from "../../util/host.ts";
import type { Lock } from "./lock.ts";

/** Identifies a process. A field is null if the system does not report it. */
interface ProcessIdentity {
  readonly host: string;
  readonly pid: number | null;
  readonly boot: string | null;
  readonly pid_namespace: string | null;
  /** The start time as the kernel counts it. A PID can be used again, but not with the same start time. */
  readonly started: string | null;
}

/** Returns USER@HOST, for locks and the history. */
function whoami(machine: Machine): string {
  let name = "unknown";
  try {
    name = machine.user();
  } catch {
    // The user has no entry, as in some containers.
  }
  return `${name}@${machine.name}`;
}

export function ownIdentity(machine: Machine): ProcessIdentity {
  const { name: host, pid } = machine;
  return {
    host,
    pid,
    boot: fromSystem(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
    pid_namespace: fromSystem(() => pidNamespace(pid)),
    started: processAt(pid)?.started ?? null,
  };
}

/**
 * Whether the process is certainly dead: it belongs to this machine, this boot and this PID
 * namespace, and no process has its PID and start time. In case of doubt it counts as alive.
 */
function isDead(other: ProcessIdentity, machine: Machine): boolean {
  const own = ownIdentity(machine);
  if (own.boot === null || own.pid_namespace === null || own.started === null) return false;
  if (other.host !== own.host || other.boot !== own.boot) return false;
  if (other.pid_namespace !== own.pid_namespace) return false;
  if (other.pid === null || other.started === null) return false;
  // Ask the kernel first, because /proc may hide the processes of other users.
  if (!exists(other.pid, machine)) return true;
  const candidate = processAt(other.pid);
  return candidate !== null && (candidate.started !== other.started || candidate.ended);
}

/** Whether the process of a lock runs on this machine, or may do so. */
export function runsHere(lock: Lock, machine: Machine): boolean {
  const { host, pid } = lock;
  return host === machine.name && pid !== null && exists(pid, machine) && !isDead(lock, machine);
}

function exists(pid: number, machine: Machine): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch (error) {
    return !failedWith(error, "ESRCH");
  }
}

function processAt(pid: number): { readonly started: string; readonly ended: boolean } | null {
  const stat = fromSystem(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name of the program is in brackets and may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields?.[0], fields?.[19]];
  if (state === undefined || started === undefined) return null;
  // A zombie has ended: it writes nothing more.
  return { started, ended: state === "Z" || state === "X" };
}

function pidNamespace(pid: number): string | null {
  // In the /proc of another namespace, our PIDs belong to other processes.
  if (readlinkSync("/proc/self") !== String(pid)) return null;
  return readlinkSync("/proc/self/ns/pid");
}

function fromSystem<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}

/** What a log needs from the process and the machine. */
export interface LogHost {
  readonly clock: Clock;
  /** Returns USER@HOST. */
  whoami(): string;
  identity(): Pick<Lock, "host" | "pid" | "boot" | "pid_namespace" | "started">;
  /** Whether the process of a lock has certainly ended. */
  isDead(lock: Lock): boolean;
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
