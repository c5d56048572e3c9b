// @ts-check

/** @typedef {import("./ivrctl.mjs").Running} Running */

/**
 * A canceled job receives a signal, and some seconds later another one. Both are passed to ivrctl.
 * The script itself continues, so that it can save the state.
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
