import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkpointOf } from "../../../../src/deploy/state/file/checkpoint.ts";
import { verify } from "../../../../src/deploy/state/file/journal.ts";
import { combine } from "../../../../src/deploy/state/file/load.ts";
import { StateProblem } from "../../../../src/deploy/state/store.ts";
import { runs, some } from "../../../support/runs.ts";
import { filled, seen } from "./place.ts";

/** Returns the state in these bytes, or the code of the error. */
function resultOf(checkpoint: Buffer | undefined, journal: Buffer): string {
  const names = { checkpoint: "checkpoint", journal: "journal" };
  try {
    const found = { ...verify(journal, names.journal), inode: 1n };
    const files = { name: "production", shown: names };
    const valid = checkpointOf(checkpoint, names.checkpoint);
    return JSON.stringify(seen(combine(valid, found, files, "the state").state));
  } catch (error) {
    if (error instanceof StateProblem) return error.code;
    throw error;
  }
}

test("a change or cut at any byte gives the same state, a refusal, or only a lost tail", async () => {
  const { journal: path, checkpoint: beside } = await filled();
  const [journal, checkpoint] = [readFileSync(path), readFileSync(beside)];
  const whole = resultOf(checkpoint, journal);
  const ends = [...journal.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
  const prefixes = new Set(
    [0, ...ends].map((end) => resultOf(undefined, journal.subarray(0, end))),
  );
  expect(prefixes.size).toBe(6);
  expect(prefixes).toContain(whole);
  const counts = { same: 0, refused: 0, prefix: 0 };
  const allow = (found: string, mayLoseTail: boolean, what: string) => {
    if (/^IVR60[23]$/.test(found)) counts.refused += 1;
    else if (found === whole) counts.same += 1;
    else if (mayLoseTail && prefixes.has(found)) counts.prefix += 1;
    else throw new Error(`${what}: ${found}`);
  };
  const flipped = (bytes: Buffer, at: number, bit: number) => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << bit);
    return changed;
  };
  for (const [nth, at] of some([...checkpoint.keys()], 0).entries()) {
    allow(resultOf(flipped(checkpoint, at, nth % 8), journal), false, `state ${at} flipped`);
    allow(resultOf(checkpoint.subarray(0, at), journal), false, `state ${at} cut`);
  }
  // The last byte is the only newline whose change may lose a line.
  const last = journal.length - 1;
  for (const [nth, at] of [...some([...journal.keys()], 0), last].entries()) {
    const cut = journal.subarray(0, at);
    allow(resultOf(checkpoint, cut), false, `journal ${at} cut`);
    // Without the checkpoint, a missing tail cannot be noticed.
    allow(resultOf(undefined, cut), true, `journal ${at} cut, alone`);
    allow(resultOf(checkpoint, flipped(journal, at, nth % 8)), false, `journal ${at} flipped`);
    for (const bit of [nth % 8, (nth + 5) % 8]) {
      const found = resultOf(undefined, flipped(journal, at, bit));
      allow(found, at === last, `journal ${at} flipped, alone`);
    }
  }
  expect(counts.same).toBeGreaterThan(runs(1000));
  expect(counts.refused).toBeGreaterThan(runs(1000));
  expect(counts.prefix).toBeGreaterThan(runs(1000));
});

test("zeros after the lines count as a crash, and zeros in them as damage", async () => {
  const { journal: path } = await filled();
  const journal = readFileSync(path);
  const whole = resultOf(undefined, journal);
  expect(resultOf(undefined, Buffer.concat([journal, Buffer.alloc(4096)]))).toBe(whole);
  const lineEnd = journal.indexOf("\n", journal.length / 2);
  const holes = [lineEnd - 9, lineEnd].map((at) => Buffer.from(journal).fill(0, at, at + 9));
  for (const left of holes) expect(resultOf(undefined, left)).toBe("IVR603");
});
