import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileStore } from "../../../src/deploy/state/file-store.ts";
import { claim, locked, sessionOf, storeConformance } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";
import { filled, fresh, seen, shown } from "./file-place.ts";

storeConformance("the file store", async () => {
  const { folder } = fresh();
  return { open: (environment) => new FileStore(folder, environment) };
});

describe("what a person finds in the folder", () => {
  test("a session without an event leaves nothing", async () => {
    const { folder, store } = fresh();
    await (await sessionOf(store)).close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("reading makes no folder", async () => {
    const { folder, store } = fresh();
    await store.read();
    await store.history();
    await store.holder();
    expect(await store.unlock("x")).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  test("a readable checkpoint and a line for each event, with the given clock", async () => {
    const { folder, journal, checkpoint } = fresh();
    const store = new FileStore(folder, "production", () => new Date("2026-03-01T08:00:00Z"));
    expect(store.place).toBe(`${shown}.json`);
    const session = await sessionOf(store);
    await session.append(begun("production"), intent("a"));
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.lock"]);
    expect(JSON.parse(readFileSync(join(folder, "production.lock"), "utf8"))).toMatchObject({
      version: 1,
      id: "run-1",
      since: "2026-03-01T08:00:00.000Z",
      host: hostname(),
      pid: process.pid,
    });
    await session.close();
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.json"]);
    const lines = readFileSync(journal, "utf8").split("\n");
    expect(lines).toHaveLength(3);
    let sum = "";
    for (const line of lines.slice(0, 2)) {
      const rest = line.slice(26);
      sum = createHash("sha256")
        .update(sum + rest)
        .digest("hex")
        .slice(0, 16);
      expect(line.slice(0, 26)).toBe(`{"sum":"${sum}",`);
      expect(JSON.parse(`{${rest}`)).toMatchObject({ at: "2026-03-01T08:00:00.000Z" });
    }
    const text = readFileSync(checkpoint, "utf8");
    expect(text).toMatch(/^\{\n {2}"version": 1,\n {2}"lineage": "L1",/);
    expect(JSON.parse(text)).toMatchObject({
      serial: 2,
      journal: { bytes: readFileSync(journal).length, sum },
    });
  });
});

describe("the files after somebody or something was at them", () => {
  test("a checkpoint of a newer version: refused, nothing touched", async () => {
    const { store, checkpoint, files } = await filled();
    const content: object = JSON.parse(readFileSync(checkpoint, "utf8"));
    writeFileSync(checkpoint, JSON.stringify({ ...content, version: 2, planets: [] }));
    const before = files();
    const refusal = { code: "IVR602", message: expect.stringContaining(`${shown}.json is of`) };
    await expect(store.read()).rejects.toMatchObject(refusal);
    await expect(store.history()).rejects.toMatchObject(refusal);
    await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
    expect(files()).toEqual(before);
  });

  test("a journal of a newer version: refused before its form is judged", async () => {
    const { store, journal, checkpoint } = await filled();
    rmSync(checkpoint);
    writeFileSync(journal, `{"hash":"x","event":{"kind":"begun","version":2}}\nwhatever\n`);
    await expect(store.read()).rejects.toMatchObject({ code: "IVR602" });
    // One that a newer ivrctl went on with.
    const { store: other, journal: goneOn, folder } = await filled();
    const [last] = readFileSync(goneOn, "utf8").trimEnd().split("\n").slice(-1);
    const rest = `"seq":6,"event":{"kind":"upgraded","version":2}}`;
    const sum = createHash("sha256")
      .update(`${last?.slice(8, 24)}${rest}`)
      .digest("hex");
    appendFileSync(goneOn, `{"sum":"${sum.slice(0, 16)}",${rest}\n`);
    await expect(other.read()).rejects.toMatchObject({
      code: "IVR602",
      message: expect.stringContaining("journal.jsonl:6 is of version 2"),
    });
    expect(readdirSync(folder)).not.toContain("production.lock");
  });

  test("a checkpoint that is cut off, edited, missing or only laid out anew", async () => {
    const { store, state, checkpoint } = await filled();
    const text = readFileSync(checkpoint, "utf8");
    const cases: [string | undefined, readonly unknown[]][] = [
      [text.slice(0, -40), [expect.stringMatching(/json is cut off/)]],
      ["", [expect.stringMatching(/json is cut off/)]],
      [text.replace('"r1"', '"r9"'), [expect.stringMatching(/json was edited.* journal is what/)]],
      [text.replace('"name"', "name"), [expect.stringMatching(/json was edited/)]],
      ["[]", [expect.stringMatching(/json was edited/)]],
      [undefined, [expect.stringMatching(/json is missing/)]],
      [JSON.stringify(JSON.parse(text)), []],
      [text.replaceAll("\n", "\r\n"), []],
      [text.trimEnd(), []],
    ];
    for (const [content, notes] of cases) {
      if (content === undefined) rmSync(checkpoint);
      else writeFileSync(checkpoint, content);
      const reading = await store.read();
      expect(seen(reading.state)).toEqual(state);
      expect(reading.notes).toEqual(notes);
      const { session, notes: again } = await locked(store);
      expect(again).toEqual(notes);
      expect(seen(session.state)).toEqual(state);
      await session.close();
    }
    // The next that changes something writes it again.
    writeFileSync(checkpoint, "");
    const session = await sessionOf(store);
    await session.append(created("b"));
    await session.close();
    expect(JSON.parse(readFileSync(checkpoint, "utf8"))).toMatchObject({ serial: 6 });
    expect((await store.read()).notes).toEqual([]);
  });

  test("half a last line is a crash: readers leave it, the next writer takes it away", async () => {
    const { store, state, journal, checkpoint } = await filled();
    const whole = readFileSync(journal);
    const line = whole.subarray(whole.lastIndexOf("\n", whole.length - 2) + 1);
    const tails = [1, 8, 12, 25, 26, 60, line.length - 2].map((cut) => line.subarray(0, cut));
    const zeros = Buffer.alloc(10);
    const half = line.subarray(0, 90);
    tails.push(
      zeros,
      Buffer.concat([half, zeros]),
      Buffer.concat([half, zeros, line.subarray(-5)]),
    );
    const before = readFileSync(checkpoint);
    for (const tail of tails) {
      writeFileSync(checkpoint, before);
      writeFileSync(journal, Buffer.concat([whole, tail]));
      const reading = await store.read();
      expect(seen(reading.state)).toEqual(state);
      expect(reading.notes).toEqual([expect.stringContaining("jsonl:6 was left unfinished")]);
      expect(await store.history()).toHaveLength(5);
      // Nothing to write, nothing taken away.
      await (await sessionOf(store)).close();
      expect(readFileSync(journal)).toHaveLength(whole.length + tail.length);
      const { session, notes } = await locked(store);
      expect(notes).toEqual(reading.notes);
      expect((await store.read()).notes).toEqual([]);
      await session.append(created("b"));
      await session.close();
      expect(readFileSync(journal).subarray(0, whole.length)).toEqual(whole);
      expect(await store.history()).toHaveLength(6);
      rmSync(checkpoint);
      expect((await store.read()).state.serial).toBe(6);
    }
  });

  test("a last line without its newline counts, and the next writer adds it", async () => {
    const { store, state, journal, checkpoint } = await filled();
    const text = readFileSync(journal, "utf8");
    for (const withCheckpoint of [true, false]) {
      writeFileSync(journal, text.trimEnd());
      if (!withCheckpoint) rmSync(checkpoint);
      expect(seen((await store.read()).state)).toEqual(state);
      const session = await sessionOf(store);
      await session.append(created("b"));
      await session.close();
      expect(readFileSync(journal, "utf8").startsWith(text)).toBe(true);
      const { state: next, notes } = await store.read();
      expect(next.serial).toBe(6);
      expect(notes).toEqual([]);
    }
  });

  const lineOf = (text: string, at: number) => text.split("\n")[at] ?? "";
  test.each<[string, number, (text: string) => string]>([
    [
      "a character changed",
      3,
      (text) => text.replace(lineOf(text, 2), (line) => line.replace("200", "201")),
    ],
    ["the last line changed", 5, (text) => text.replace("no answer", "no answers")],
    ["a line taken out", 3, (text) => text.replace(`${lineOf(text, 2)}\n`, "")],
    [
      "two lines swapped",
      3,
      (text) =>
        text.replace(
          `${lineOf(text, 2)}\n${lineOf(text, 3)}`,
          `${lineOf(text, 3)}\n${lineOf(text, 2)}`,
        ),
    ],
    [
      "a line twice",
      4,
      (text) => text.replace(lineOf(text, 2), `${lineOf(text, 2)}\n${lineOf(text, 2)}`),
    ],
    ["an empty line", 3, (text) => text.replace(lineOf(text, 2), `\n${lineOf(text, 2)}`)],
    ["an empty last line", 6, (text) => `${text}\n`],
    ["an open last line that no crash leaves", 6, (text) => `${text}>>>>>>> theirs`],
    ["zeros, and lines after them", 6, (text) => `${text}${"\0".repeat(9)}\n${lineOf(text, 4)}\n`],
    ["Windows' line ends", 1, (text) => text.replaceAll("\n", "\r\n")],
  ])("damage is refused with its line: %s", async (_, line, change) => {
    const { store, journal, checkpoint, files } = await filled();
    const text = readFileSync(journal, "utf8");
    writeFileSync(journal, change(text));
    for (const withCheckpoint of [true, false]) {
      if (!withCheckpoint) rmSync(checkpoint);
      const before = files();
      const refusal = {
        code: "IVR603",
        message: expect.stringMatching(new RegExp(`^${shown}.journal.jsonl:${line} `)),
        hint: expect.stringContaining("Restore the journal"),
      };
      await expect(store.read()).rejects.toMatchObject(refusal);
      await expect(store.history()).rejects.toMatchObject(refusal);
      await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
      expect(files()).toEqual(before);
    }
  });

  test("a merge conflict is named as one", async () => {
    const { store, journal } = await filled();
    appendFileSync(journal, "<<<<<<< HEAD\n");
    await expect(store.read()).rejects.toThrow("jsonl:6 is a mark of a merge conflict");
  });

  test("a line that verifies and is no event, or cannot have happened", async () => {
    for (const [rest, message] of [
      ['"seq":6}', "6 is no event of a state"],
      ["not json", "6 is no event of a state"],
      [
        JSON.stringify({ seq: 6, at: "", run: "", by: "", event: created("z") }).slice(1),
        "6 cannot have happened after the lines before it: z is not pending",
      ],
    ]) {
      const { store, journal } = await filled();
      const last = lineOf(readFileSync(journal, "utf8"), 4);
      const sum = createHash("sha256")
        .update(`${last.slice(8, 24)}${rest}`)
        .digest("hex");
      appendFileSync(journal, `{"sum":"${sum.slice(0, 16)}",${rest}\n`);
      await expect(store.read()).rejects.toMatchObject({ code: "IVR603" });
      await expect(store.read()).rejects.toThrow(message);
    }
  });

  test("a journal that lacks what a checkpoint was made from", async () => {
    const { store, journal, checkpoint } = await filled();
    const text = readFileSync(journal, "utf8");
    const sound = readFileSync(checkpoint, "utf8");
    const lines = text.split("\n");
    const fourLines = `${lines.slice(0, 4).join("\n")}\n`;
    for (const [content, against, message] of [
      [undefined, sound, "production.journal.jsonl is missing"],
      [undefined, "{", "production.journal.jsonl is missing"],
      ["", sound, "jsonl:1 is where the journal ends"],
      ["", "{", "jsonl:1 is where the journal ends"],
      [fourLines, sound, "jsonl:5 is where the journal ends"],
      [text.slice(0, -20), sound, "jsonl:5 is where the journal ends"],
    ] as const) {
      if (content === undefined) rmSync(journal, { force: true });
      else writeFileSync(journal, content);
      writeFileSync(checkpoint, against);
      await expect(store.read()).rejects.toMatchObject({ code: "IVR603" });
      await expect(store.read()).rejects.toThrow(message);
      await expect(store.lock(claim("x"))).rejects.toThrow(message);
    }
  });

  test("a checkpoint and a journal of two histories", async () => {
    const ours = await filled();
    const theirs = await filled("their");
    copyFileSync(theirs.journal, ours.journal);
    await expect(ours.store.read()).rejects.toMatchObject({
      code: "IVR603",
      message: expect.stringContaining("different histories"),
      hint: expect.stringContaining(`take ${shown}.json away`),
    });
  });

  test("names of environments that a disk takes for one", async () => {
    const { folder, journal, checkpoint } = await filled();
    renameSync(journal, join(folder, "Production.journal.jsonl"));
    const other = new FileStore(folder, "Production");
    await expect(other.read()).rejects.toThrow("environment production, not of Production");
    renameSync(checkpoint, join(folder, "Production.json"));
    await expect(other.lock(claim("x"))).rejects.toMatchObject({ code: "IVR603" });
  });

  test("every byte of every file changed or cut off: the same state, a refusal, or the tail", async () => {
    const { store, journal, checkpoint } = await filled();
    const events = readFileSync(journal);
    const sound: Record<string, Buffer> = {
      [journal]: events,
      [checkpoint]: readFileSync(checkpoint),
    };
    const whole = JSON.stringify(seen((await store.read()).state));
    const prefixes = new Set([JSON.stringify(seen((await fresh().store.read()).state))]);
    for (const end of newlines(events)) {
      const { store: part, journal: path, folder } = fresh();
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, events.subarray(0, end));
      prefixes.add(JSON.stringify(seen((await part.read()).state)));
    }
    expect(prefixes.size).toBe(6);
    const counts = { same: 0, refused: 0, prefix: 0 };
    const judge = async (mayLoseTail: boolean, what: string) => {
      let found: string;
      try {
        // Under the lock, so that it is looked at once.
        const session = await sessionOf(store);
        found = JSON.stringify(seen(session.state));
        await session.close();
      } catch (error) {
        expect({ what, error }).toMatchObject({
          error: { code: expect.stringMatching(/^IVR60[23]$/) },
        });
        counts.refused += 1;
        return;
      }
      if (found === whole) counts.same += 1;
      else if (mayLoseTail && prefixes.has(found)) counts.prefix += 1;
      else throw new Error(`${what}: ${found}`);
    };
    for (const path of [checkpoint, journal]) {
      for (const other of path === journal ? [true, false] : [true]) {
        // Without the checkpoint, nobody can know of a tail that is gone.
        if (!other) rmSync(checkpoint);
        const bytes = sound[path] ?? Buffer.alloc(0);
        const step = bytes.length > 6000 ? 3 : 1;
        for (let at = 0; at < bytes.length; at += step) {
          const flipped = Buffer.from(bytes);
          flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
          writeFileSync(path, flipped);
          const lastNewline = path === journal && !other && at === bytes.length - 1;
          await judge(lastNewline, `${path} flipped at ${at}`);
          writeFileSync(path, bytes.subarray(0, at));
          await judge(path === journal && !other, `${path} cut at ${at}`);
        }
        for (const [file, content] of Object.entries(sound)) writeFileSync(file, content);
      }
    }
    expect(counts.same).toBeGreaterThan(1000);
    expect(counts.refused).toBeGreaterThan(1000);
    expect(counts.prefix).toBeGreaterThan(1000);
  }, 300_000);

  test("what is not a file, or may not be read, is told in words", async () => {
    const { folder } = await filled();
    mkdirSync(join(folder, "x.json"));
    await expect(new FileStore(folder, "x").read()).rejects.toMatchObject({
      code: "IVR604",
      message: ".ivrctl/state/x.json is not a regular file.",
    });
    symlinkSync("nowhere", join(folder, "y.lock"));
    await expect(new FileStore(folder, "y").lock(claim("x"))).rejects.toMatchObject({
      code: "IVR604",
      message: ".ivrctl/state/y.lock is a link that leads nowhere.",
    });
    const blocked = fresh();
    writeFileSync(join(blocked.project, ".ivrctl"), "");
    await expect(blocked.store.lock(claim("x"))).rejects.toMatchObject({
      code: "IVR604",
      message: expect.stringMatching(
        /production.lock cannot be .*: a part of its path is not a folder/,
      ),
    });
  });
});

/** Where each line ends. */
function newlines(bytes: Buffer): number[] {
  return [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
}
