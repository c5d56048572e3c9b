import type { Writable } from "node:stream";

/**
 * Everything that a run gets from the process and the machine. Only `src/cli/main.ts` makes the
 * real one; a test makes its own. No other code uses `process`, `node:os` or timers.
 */
export interface Host {
  /** The current folder. */
  readonly cwd: string;
  /** The environment variables. A secret is deleted when nothing needs it any more. */
  readonly env: Record<string, string | undefined>;
  /** More variables for git alone, such as the login of a pipeline. */
  readonly gitEnv: Record<string, string | undefined>;
  /** Opens stdin. Few commands need it. */
  readonly stdin: () => NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Returns stdout for the messages of a protocol alone. What other code prints, for example a
   * custom rule, goes to stderr, because the reader would take it for a message.
   */
  readonly protocolOutput: () => Writable;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly signals: Signals;
}

export interface OutputStream {
  write(data: string | Uint8Array): void;
  readonly isTTY: boolean;
  /** The width of the terminal, if it is known. */
  readonly columns: number | undefined;
}

export interface Clock {
  now(): Date;
  /** Milliseconds of a clock that nobody can set. */
  elapsed(): number;
  /** Waits; 0 waits for the next turn. Rejects with an AbortError if the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` after some time. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
}

export interface Machine {
  readonly name: string;
  readonly pid: number;
  readonly nodeVersion: string;
  /** The name of the user. Throws if the user has no entry, as in some containers. */
  user(): string;
  /** Sends a signal. The signal 0 only checks that the process exists. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
}

/** The signals that this process gets. */
interface Signals {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Calls `act` again and again. Returns a function that ends this. */
export function every(clock: Clock, milliseconds: number, act: () => void): () => void {
  let cancel = () => {};
  const repeat = () => {
    cancel = clock.after(milliseconds, () => {
      repeat();
      act();
    });
  };
  repeat();
  return () => cancel();
}
