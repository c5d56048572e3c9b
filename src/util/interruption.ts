import { readFileSync } from "node:fs";
import type { Host } from "./host.ts";

/** A closing terminal sends SIGHUP. It is included unless `nohup` ignores it. */
const names = isIgnored(1)
  ? (["SIGINT", "SIGTERM"] as const)
  : (["SIGINT", "SIGTERM", "SIGHUP"] as const);

/** Turns signals into requests to stop: the first signal aborts `halt`, the second `stop`. */
export class Interruption {
  readonly #halt = new AbortController();
  readonly #stop = new AbortController();
  readonly #onSignal: () => void;
  readonly #signals: Host["signals"];

  constructor({ signals }: Pick<Host, "signals">, onFirstSignal: () => void) {
    this.#signals = signals;
    this.#onSignal = () => {
      if (this.#halt.signal.aborted) {
        this.#stop.abort();
        // A third signal ends the process, as it does without a handler.
        this.end();
      } else {
        onFirstSignal();
        this.#halt.abort();
      }
    };
    for (const signal of names) signals.on(signal, this.#onSignal);
  }

  /** Aborted by the first signal: requests in flight may finish, and no new one starts. */
  get halt(): AbortSignal {
    return this.#halt.signal;
  }

  /** Aborted by the second signal: stop immediately. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    for (const signal of names) this.#signals.off(signal, this.#onSignal);
  }
}

/** Whether this process was started with the signal ignored. False if that is unknown. */
function isIgnored(signal: number): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return ((BigInt(`0x${ignored ?? "0"}`) >> BigInt(signal - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
