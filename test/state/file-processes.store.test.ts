import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ownIdentity } from "../../src/deploy/state/process-identity.ts";
import type { StateStore } from "../../src/deploy/state/store.ts";
import { folder as temporaryFolder } from "../support/cli.ts";
import { addBlock, fileStore, stateFolder } from "../support/file-log.ts";
import { testHost } from "../support/host.ts";
import { utc } from "../../src/util/time.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, intent } from "./events.ts";

/** A project without a state. */
function fresh(root = temporaryFolder({})) {
  const store = fileStore(root, "production");
  return { root, store, folder: stateFolder(root, "production") };
}

let script = "";

beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), "ivrctl-child-"));
  const input = { child: join(import.meta.dirname, "file-store-child.ts") };
  const bundle = await rolldown({ input, platform: "node" });
  await bundle.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  script = join(dir, "child.mjs");
  return () => rmSync(dir, { recursive: true, force: true });
});

describe("locks between processes", () => {
  test("many processes take turns, some are killed, and no event is lost", async () => {
    const { root, folder, store } = fresh();
    const names = ["mortal-1", "a", "mortal-2", "b", "c"];
    const children = names.map((name) => run(["compete", root, name, "20"]));
    const ended = await Promise.all(children.map(({ ended }) => ended));
    for (const { err } of ended) expect(err).toBe("");
    // A killed process leaves at most its lock.
    await (await sessionOf(store)).close();
    const history = await store.history();
    expect(history[0]?.entry.event.kind).toBe("begun");
    expect((await store.read()).state.keys.size).toBe(history.length - 1);
    expect(history.length).toBeGreaterThan(20);
    expect(ended.map(({ signal }) => signal)).toEqual(["SIGKILL", null, "SIGKILL", null, null]);
    expect(
      readdirSync(folder).filter((name) => !/^\d{8}\.(jsonl|snapshot\.json)$/.test(name)),
    ).toEqual([]);
  });

  test("the lock of a killed process is taken over with a note, that of a living one is not", async () => {
    const { root, store } = fresh();
    const child = run(["hold", root, "run-9"]);
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
    expect(notes).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Took over the lock of child \\(apply on .+, process ${child.pid}, since ${utc(since)}; lock .+\\)`,
        ),
      ),
    ]);
    await session.close();
    expect(await store.leftLock()).toBeNull();
  });

  test("a zombie process counts as dead", async () => {
    const { root, store } = fresh();
    // The parent never waits for the process, so it becomes a zombie.
    const parent = spawn("bash", [
      "-c",
      `exec 3<&0; "$0" "$1" hold "$2" z <&3 & exec sleep infinity`,
      process.execPath,
      script,
      root,
    ]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    await until(async () => (await store.holder()) !== null);
    const pid = (await store.holder())?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await until(async () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1")));
    const { session, notes } = await locked(store);
    expect(notes).toEqual([expect.stringContaining(`process ${pid}, since`)]);
    await session.close();
  });

  test("a process counts as dead only on the same host, boot and PID namespace", async () => {
    const { root, store, folder } = fresh();
    mkdirSync(folder, { recursive: true });
    const living = {
      by: "me",
      command: "apply",
      since: "2026-01-01T00:00:00.000Z",
      ...ownIdentity(testHost().machine),
    };
    const dead = { ...living, pid: 4_194_304 };
    const cases: [string, typeof living, boolean][] = [
      ["no process of that PID", dead, true],
      ["our PID, given again", { ...living, started: "1" }, true],
      ["a living process", living, false],
      ["another host", { ...dead, host: "elsewhere" }, false],
      ["another boot", { ...dead, boot: "another" }, false],
      ["another PID namespace", { ...dead, pid_namespace: "pid:[1]" }, false],
      ["a system that says less", { ...dead, boot: null, pid_namespace: null }, false],
      ["no start time", { ...dead, started: null }, false],
    ];
    for (const [what, content, taken] of cases) {
      const block = { kind: "locked", session: what, lock: { ...content, id: what } } as const;
      addBlock(root, block, "production");
      const found = await store.lock(claim("x"));
      expect([what, found.kind]).toEqual([what, taken ? "locked" : "held"]);
      if (found.kind === "locked") await found.session.close();
      else expect(await store.unlock(what)).toMatchObject({ id: what });
    }
    expect(await store.holder()).toBeNull();
  });

  test("a session removes what runs left behind that were killed long ago, and nothing else", async () => {
    const { folder, store } = fresh();
    await (await sessionOf(store)).close();
    for (const name of [".old.tmp", ".new.tmp", "README"]) writeFileSync(join(folder, name), "");
    const longAgo = new Date(Date.now() - 7_200_000);
    utimesSync(join(folder, ".old.tmp"), longAgo, longAgo);
    await (await sessionOf(store)).close();
    const others = readdirSync(folder).filter((name) => !/^\d{8}\./.test(name));
    expect(others.sort()).toEqual([".new.tmp", "README"]);
  });
});

describe("crashes and disks", () => {
  test("kill -9 during appends loses no acknowledged event", async () => {
    const { root, store } = fresh();
    const known = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const child = run(["append", root, `r${round}`, "1000000"]);
      await child.line("created");
      await sleep(Math.random() * 40);
      child.kill("SIGKILL");
      const { out } = await child.ended;
      for (const line of out) known.add(line);
      const found = new Set(await recorded(store));
      expect([...known].filter((line) => !found.has(line))).toEqual([]);
      // At most one event of each of the sixteen calls was not printed yet.
      expect(found.size - known.size).toBeLessThanOrEqual(1 + 16 * (round + 1));
      expect((await store.read()).notes).toEqual([]);
    }
    expect(known.size).toBeGreaterThan(5);
  });

  test("a partial write that fails is undone, and ends the session", async () => {
    const { root, folder, store } = fresh();
    // The limit is in units of 1,024 bytes. The first block of sixteen intents is larger.
    const { out } = await run(["append", root, "limit", "1000"], "ulimit -f 4;").ended;
    const failure = out.at(-1) ?? "";
    const why = "it has reached the largest size that is allowed";
    expect(failure).toMatch(/for good$/);
    expect(failure).toContain(`state/production/00000003.jsonl cannot be written: ${why}.`);
    // What was reported as durable is in the log, and nothing else.
    expect((await store.read()).notes).toEqual([]);
    expect((await recorded(store)).toSorted()).toEqual(["begun", ...out.slice(0, -1)].toSorted());
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
    const session = await sessionOf(store);
    await session.append(intent("afterwards"));
    await session.close();
  });

  test("a full disk is reported, leaves nothing incomplete, and works again with free space", async (context) => {
    const disk = temporaryFolder({});
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=900k", "tmpfs", disk], { stdio: "pipe" });
    } catch (error) {
      context.skip(`a small disk cannot be mounted here: ${String(error)}`);
    }
    onTestFinished(() => void execFileSync("umount", ["-l", disk]));
    const { root, store } = fresh(disk);
    const filler = join(disk, "filler");
    writeFileSync(filler, Buffer.alloc(140 * 1024));
    const { out } = await run(["append", root, "full", "1000"]).ended;
    await refusedAt(out, store, "the disk is full");
    expect(await store.leftLock()).toBeNull();
    // Without space for a lock, the error comes before anything is sent.
    const rest = openSync(join(disk, "rest"), "w");
    try {
      for (;;) writeSync(rest, Buffer.alloc(512));
    } catch {
      closeSync(rest);
    }
    await expect(store.lock(claim("x"))).rejects.toMatchObject({
      code: "IVR604",
      message: expect.stringContaining("cannot be written: the disk is full."),
    });
    rmSync(filler);
    rmSync(join(disk, "rest"));
    execFileSync("mount", ["-o", "remount,size=4m", disk]);
    const session = await sessionOf(store);
    await session.append(intent("afterwards"));
    await session.close();
    expect((await store.read()).notes).toEqual([]);
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
    // Each block is one write.
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
async function recorded(store: StateStore): Promise<string[]> {
  const history = await store.history();
  return history.map(({ entry: { event } }) =>
    "key" in event ? `${event.kind} ${event.key}` : event.kind,
  );
}

/** Expects that the child printed its durable events, and then once why it stopped. */
async function refusedAt(out: readonly string[], store: StateStore, why: string): Promise<void> {
  const failure = out.at(-1) ?? "";
  expect(failure).toContain(`cannot be written: ${why}.`);
  expect(failure).toMatch(/for good$/);
  const { state, notes } = await store.read();
  expect(notes).toEqual([]);
  // Every intent had space for its outcome.
  expect([...state.keys.values()].filter(({ pending }) => pending !== null)).toEqual([]);
  // As many as were printed, and `begun`.
  expect(state.serial).toBe(out.length);
  expect(state.serial).toBeGreaterThan(16);
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
