import * as z from "zod/mini";
import type { Code } from "../../diagnostics/codes.ts";
import type { FilePlace } from "../../diagnostics/diagnostic.ts";
import type { Hint } from "../../util/suggest.ts";
import { utc } from "../../util/time.ts";

/** Who wants the lock, what for, and how long to wait for it. */
export interface Claim {
  readonly id: string;
  /** The author, for the lock and for the history. Default: the user of this process. */
  readonly by?: string | undefined;
  /** The command that needs the lock, for example `apply`. */
  readonly command: string;
  /** Milliseconds to wait for another run to release the lock. */
  readonly wait: number;
  /** Called before waiting for another run. */
  readonly onWait?: (lock: Lock, seconds: number) => void;
  /** Whether the run that holds a lock has certainly ended. Then its lock is released. */
  readonly hasEnded?: ((id: string) => Promise<boolean | undefined>) | undefined;
  /** Ends the waiting: `lock` rejects with its reason and leaves no lock. */
  readonly signal?: AbortSignal;
  /** Ends the waiting for a store that is unavailable. The session then records nothing more. */
  readonly stop?: AbortSignal;
  /** Notified if the store becomes unavailable during the session, or is too busy to give the lock. */
  readonly watcher?: StoreWatcher;
  /** Take the lock even if the state was moved away, or is not there. */
  readonly accepts?: readonly ("moved" | "missing")[];
}

/** Callbacks for a store that becomes unavailable during a session, and for its return. */
export interface StoreWatcher {
  /** The store is unavailable. The session waits for it this many seconds more. */
  lost(why: string, seconds: number): void;
  back(): void;
}

/** Says who holds a lock, what for, where and since when. */
export function describeLock({ id, by, command, since, host, pid }: Lock): string {
  const process = pid === null ? "" : `, process ${pid}`;
  return `${by} (${command} on ${host}${process}, since ${utc(since)}; lock ${id})`;
}

/** A lock, with everything that identifies the holder's process. */
export const Lock = z.object({
  id: z.string(),
  by: z.string(),
  command: z.string(),
  since: z.string(),
  host: z.string(),
  pid: z.nullable(z.int().check(z.positive())),
  boot: z.nullable(z.string()),
  pid_namespace: z.nullable(z.string()),
  started: z.nullable(z.string()),
});
export type Lock = z.infer<typeof Lock>;

/** A problem with the state that a person can fix. */
export class StateProblem extends Error {
  readonly code: Code;
  readonly hint: Hint | undefined;
  /** The file with the problem. Undefined: the store as a whole. */
  readonly at: FilePlace | undefined;

  constructor(code: Code, message: string, hint?: Hint, at?: FilePlace) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}

/** A setting of a store that cannot be used. The message never shows a part that may be a secret. */
export class SettingProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
