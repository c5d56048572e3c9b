import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { failedWith } from "../../util/disk.ts";

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
export function whoami(): string {
  let name = "unknown";
  try {
    name = userInfo().username;
  } catch {
    // The user has no entry, as in some containers.
  }
  return `${name}@${hostname()}`;
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
 * Whether the process is certainly dead: it belongs to this machine, this boot and this PID
 * namespace, and no process has its PID and start time. In case of doubt it counts as alive.
 */
export function isDead(other: ProcessIdentity): boolean {
  const own = ownIdentity();
  if (own.boot === null || own.pid_namespace === null || own.started === null) return false;
  if (other.host !== own.host || other.boot !== own.boot) return false;
  if (other.pid_namespace !== own.pid_namespace) return false;
  if (other.pid === null || other.started === null) return false;
  // Ask the kernel first, because /proc may hide the processes of other users.
  if (!exists(other.pid)) return true;
  const found = processAt(other.pid);
  return found !== null && (found.started !== other.started || found.ended);
}

/** Whether a process with the PID of a lock runs on this machine. Not for a holder that is certainly dead. */
export function runsHere({ host, pid }: Pick<ProcessIdentity, "host" | "pid">): boolean {
  return host === hostname() && pid !== null && exists(pid);
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
  // The name of the program is in brackets and may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields?.[0], fields?.[19]];
  if (state === undefined || started === undefined) return null;
  // A zombie has ended: it writes nothing more.
  return { started, ended: state === "Z" || state === "X" };
}

function pidNamespace(): string | null {
  // In the /proc of another namespace, our PIDs belong to other processes.
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
