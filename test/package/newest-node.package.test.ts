import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "../support/cli.ts";
import { newestNode, nodeProgram } from "../support/node-version.ts";

const root = join(import.meta.dirname, "../..");

// Contributors and pipelines use Node 20, and users newer ones.
// On a busy machine they take longer than other tests may.
test(`the unit tests pass on Node ${newestNode}`, { timeout: 1_800_000 }, async ({ skip }) => {
  let node = "";
  try {
    node = nodeProgram(newestNode);
  } catch (error) {
    skip(String(error));
  }
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--reporter=dot"];
  // Otherwise the tests write their results over those of this run.
  const env = { IVRCTL_TESTS: "unit" };
  const { exit, stdout, stderr } = await start(node, args, { cwd: root, env }).finished;
  expect({ exit, said: exit === 0 ? "" : stdout + stderr }).toEqual({ exit: 0, said: "" });
});
