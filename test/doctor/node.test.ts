import { expect, test } from "vitest";
import { checkNode } from "../../src/doctor/check-project.ts";

test.each([
  ["20.19.0", "ok"],
  ["20.20.2", "ok"],
  ["22.0.0", "ok"],
  ["100.1.0", "ok"],
  ["20.9.0", "error"],
  ["18.99.0", "error"],
])("Node %s: %s", (version, status) => {
  expect(checkNode(version, ">=20.19").status).toBe(status);
});
