const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
