import { readFileSync } from "node:fs";

/** A terminal that goes away counts too, unless `nohup` says that it does not. */
const signals = isIgnored(1)
  ? (["SIGINT", "SIGTERM"] as const)
  : (["SIGINT", "SIGTERM", "SIGHUP"] as const);

/** What the person, or the pipeline, has asked for by signals since it was made. */
export class Interruption {
  readonly #halt = new AbortController();
  readonly #stop = new AbortController();
  readonly #onSignal: () => void;

  /** `told` is called at the first signal. */
  constructor(told: () => void) {
    this.#onSignal = () => {
      if (this.#halt.signal.aborted) {
        this.#stop.abort();
        // Whoever asks a third time wants the process gone, and gets it.
        this.end();
      } else {
        told();
        this.#halt.abort();
      }
    };
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  /** The first signal: let what is in flight finish, and start nothing new. */
  get halt(): AbortSignal {
    return this.#halt.signal;
  }

  /** The second: stop at once. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}

/** Whether this process was started with a signal ignored; where that cannot be told, it was not. */
function isIgnored(signal: number): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return ((BigInt(`0x${ignored ?? "0"}`) >> BigInt(signal - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
