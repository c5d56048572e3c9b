"use strict";
// Loaded into the real command by NODE_OPTIONS=--require: see jumping-clock.ts.

const { existsSync } = require("node:fs");

const isJumped = () => existsSync(process.env.TEST_CLOCK_JUMPED);
const clock = Date.now;
const running = performance.now.bind(performance);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [Date.now()] : given));
  }
  static now() {
    return clock() + (isJumped() ? 6000 : 0);
  }
};
performance.now = () => running() - (isJumped() ? 600_000 : 0);
