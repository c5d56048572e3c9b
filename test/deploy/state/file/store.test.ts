import { createHash } from "node:crypto";
import fs, {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type StateEvent, stateVersion } from "../../../../src/schema/state.ts";
import { FileStore } from "../../../../src/deploy/state/file/store.ts";
import { claim, locked, sessionOf, storeConformance } from "../conformance.ts";
import { fillingConformance, mark } from "../conformance-filling.ts";
import { begun, created, intent } from "../events.ts";
import { filled, fresh, seen, shown, words } from "./place.ts";
import { stoppedClock, testHost } from "../../../support/host.ts";

const makePlace = async () => {
  const { folder, lock, store } = fresh();
  const leaveDeadLock = async (_: string, id: string) => {
    const session = await sessionOf(store, id);
    const living = JSON.parse(readFileSync(lock, "utf8"));
    await session.close();
    writeFileSync(lock, JSON.stringify({ ...living, pid: 4_194_304 }));
  };
  return {
    open: (environment: string) => new FileStore(folder, environment, testHost()),
    leaveDeadLock,
  };
};

storeConformance("the file store", makePlace);
fillingConformance("the file store", makePlace);

describe("the files in the state folder", () => {
  test("an incomplete line is removed and synced before anything is added", async () => {
    const { journal, store } = fresh();
    const first = await sessionOf(store);
    await first.append(begun("production"), intent("a"), created("a"));
    await first.close();
    appendFileSync(journal, '{"sum":"12');
    const { fdatasyncSync } = fs;
    fs.fdatasyncSync = () => {
      throw Object.assign(new Error("EIO: failed"), { code: "EIO" });
    };
    syncBuiltinESMExports();
    try {
      const second = await sessionOf(store);
      await expect(second.append(intent("b"))).rejects.toMatchObject({ code: "IVR604" });
      await second.close();
    } finally {
      fs.fdatasyncSync = fdatasyncSync;
      syncBuiltinESMExports();
    }
    const third = await sessionOf(store);
    await third.append(intent("b"));
    await third.close();
    expect((await store.read()).state.keys.get("b")?.pending).not.toBeNull();
  });

  test("a ballast file exists while requests may be in flight", async () => {
    const { folder, store } = fresh();
    const ballast = join(folder, ".production.ballast");
    const session = await sessionOf(store);
    await session.append(begun("production"));
    expect(existsSync(ballast)).toBe(false);
    await session.append(intent("a"));
    expect(readFileSync(ballast)).toHaveLength(64 * 1024);
    await session.close();
    expect(existsSync(ballast)).toBe(false);
    // One that a dead run left is removed.
    writeFileSync(ballast, "");
    await (await sessionOf(store)).close();
    expect(existsSync(ballast)).toBe(false);
  });

  test("a session without events leaves no files", async () => {
    const { folder, store } = fresh();
    await (await sessionOf(store)).close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("reading creates no folder", async () => {
    const { folder, store } = fresh();
    await store.read();
    await store.history();
    await store.holder();
    expect(await store.unlock("x")).toBeNull();
    expect(existsSync(folder)).toBe(false);
  });

  test("writes a readable checkpoint and one line for each event, with the given clock", async () => {
    const { folder, journal, checkpoint } = fresh();
    const store = new FileStore(
      folder,
      "production",
      testHost({ clock: stoppedClock("2026-03-01T08:00:00Z") }),
    );
    expect(store.place).toBe(`${shown}.json`);
    const session = await sessionOf(store);
    await session.append(begun("production"), intent("a"));
    expect(readdirSync(folder).sort()).toEqual([
      ".production.ballast",
      "production.journal.jsonl",
      "production.json",
      "production.lock",
    ]);
    expect(JSON.parse(readFileSync(join(folder, "production.lock"), "utf8"))).toMatchObject({
      version: stateVersion,
      id: "run-1",
      since: "2026-03-01T08:00:00.000Z",
      host: hostname(),
      pid: process.pid,
    });
    await session.close();
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.json"]);
    const lines = readFileSync(journal, "utf8").split("\n");
    expect(lines).toHaveLength(3);
    let head = "";
    for (const line of lines.slice(0, 2)) {
      const text = line.replace(/^\{"sum":"[0-9a-f]{16}",/, "{");
      head = sumOf(head + text);
      expect(line).toBe(`{"sum":"${head}",${text.slice(1)}`);
      expect(JSON.parse(text)).toMatchObject({ at: "2026-03-01T08:00:00.000Z" });
    }
    const text = readFileSync(checkpoint, "utf8");
    expect(text).toMatch(/^\{\n {2}"version": 4,\n {2}"lineage": "L1",/);
    expect(JSON.parse(text)).toMatchObject({ serial: 2, head });
    expect((await store.read()).state.head).toBe(head);
  });

  test("two branches of one history have the same lineage and serial, but different heads", async () => {
    const ours = await filled();
    const theirs = fresh();
    cpSync(ours.folder, theirs.folder, { recursive: true });
    expect(seen((await theirs.store.read()).state)).toEqual(ours.state);
    for (const { store, event } of [
      { store: ours.store, event: created("b") },
      { store: theirs.store, event: resolvedAbsent },
    ]) {
      const session = await sessionOf(store);
      await session.append(event);
      await session.close();
    }
    const [mine, other] = [(await ours.store.read()).state, (await theirs.store.read()).state];
    expect(other.origin).toEqual(mine.origin);
    expect(other.serial).toBe(mine.serial);
    expect(other.head).not.toBe(mine.head);
  });
});

describe("files that were changed or damaged", () => {
  test("refuses a checkpoint of a newer version and changes nothing", async () => {
    const { store, checkpoint, files } = await filled();
    const content: object = JSON.parse(readFileSync(checkpoint, "utf8"));
    writeFileSync(checkpoint, JSON.stringify({ ...content, version: 5, planets: [] }));
    const before = files();
    const refusal = {
      code: "IVR602",
      message: expect.stringContaining(`${shown}.json has version`),
    };
    await expect(store.read()).rejects.toMatchObject(refusal);
    await expect(store.history()).rejects.toMatchObject(refusal);
    await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
    expect(files()).toEqual(before);
  });

  test("refuses a journal of a newer version before it verifies the lines", async () => {
    const { store, journal, checkpoint } = await filled();
    rmSync(checkpoint);
    writeFileSync(journal, `{"hash":"x","event":{"kind":"begun","version":5}}\nwhatever\n`);
    await expect(store.read()).rejects.toMatchObject({ code: "IVR602" });
    // A journal that a newer ivrctl continued.
    const { store: other, journal: goneOn, folder } = await filled();
    appendLine(goneOn, `{"seq":6,"event":{"kind":"upgraded","version":5}}`);
    await expect(other.read()).rejects.toMatchObject({
      code: "IVR602",
      message: expect.stringContaining("journal.jsonl:6 has version 5"),
    });
    expect(readdirSync(folder)).not.toContain("production.lock");
  });

  test("refuses the state of an older build and changes nothing", async () => {
    const { store, journal, checkpoint, files } = await filled();
    writeFileSync(journal, readFileSync(journal, "utf8").replace('"version":4', '"version":3'));
    const refusal = { code: "IVR602", message: expect.stringContaining("an older build") };
    for (const remove of [[], [checkpoint]]) {
      for (const path of remove) rmSync(path);
      const before = files();
      await expect(store.read()).rejects.toMatchObject(refusal);
      await expect(store.lock(claim("x"))).rejects.toMatchObject(refusal);
      expect(files()).toEqual(before);
    }
  });

  test("writes the mark of a fill in place of the checkpoint", async () => {
    const { store, folder, journal, checkpoint, state } = await filled();
    const before = readFileSync(journal, "utf8");
    const { session } = await locked(store, "run-1", { accepts: ["filling"] });
    await session.fill(mark);
    await session.close();
    expect(JSON.parse(readFileSync(checkpoint, "utf8"))).toMatchObject({
      version: stateVersion,
      filling: { ...mark, head: null },
      serial: 5,
      head: state.head,
    });
    expect(readFileSync(journal, "utf8")).toBe(before);
    const { session: next } = await locked(store, "run-2", { accepts: ["filling"] });
    await next.discard();
    await next.close();
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.json"]);
    expect(seen((await store.read()).state)).toEqual(state);
  });

  test("does not open staged entries that are lost or damaged; they can be copied again", async () => {
    const { store, folder, journal, state } = await filled();
    const history = await store.history();
    rmSync(folder, { recursive: true });
    for (const damage of [rmSync, (path: string) => writeFileSync(path, "{")]) {
      const { session } = await locked(store, "run-1", { accepts: ["filling"] });
      await session.fill(mark);
      await session.copy(history);
      await session.seal(state.head);
      await session.close();
      const staging = readdirSync(folder).find((name) => name.endsWith(".filling")) ?? "";
      damage(join(folder, staging));
      const { session: next } = await locked(store, "run-2", { accepts: ["filling"] });
      await expect(next.seal(state.head)).rejects.toMatchObject({ code: "IVR675" });
      await expect(next.open()).rejects.toMatchObject({ code: "IVR675" });
      await next.close();
      expect(existsSync(journal)).toBe(false);
    }
    const { session } = await locked(store, "run-3", { accepts: ["filling"] });
    await session.fill(mark);
    await session.copy(history);
    await session.seal(state.head);
    await session.open();
    await session.close();
    expect(seen((await store.read()).state)).toEqual(state);
  });

  test("reads a state whose checkpoint is cut off, edited, missing or formatted in another way", async () => {
    const { store, state, checkpoint } = await filled();
    const text = readFileSync(checkpoint, "utf8");
    const cases: [string | undefined, readonly unknown[]][] = [
      [
        text.slice(0, -40),
        [expect.stringMatching(/json is cut off, so newer events may be missing/)],
      ],
      ["", [expect.stringMatching(/json is cut off/)]],
      [
        text.replace('"r1"', '"r9"'),
        [expect.stringMatching(/json was edited\. The edit has no effect/)],
      ],
      [
        text.replace('"name"', "name"),
        [expect.stringMatching(/json was edited and cannot be read/)],
      ],
      ["[]", [expect.stringMatching(/json was edited and cannot be read/)]],
      [undefined, [expect.stringMatching(/json is missing/)]],
      [JSON.stringify(JSON.parse(text)), []],
      [text.replaceAll("\n", "\r\n"), []],
      [`\uFEFF${text}`, []],
      [text.trimEnd(), []],
    ];
    for (const [content, notes] of cases) {
      if (content === undefined) rmSync(checkpoint);
      else writeFileSync(checkpoint, content);
      const reading = await store.read();
      expect(seen(reading.state)).toEqual(state);
      expect(words(reading.notes)).toEqual(notes);
      const { session, notes: again } = await locked(store, "run-1", {
        accepts: ["possibly-incomplete"],
      });
      expect(words(again)).toEqual(notes);
      expect(seen(session.state)).toEqual(state);
      await session.close();
      // The next session writes the checkpoint again, even if it adds no event.
      expect((await store.read()).notes).toEqual([]);
    }
  });

  test("an incomplete last line is a crash: readers ignore it, the next writer removes it", async () => {
    const { store, state, journal, checkpoint } = await filled();
    const whole = readFileSync(journal);
    const line = whole.subarray(whole.lastIndexOf("\n", whole.length - 2) + 1);
    const tails = [1, 8, 12, 25, 26, 60, line.length - 2].map((cut) => line.subarray(0, cut));
    const zeros = Buffer.alloc(600);
    tails.push(zeros, Buffer.concat([line.subarray(0, 90), zeros]));
    const before = readFileSync(checkpoint);
    for (const tail of tails) {
      writeFileSync(checkpoint, before);
      writeFileSync(journal, Buffer.concat([whole, tail]));
      const reading = await store.read();
      expect(seen(reading.state)).toEqual(state);
      expect(words(reading.notes)).toEqual([expect.stringContaining("jsonl:6 incomplete")]);
      expect(await store.history()).toHaveLength(5);
      // A session without events removes nothing.
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

  test("a last line without newline counts, and the next writer adds the newline", async () => {
    const { store, state, journal, checkpoint } = await filled();
    const text = readFileSync(journal, "utf8");
    for (const withCheckpoint of [true, false]) {
      writeFileSync(journal, text.trimEnd());
      if (!withCheckpoint) rmSync(checkpoint);
      expect(seen((await store.read()).state)).toEqual(state);
      const { session } = await locked(store, "run-1", { accepts: ["possibly-incomplete"] });
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
    ["a removed line", 3, (text) => text.replace(`${lineOf(text, 2)}\n`, "")],
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
      "a repeated line",
      4,
      (text) => text.replace(lineOf(text, 2), `${lineOf(text, 2)}\n${lineOf(text, 2)}`),
    ],
    ["an empty line", 3, (text) => text.replace(lineOf(text, 2), `\n${lineOf(text, 2)}`)],
    ["an empty last line", 6, (text) => `${text}\n`],
    ["an incomplete last line that no crash leaves", 6, (text) => `${text}>>>>>>> theirs`],
    ["zeros, and lines after them", 6, (text) => `${text}${"\0".repeat(9)}\n${lineOf(text, 4)}\n`],
    ["a zero in the middle of the last line", 5, (text) => text.replace("no answer", "no\0answer")],
    [
      "a zero instead of a newline",
      4,
      (text) => `${text.trimEnd().replace(/\n(?=[^\n]*$)/, "\0")}\n`,
    ],
    ["Windows line ends", 1, (text) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", 1, (text) => `\uFEFF${text}`],
    ["a merge conflict", 6, (text) => `${text}<<<<<<< HEAD\n`],
  ])("refuses a damaged journal and reports the line: %s", async (_, line, change) => {
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

  test("refuses a line with a valid sum that is not an event or contradicts the lines before it", async () => {
    for (const [text, message] of [
      ['{"seq":6}', '6 is not a valid event: expected string, received undefined at "at"; '],
      ["{not json", "6 is not a valid event: it is not JSON."],
      [
        JSON.stringify({ seq: 6, at: "", run: "", by: "", event: created("z") }),
        "6 contradicts the lines before it: z is not pending",
      ],
    ] as const) {
      const { store, journal } = await filled();
      appendLine(journal, text);
      await expect(store.read()).rejects.toMatchObject({ code: "IVR603" });
      await expect(store.read()).rejects.toThrow(message);
    }
  });

  test("refuses a journal in which events of its checkpoint are missing", async () => {
    const { store, journal, checkpoint } = await filled();
    const text = readFileSync(journal, "utf8");
    const valid = readFileSync(checkpoint, "utf8");
    const lines = text.split("\n");
    const fourLines = `${lines.slice(0, 4).join("\n")}\n`;
    for (const [content, against, message] of [
      [undefined, valid, "production.journal.jsonl is missing"],
      [undefined, "{", "production.journal.jsonl is missing"],
      ["", valid, "jsonl:1 is missing: the journal ends here"],
      ["", "{", "jsonl:1 is missing: the journal ends here"],
      [fourLines, valid, "jsonl:5 is missing: the journal ends here"],
      [text.slice(0, -20), valid, "jsonl:5 is missing: the journal ends here"],
    ] as const) {
      if (content === undefined) rmSync(journal, { force: true });
      else writeFileSync(journal, content);
      writeFileSync(checkpoint, against);
      await expect(store.read()).rejects.toMatchObject({ code: "IVR603" });
      await expect(store.read()).rejects.toThrow(message);
      await expect(store.lock(claim("x"))).rejects.toThrow(message);
    }
  });

  test("refuses a checkpoint and a journal of different histories", async () => {
    const ours = await filled();
    const theirs = await filled("their");
    copyFileSync(theirs.journal, ours.journal);
    await expect(ours.store.read()).rejects.toMatchObject({
      code: "IVR603",
      message: expect.stringContaining("different histories"),
      hint: expect.stringContaining(`move ${shown}.json away`),
    });
  });

  test("refuses the state of an environment whose name differs only in case", async () => {
    const { folder, journal, checkpoint } = await filled();
    renameSync(journal, join(folder, "Production.journal.jsonl"));
    const other = new FileStore(folder, "Production", testHost());
    await expect(other.read()).rejects.toThrow("environment production, not to Production");
    renameSync(checkpoint, join(folder, "Production.json"));
    await expect(other.lock(claim("x"))).rejects.toMatchObject({ code: "IVR603" });
  });

  test("reports a state file that is a folder or cannot be read", async () => {
    const { folder } = await filled();
    mkdirSync(join(folder, "x.json"));
    await expect(new FileStore(folder, "x", testHost()).read()).rejects.toMatchObject({
      code: "IVR604",
      message: ".ivrctl/state/x.json is a folder, not a file.",
    });
    const blocked = fresh();
    writeFileSync(join(blocked.project, ".ivrctl"), "");
    await expect(blocked.store.lock(claim("x"))).rejects.toMatchObject({
      code: "IVR604",
      message: ".ivrctl/state is not a folder.",
    });
  });
});

const resolvedAbsent: StateEvent = { kind: "resolved", key: "b", as: "absent", evidence: null };

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Appends a line with a valid sum and any content. */
function appendLine(journal: string, text: string): void {
  const lines = readFileSync(journal, "utf8").trimEnd().split("\n");
  const sum = sumOf(`${lines.at(-1)?.slice(8, 24)}${text}`);
  appendFileSync(journal, `{"sum":"${sum}",${text.slice(1)}\n`);
}
