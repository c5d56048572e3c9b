"use strict";
// Loaded into the real command by NODE_OPTIONS=--require: see jumping-clock.ts.

const { existsSync } = require("node:fs");

const now = performance.now.bind(performance);
performance.now = () => now() + (existsSync(process.env.TEST_CLOCK_JUMPED) ? 6000 : 0);
