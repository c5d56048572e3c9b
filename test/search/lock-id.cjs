"use strict";
// Loaded into the real command by NODE_OPTIONS=--require, and into the search itself. Every random id
// starts with TEST_LOCK_ID, which has 8 characters. So the search knows the id of a lock.

const crypto = require("node:crypto");
const { syncBuiltinESMExports } = require("node:module");

const random = crypto.randomUUID;
crypto.randomUUID = (...args) => {
  const start = process.env.TEST_LOCK_ID ?? "";
  return start + random(...args).slice(start.length);
};
syncBuiltinESMExports();
