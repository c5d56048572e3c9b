import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkpointOf } from "../../../../src/deploy/state/file/checkpoint.ts";
import { verify } from "../../../../src/deploy/state/file/journal.ts";
import { combine } from "../../../../src/deploy/state/file/load.ts";
import { StateProblem } from "../../../../src/deploy/state/store.ts";
import { runs, some } from "../../../support/runs.ts";
import { locked, sessionOf } from "../conformance.ts";
import { begun, created, intent } from "../events.ts";
import { filled, fresh, seen, shown, words } from "./place.ts";

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

describe("a power cut in the middle of a batch, which can replace any of its pages by zeros", () => {
  /** A journal with three lines, a batch over several pages, and a later batch over more than two. */
  async function written() {
    const { store, journal: path } = fresh();
    const session = await sessionOf(store);
    await session.append(begun("production"), intent("a"), created("a"));
    // The end of the lines, without the reserved space.
    const end = () => verify(readFileSync(path), "journal").end;
    const from = end();
    await session.append(...Array.from({ length: 36 }, (_, at) => intent(`b${at}`)));
    const to = end();
    await session.append(...Array.from({ length: 12 }, (_, at) => intent(`c${at}`)));
    await session.close();
    const journal = readFileSync(path);
    const { lines } = verify(journal, "journal");
    /** The number of disk units with parts of the batch. */
    const unitsOf = (unit: number) => Math.floor((to - 1) / unit) - Math.floor(from / unit) + 1;
    /** Replaces lost units by zeros. */
    const without = (bytes: Buffer, unit: number, lost: (nth: number) => boolean) => {
      const left = Buffer.from(bytes);
      let hole = bytes.length;
      for (let nth = 0; nth < unitsOf(unit); nth += 1) {
        if (!lost(nth)) continue;
        const start = (Math.floor(from / unit) + nth) * unit;
        left.fill(0, Math.max(start, from), Math.min(start + unit, bytes.length));
        hole = Math.min(hole, Math.max(start, from));
      }
      return { left, hole };
    };
    return {
      /** The journal up to the end of the batch. */
      cut: journal.subarray(0, to),
      journal,
      from,
      unitsOf,
      without,
      heads: lines.map(({ head }) => head),
      ends: lines.map(({ end }) => end),
    };
  }

  /** Expects that only the lines before the hole count. */
  const expectTorn = (
    { heads, ends }: Awaited<ReturnType<typeof written>>,
    { left, hole }: { readonly left: Buffer; readonly hole: number },
  ) => {
    const found = verify(left, "journal");
    const whole = ends.filter((end) => end <= hole);
    expect(found.lines.map(({ head }) => head)).toEqual(heads.slice(0, whole.length));
    expect(found.end).toBe((whole.at(-1) ?? -1) + 1);
    // If only zeros follow the lines, they are reserved space.
    expect(found.torn).toBe(left.subarray(found.end).some((byte) => byte !== 0));
  };

  test("zeros in any pages of the last batch count as a crash", async () => {
    const batch = await written();
    const pages = batch.unitsOf(4096);
    expect(pages).toBeGreaterThanOrEqual(7);
    for (let lost = 1; lost < 2 ** pages; lost += 1) {
      expectTorn(
        batch,
        batch.without(batch.cut, 4096, (nth) => (lost & (1 << nth)) !== 0),
      );
    }
  });

  test("zeros in one or two sectors of the last batch count as a crash, even if the file is shorter", async () => {
    const batch = await written();
    expect(batch.unitsOf(512)).toBeGreaterThan(40);
    for (let one = 0; one < batch.unitsOf(512); one += 1) {
      for (const other of [one, one + 2, one + 9]) {
        const { left, hole } = batch.without(batch.cut, 512, (nth) => nth === one || nth === other);
        expectTorn(batch, { left, hole });
        const early = left.subarray(0, -700);
        if (hole < early.length) expectTorn(batch, { left: early, hole });
      }
    }
  });

  test("zeros in a batch that is not the last one count as damage", async () => {
    const { journal, unitsOf, without } = await written();
    const accepted: string[] = [];
    const allow = ({ left }: { readonly left: Buffer }, what: string) => {
      if (resultOf(undefined, left) !== "IVR603") accepted.push(what);
    };
    for (let lost = 1; lost < 2 ** unitsOf(4096); lost += 1) {
      const holes = without(journal, 4096, (nth) => (lost & (1 << nth)) !== 0);
      allow(holes, `pages ${lost.toString(2)}`);
    }
    for (let one = 0; one < unitsOf(512); one += 1) {
      allow(
        without(journal, 512, (nth) => nth === one),
        `sector ${one}`,
      );
    }
    expect(accepted).toEqual([]);
  });

  test("zeros that do not fill sectors count as damage", async () => {
    const { cut, from, ends } = await written();
    const sector = Math.ceil(from / 512) * 512;
    const boundary = ends.map((end) => end + 1).find((end) => end > from && end % 512 > 0) ?? 0;
    for (const [start, end] of [
      [from + 1, from + 2],
      [from, from + 600],
      [sector, sector + 511],
      [sector + 1, sector + 512],
      [boundary, Math.ceil(boundary / 512) * 512],
    ] as const) {
      const left = Buffer.from(cut).fill(0, start, end);
      expect(() => verify(left, "journal")).toThrow(StateProblem);
    }
  });

  test("bytes after the zeros that do not belong to the batch count as damage", async () => {
    const { journal, from, ends } = await written();
    const lineOf = (nth: number) =>
      journal.subarray((ends[nth - 2] ?? -1) + 1, (ends[nth - 1] ?? 0) + 1);
    const zeros = Buffer.alloc(1024 - (from % 512));
    const after = (...parts: readonly (Buffer | string)[]) =>
      resultOf(
        undefined,
        Buffer.concat([
          journal.subarray(0, from),
          zeros,
          ...parts.map((part) => Buffer.from(part)),
        ]),
      );
    const [own, later] = [lineOf(20), lineOf(45)];
    expect(after(own)).not.toMatch(/^IVR/);
    expect(after(own.subarray(300), own)).not.toMatch(/^IVR/);
    for (const parts of [
      [later],
      [own, later],
      [own.subarray(300), later],
      [own, later.subarray(0, 100)],
      [own, "<<<<<<< HEAD\n"],
    ]) {
      expect(after(...parts)).toBe("IVR603");
    }
  });

  test("the next run reports the crash and continues after the last valid line", async () => {
    const { cut, without, ends, heads } = await written();
    for (const first of [0, 1, 3]) {
      const { folder, store, journal: path, checkpoint } = fresh();
      mkdirSync(folder, { recursive: true });
      const { left, hole } = without(cut, 4096, (nth) => nth === first || nth === first + 2);
      writeFileSync(path, left);
      const counted = ends.filter((end) => end <= hole).length;
      const note = `A crash left ${shown}.journal.jsonl:${counted + 1} incomplete`;
      const expected = expect.stringContaining(note);
      expect(words((await store.read()).notes)).toContainEqual(expected);
      const { session, notes } = await locked(store, "run-1", { accepts: ["possibly-incomplete"] });
      expect(words(notes)).toContainEqual(expected);
      expect(session.state).toMatchObject({ serial: counted, head: heads[counted - 1] });
      await session.append(intent("next"));
      await session.append(created("next"));
      await session.close();
      rmSync(checkpoint);
      const { state } = await store.read();
      expect(state).toMatchObject({ serial: counted + 2, head: session.state.head });
      expect((await store.history()).at(-1)?.entry.event).toEqual(created("next"));
    }
  });

  test("a last line with zeros instead of its newline counts", async () => {
    // An editor removed the newline, and the power failed while the next batch added it.
    const { journal, cut, from, ends, heads } = await written();
    const [last = 0, aligned] = [ends[2], Math.ceil(from / 4096) * 4096];
    for (const left of [
      Buffer.from(cut).fill(0, last, aligned),
      Buffer.from(cut).fill(0, last),
      Buffer.from(journal.subarray(0, last + 1)).fill(0, last),
    ]) {
      const { folder, store, journal: path } = fresh();
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, left);
      const { session } = await locked(store, "run-1", { accepts: ["possibly-incomplete"] });
      expect(session.state).toMatchObject({ serial: 3, head: heads[2] });
      await session.append(intent("next"));
      await session.close();
      expect(readFileSync(path).subarray(0, last + 1)).toEqual(journal.subarray(0, last + 1));
      const { state, notes } = await store.read();
      expect(state.serial).toBe(4);
      expect(notes).toEqual([]);
    }
  });
});
