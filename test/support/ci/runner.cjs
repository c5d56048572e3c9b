"use strict";
// Loaded into the real command by NODE_OPTIONS=--require: see stage.ts.

const { syncBuiltinESMExports } = require("node:module");
const os = require("node:os");
const timers = require("node:timers/promises");

// Every job has a machine of its own, so that no other one can see whether its process is alive.
os.hostname = () => process.env.TEST_HOST;

// Waits for GitHub or GitLab are short.
const { setTimeout: wait } = timers;
timers.setTimeout = (milliseconds, ...rest) =>
  wait(milliseconds > 1000 ? 10 : milliseconds, ...rest);

syncBuiltinESMExports();
