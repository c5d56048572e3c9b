import { expect, test } from "vitest";
import { judgeNode } from "../../src/doctor/node.ts";

test.each([
  ["20.19.0", "ok"],
  ["20.20.2", "ok"],
  ["22.0.0", "ok"],
  ["100.1.0", "ok"],
  ["20.9.0", "error"],
  ["18.99.0", "error"],
])("Node %s: %s", (version, status) => {
  expect(judgeNode(version, ">=20.19").status).toBe(status);
});
