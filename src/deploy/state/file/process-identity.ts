import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { failedWith } from "../../../util/disk.ts";

/** What tells one process from every other; null where the system does not say. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number | null;
  readonly boot: string | null;
  readonly pid_namespace: string | null;
  /** When it started, as the kernel counts: a PID is given again, but not at the same time. */
  readonly started: string | null;
}

export function ownIdentity(): ProcessIdentity {
  const { pid } = process;
  return {
    host: hostname(),
    pid,
    boot: fromSystem(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
    pid_namespace: fromSystem(pidNamespace),
    started: processAt(pid)?.started ?? null,
  };
}

/**
 * Whether the process is dead for certain: one of this machine, this boot and
 * this PID namespace, with no process of its PID and start time. What cannot be
 * known is not dead.
 */
export function isDead(other: ProcessIdentity): boolean {
  const own = ownIdentity();
  if (own.boot === null || own.pid_namespace === null || own.started === null) return false;
  if (other.host !== own.host || other.boot !== own.boot) return false;
  if (other.pid_namespace !== own.pid_namespace) return false;
  if (other.pid === null || other.started === null) return false;
  // Asked of the kernel: /proc may hide the processes of others.
  if (!exists(other.pid)) return true;
  const found = processAt(other.pid);
  return found !== null && (found.started !== other.started || found.ended);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !failedWith(error, "ESRCH");
  }
}

function processAt(pid: number): { readonly started: string; readonly ended: boolean } | null {
  const stat = fromSystem(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name of the program stands in brackets and may hold any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields?.[0], fields?.[19]];
  if (state === undefined || started === undefined) return null;
  // A zombie writes nothing any more; it only waits to be counted.
  return { started, ended: state === "Z" || state === "X" };
}

function pidNamespace(): string | null {
  // A /proc of another namespace would tell of other processes under our PIDs.
  if (readlinkSync("/proc/self") !== String(process.pid)) return null;
  return readlinkSync("/proc/self/ns/pid");
}

function fromSystem<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
