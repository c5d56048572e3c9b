import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileWitness } from "../../src/deploy/state/log/witness.ts";
import type { Clock } from "../../src/util/host.ts";
import { folder } from "../support/cli.ts";
import { clock as real } from "../support/host.ts";

/** A project, and a clock that only the test moves. */
function place() {
  const root = folder({});
  let now = 0;
  const clock: Clock = { ...real, elapsed: () => now };
  return {
    root,
    open: () => new FileWitness(root, "production", clock),
    pass: (milliseconds: number) => (now += milliseconds),
  };
}

test("a later process knows the last block of each place, which only rises", () => {
  const { root, open } = place();
  const witness = open();
  expect(witness.get("a")).toBeUndefined();
  witness.raise("a", { number: 7, sum: "seven" });
  witness.raise("a", { number: 6, sum: "six" });
  witness.raise("b", { number: 2, sum: "two" });
  witness.flush();
  const later = open();
  later.raise("a", { number: 3, sum: "three" });
  later.flush();
  expect([later.get("a"), later.get("b")]).toEqual([
    { number: 7, sum: "seven" },
    { number: 2, sum: "two" },
  ]);
  expect(readdirSync(join(root, ".ivrctl/seen")).sort()).toEqual([".gitignore", "production.json"]);
  expect(readFileSync(join(root, ".ivrctl/seen/.gitignore"), "utf8")).toBe("*\n");
});

test("it is written at most once a second, and at the end", () => {
  const { open, pass } = place();
  const witness = open();
  const raise = (number: number) => witness.raise("a", { number, sum: String(number) });
  raise(1);
  raise(2);
  pass(900);
  raise(3);
  expect(open().get("a")?.number).toBe(1);
  expect(witness.get("a")?.number).toBe(3);
  pass(100);
  raise(4);
  expect(open().get("a")?.number).toBe(4);
  raise(5);
  witness.flush();
  expect(open().get("a")?.number).toBe(5);
});

test("a file that cannot be read counts as none, and one that cannot be written does no harm", () => {
  const { root, open } = place();
  writeFileSync(join(root, ".ivrctl"), "in the way");
  const witness = open();
  witness.raise("a", { number: 1, sum: "one" });
  witness.flush();
  expect(open().get("a")).toBeUndefined();
});
