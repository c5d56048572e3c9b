import { expect, test } from "vitest";
import { killAtEveryWrite } from "./every-write.ts";
import { findings, patience, seed, thorough } from "./settings.ts";
import { pushKilledAtEveryWrite } from "./transfers.ts";

test.each([
  ["state init", () => killAtEveryWrite(seed, thorough, "init")],
  ["the first apply of a state", () => killAtEveryWrite(seed, thorough, "first")],
  ["a later apply", () => killAtEveryWrite(seed, thorough, "later")],
  ["an apply that updates menus", () => killAtEveryWrite(seed, thorough, "updating")],
  ["state push", () => pushKilledAtEveryWrite(seed, thorough)],
])(
  "%s keeps every promise if it is killed at any write",
  { timeout: patience },
  async (name, kill) => {
    expect(findings("killed", `${name}, killed at every write`, await kill())).toBe("");
  },
);
