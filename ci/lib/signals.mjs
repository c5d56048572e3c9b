// @ts-check

/** @typedef {import("./ivrctl.mjs").Running} Running */

/**
 * A cancelled job gets a signal, and some seconds later another. Both are passed on
 * to ivrctl, which knows what they mean; the script itself goes on, to keep the state.
 */
export class Signals {
  heard = false;
  /** @type {Running | undefined} */ #running;

  constructor() {
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      process.on(signal, () => {
        this.heard = true;
        this.#running?.tell(signal);
      });
    }
  }

  /** @param {Running} running */
  passTo(running) {
    this.#running = running;
  }
}
