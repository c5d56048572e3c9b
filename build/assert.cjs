// The two functions of node:assert that yargs uses to check its own state. Loading the module takes
// Node longer than reading a command line.
exports.strictEqual = (actual, expected, message) => check(actual === expected, message);
exports.notStrictEqual = (actual, expected, message) => check(actual !== expected, message);

function check(isFine, message) {
  if (!isFine) throw message instanceof Error ? message : new Error(message);
}
