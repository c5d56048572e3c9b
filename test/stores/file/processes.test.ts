import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FileStore } from "../../../src/deploy/state/file/store.ts";
import { stateVersion } from "../../../src/schema/state.ts";
import { folder as temporaryFolder } from "../../support/cli.ts";
import { utc } from "../../../src/util/time.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";
import { filled, fresh, seen, shown, words } from "../../deploy/state/file/place.ts";

let script = "";

beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), "ivrctl-child-"));
  const input = { child: join(import.meta.dirname, "store-child.ts") };
  const bundle = await rolldown({ input, platform: "node" });
  await bundle.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  script = join(dir, "child.mjs");
  return () => rmSync(dir, { recursive: true, force: true });
});

describe("locks between processes", () => {
  test("many processes take turns, some are killed, and no event is lost", async () => {
    const { folder, store } = fresh();
    const names = ["mortal-1", "a", "mortal-2", "b", "c"];
    const children = names.map((name) => run(["compete", folder, name, "20"]));
    const ended = await Promise.all(children.map(({ ended }) => ended));
    for (const { err } of ended) expect(err).toBe("");
    // A killed process leaves at most its lock.
    await (await sessionOf(store)).close();
    const history = await store.history();
    expect(history[0]?.entry.event.kind).toBe("begun");
    expect((await store.read()).state.keys.size).toBe(history.length - 1);
    expect(history.length).toBeGreaterThan(20);
    expect(ended.map(({ signal }) => signal)).toEqual(["SIGKILL", null, "SIGKILL", null, null]);
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.json"]);
  });

  test("the lock of a killed process is taken over with a note, that of a living one is not", async () => {
    const { folder, store, lock } = fresh();
    const child = run(["hold", folder, "run-9"]);
    await child.line("locked");
    expect(await store.lock(claim("x"))).toMatchObject({
      kind: "held",
      lock: { id: "run-9", pid: child.pid },
    });
    const since = (await store.holder())?.since ?? "";
    child.kill("SIGSTOP");
    expect(await store.lock(claim("x", { wait: 200 }))).toMatchObject({ kind: "held" });
    child.kill("SIGKILL");
    await child.ended;
    expect(await store.holder()).toBeNull();
    const { session, notes } = await locked(store);
    expect(words(notes)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Took over the lock of child \\(apply on .+, process ${child.pid}, since ${utc(since)}; lock .+\\)`,
        ),
      ),
    ]);
    await session.close();
    expect(existsSync(lock)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a zombie process counts as dead", async () => {
    const { folder, store } = fresh();
    // The parent never waits for the process, so it becomes a zombie.
    const parent = spawn("bash", [
      "-c",
      `exec 3<&0; "$0" "$1" hold "$2" z <&3 & exec sleep infinity`,
      process.execPath,
      script,
      folder,
    ]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    await until(async () => (await store.holder()) !== null);
    const pid = (await store.holder())?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await until(async () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1")));
    const { session, notes } = await locked(store);
    expect(words(notes)).toEqual([expect.stringContaining(`process ${pid}, since`)]);
    await session.close();
  });

  test("a process counts as dead only on the same host, boot and PID namespace", async () => {
    const { folder, store, lock } = fresh();
    const own = await sessionOf(store);
    const living = JSON.parse(readFileSync(lock, "utf8"));
    await own.close();
    const dead = { ...living, pid: 4_194_304 };
    const cases: [string, object, boolean][] = [
      ["no process of that PID", dead, true],
      ["our PID, given again", { ...living, started: "1" }, true],
      ["a living process", living, false],
      ["another host", { ...dead, host: "elsewhere" }, false],
      ["another boot", { ...dead, boot: "another" }, false],
      ["another PID namespace", { ...dead, pid_namespace: "pid:[1]" }, false],
      ["a system that says less", { ...dead, boot: null, pid_namespace: null }, false],
      ["no start time", { ...dead, started: null }, false],
      ["a newer version", { ...dead, version: stateVersion + 1, more: true }, false],
    ];
    for (const [what, content, taken] of cases) {
      writeFileSync(lock, JSON.stringify({ ...content, id: what }));
      const found = await store.lock(claim("x"));
      expect([what, found.kind]).toEqual([what, taken ? "locked" : "held"]);
      if (found.kind === "locked") await found.session.close();
      else expect(await store.unlock(what)).toMatchObject({ id: what });
    }
    expect(existsSync(join(folder, "production.lock"))).toBe(false);
  });

  test("an unreadable lock counts as held, and can be released", async () => {
    const { folder, store, lock } = fresh();
    mkdirSync(folder, { recursive: true });
    for (const content of ["", "{", '{"id":"x"}', "\0\0\0"]) {
      writeFileSync(lock, content);
      expect(await store.lock(claim("x"))).toMatchObject({
        kind: "held",
        lock: { id: "unreadable" },
      });
      expect(await store.unlock("unreadable")).toMatchObject({ id: "unreadable" });
      await (await sessionOf(store)).close();
    }
  });

  test("the next session removes the files of dead runs, and nothing else", async () => {
    const { folder, store } = await filled();
    const uuid = "0b5c9c1e-5d0f-4f0e-9d57-0123456789ab";
    for (const name of [
      `.production.${uuid}.tmp`,
      `.staging.${uuid}.tmp`,
      ".production.mine.tmp",
    ]) {
      writeFileSync(join(folder, name), "");
    }
    await (await sessionOf(store)).close();
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([
      ".production.mine.tmp",
      `.staging.${uuid}.tmp`,
    ]);
  });
});

describe("fencing", () => {
  test("a session writes nothing after it has lost the lock", async () => {
    const { folder, store } = fresh();
    const session = await sessionOf(store);
    await store.unlock("run-1");
    const appended = session.append(begun("production"));
    await expect(appended).rejects.toThrow(/^Another process released the lock/);
    await expect(session.append(begun("production"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
    expect(readdirSync(folder).filter((name) => !name.startsWith("."))).toEqual([]);
  });

  test("a process that was suspended after it checked the lock does no harm", async () => {
    const { store, journal } = await filled();
    await sessionOf(store, "sleeper");
    const asleep = openSync(journal, "a");
    onTestFinished(() => closeSync(asleep));
    await store.unlock("sleeper");
    const session = await sessionOf(store, "awake");
    await session.append(created("b"));
    writeSync(asleep, '{"sum":"0123456789abcdef","seq":6}\n');
    await session.append(intent("c"));
    await session.close();
    expect((await store.history()).map(({ entry }) => entry.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(readdirSync(join(journal, "..")).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("a session notices that it lost the lock between write and sync", async () => {
    const { store, journal } = await filled();
    const session = await sessionOf(store, "slow");
    const size = statSync(journal).size;
    const appended = session.append(created("b")).catch((error: unknown) => error);
    while (statSync(journal).size === size) await nextTurn();
    const unlocked = store.unlock("slow");
    expect(await appended).toMatchObject({ code: "IVR601" });
    expect(await unlocked).toMatchObject({ id: "slow" });
    expect(session.state.serial).toBe(5);
    await session.close();
  });

  test.each<[string, (journal: string) => void]>([
    [
      "replaced",
      (journal) => {
        writeFileSync(`${journal}.new`, readFileSync(journal));
        renameSync(`${journal}.new`, journal);
      },
    ],
    ["removed", (journal) => rmSync(journal)],
    ["appended to", (journal) => writeFileSync(journal, "x", { flag: "a" })],
  ])(
    "reports a journal that was %s during a session, and leaves it unchanged",
    async (_, change) => {
      for (const appended of [false, true]) {
        const { store, journal, files } = await filled();
        const session = await sessionOf(store, "run-2");
        if (appended) await session.append(created("b"));
        change(journal);
        const before = files();
        await expect(session.append(intent("c"))).rejects.toMatchObject({
          code: "IVR603",
          message: expect.stringContaining("Another process changed"),
        });
        await session.close();
        expect(files()).toEqual(before.filter(([name]) => name !== "production.lock"));
      }
    },
  );
});

describe("crashes and disks", () => {
  test("kill -9 during appends loses no acknowledged event", async () => {
    const { folder, store } = fresh();
    const known = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const child = run(["append", folder, `r${round}`, "1000000"]);
      await child.line("created");
      await sleep(Math.random() * 40);
      child.kill("SIGKILL");
      const { out } = await child.ended;
      for (const line of out) known.add(line);
      const found = new Set(await recorded(store));
      expect([...known].filter((line) => !found.has(line))).toEqual([]);
      // At most one event of each of the sixteen calls was not printed yet.
      expect(found.size - known.size).toBeLessThanOrEqual(1 + 16 * (round + 1));
      // A kill may leave part of a write, which does not count.
      const { notes } = await store.read();
      expect(words(notes).filter((note) => !note.startsWith("A crash left"))).toEqual([]);
    }
    expect(known.size).toBeGreaterThan(5);
  });

  test("a partial write that fails is undone, and ends the session", async () => {
    const { folder, store, journal } = fresh();
    // The limit is in units of 1,024 bytes.
    const { out } = await run(["append", folder, "limit", "1000"], "ulimit -f 200;").ended;
    const failure = out.at(-1) ?? "";
    const why = "it has reached the largest size that is allowed";
    expect(failure).toContain(`${shown}.journal.jsonl cannot be written: ${why}.`);
    expect(failure).toMatch(/for good$/);
    const { state, notes } = await store.read();
    expect(notes).toEqual([]);
    // What was reported as durable is in the journal, and nothing else.
    expect((await recorded(store)).toSorted()).toEqual(["begun", ...out.slice(0, -1)].toSorted());
    // An outcome that could not be recorded leaves its intent, so the menu is unknown and not lost.
    const pending = [...state.keys].filter(([, record]) => record.pending !== null);
    const unanswered = out.filter(
      (line) => line.startsWith("intent ") && !out.includes(line.replace("intent", "created")),
    );
    expect(pending.map(([key]) => `intent ${key}`).toSorted()).toEqual(unanswered.toSorted());
    const size = readFileSync(journal).length;
    expect(size).toBeLessThanOrEqual(200 * 1024);
    expect(size).toBeGreaterThan(80 * 1024);
    const session = await sessionOf(store);
    await session.append(intent("afterwards"));
    await session.close();
  });

  test("a full disk is reported, leaves no incomplete line, and works again with free space", async (context) => {
    const disk = temporaryFolder({});
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], { stdio: "pipe" });
    } catch (error) {
      context.skip(`a small disk cannot be mounted here: ${String(error)}`);
    }
    onTestFinished(() => void execFileSync("umount", ["-l", disk]));
    const { folder, store, lock, journal } = fresh(disk);
    const filler = join(disk, "filler");
    writeFileSync(filler, Buffer.alloc(140 * 1024));
    const { out } = await run(["append", folder, "full", "1000"]).ended;
    await refusedAt(out, store, "the disk is full");
    expect(existsSync(lock)).toBe(false);
    expect(readFileSync(journal).at(-1)).toBe(0x0a);
    // Without space for a lock, the error comes before anything is sent.
    const rest = openSync(join(disk, "rest"), "w");
    try {
      for (;;) writeSync(rest, Buffer.alloc(512));
    } catch {
      closeSync(rest);
    }
    await expect(store.lock(claim("x"))).rejects.toMatchObject({
      code: "IVR604",
      message: `${shown}.lock cannot be written: the disk is full.`,
    });
    rmSync(filler);
    rmSync(join(disk, "rest"));
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    const session = await sessionOf(store);
    await session.append(intent("afterwards"));
    await session.close();
    expect((await store.read()).notes).toEqual([]);
  });

  test("a later checkpoint that cannot be written causes no error", async () => {
    const { store, checkpoint, folder } = fresh();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const first = readFileSync(checkpoint);
    rmSync(checkpoint);
    mkdirSync(checkpoint);
    await session.close();
    expect(await store.holder()).toBeNull();
    rmSync(checkpoint, { recursive: true });
    writeFileSync(checkpoint, first);
    expect(await store.read()).toMatchObject({ state: { serial: 1 }, notes: [] });
    expect(readdirSync(folder).sort()).toEqual(["production.journal.jsonl", "production.json"]);
  });

  test("concurrent calls share a sync: there are far fewer syncs than events", async () => {
    const { store } = fresh();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const before = countOf("syscw");
    const worker = async (nth: number) => {
      for (let at = 0; at < 100; at += 1) await session.append(intent(`${nth}-${at}`));
    };
    await Promise.all(Array.from({ length: 16 }, (_, nth) => worker(nth)));
    // Each sync follows one write of the journal.
    const writes = countOf("syscw") - before;
    await session.close();
    expect(await store.history()).toHaveLength(1601);
    expect(writes).toBeLessThan(800);
  });

  test("the cost of an event does not depend on the number of menus", async () => {
    const costOf = async (menus: number) => {
      const session = await sessionOf(fresh().store);
      await session.append(begun("production"));
      await session.append(...Array.from({ length: menus }, (_, at) => intent(`k${at}`)));
      const before = bytesSoFar();
      const times: number[] = [];
      for (let round = 0; round < 60; round += 1) {
        const started = process.cpuUsage();
        await session.append(intent(`more${round}`));
        const { user, system } = process.cpuUsage(started);
        times.push((user + system) / 1000);
      }
      const bytes = bytesSoFar() - before;
      await session.close();
      // Use CPU time and the best run, because the machine may be busy.
      return { bytes, milliseconds: Math.min(...times) };
    };
    const [few, many] = [await costOf(10), await costOf(10_000)];
    // Less than one byte for each menu, besides what the process writes anyway.
    expect(many.bytes - few.bytes).toBeLessThan(60 * 10_000);
    // Ten times as much would still be far from what 10,000 menus cost.
    expect(many.milliseconds).toBeLessThan(10 * few.milliseconds);
  });
});

/** The events on record, as the child process prints them. */
async function recorded(store: FileStore): Promise<string[]> {
  const history = await store.history();
  return history.map(({ entry: { event } }) =>
    "key" in event ? `${event.kind} ${event.key}` : event.kind,
  );
}

/** Expects that the child printed its durable events, and then once why it stopped. */
async function refusedAt(out: readonly string[], store: FileStore, why: string): Promise<void> {
  const failure = out.at(-1) ?? "";
  expect(failure).toContain(`${shown}.journal.jsonl cannot be written: ${why}.`);
  expect(failure).toMatch(/for good$/);
  const { state, notes } = await store.read();
  expect(words(notes).filter((note) => note.includes("incomplete"))).toEqual([]);
  // Every intent had space for its outcome.
  expect([...state.keys.values()].filter(({ pending }) => pending !== null)).toEqual([]);
  // As many as were printed, and `begun`.
  expect(state.serial).toBe(out.length);
  expect(state.serial).toBeGreaterThan(16);
  expect(seen(state).keys.length).toBeGreaterThan(0);
}

function run(args: readonly string[], before = "") {
  const child = spawn("bash", [
    "-c",
    `${before} exec "$@"`,
    "-",
    process.execPath,
    script,
    ...args,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const lines = () => out.split("\n").slice(0, -1);
  const ended = new Promise<{ out: string[]; err: string; signal: string | null }>((resolve) => {
    child.on("close", (_, signal) => resolve({ out: lines(), err, signal }));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    line: (start: string) => until(async () => lines().some((line) => line.startsWith(start))),
  };
}

/** The bytes read and written. */
function bytesSoFar(): number {
  return countOf("rchar") + countOf("wchar");
}

function countOf(what: string): number {
  return Number(new RegExp(`${what}: (\\d+)`).exec(readFileSync("/proc/self/io", "latin1"))?.[1]);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(5);
}
