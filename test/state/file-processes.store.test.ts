import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ownIdentity } from "../../src/deploy/state/process-identity.ts";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
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
    expect((await store.read()).state.records.size).toBe(history.length - 1);
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
    const since = (await store.read()).holder?.since ?? "";
    child.kill("SIGSTOP");
    expect(await store.lock(claim("x", { wait: 200 }))).toMatchObject({ kind: "held" });
    child.kill("SIGKILL");
    await child.ended;
    expect((await store.read()).holder).toBeNull();
    const { session, notes } = await locked(store);
    expect(notes.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Took over the lock of child \\(apply on .+, process ${child.pid}, since ${utc(since)}; lock .+\\)`,
        ),
      ),
    ]);
    await session.close();
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
    await until(async () => (await store.read()).holder !== null);
    const pid = (await store.read()).holder?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await until(async () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1")));
    const { session, notes } = await locked(store);
    expect(notes.map(String)).toEqual([expect.stringContaining(`process ${pid}, since`)]);
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
      const block = { kind: "locked", lock: { ...content, id: what } } as const;
      addBlock(root, block, "production");
      const found = await store.lock(claim("x"));
      expect([what, found.kind]).toEqual([what, taken ? "locked" : "held"]);
      if (found.kind === "locked") await found.session.close();
      else expect(await store.unlock(what)).toMatchObject({ id: what });
    }
    expect((await store.read()).holder).toBeNull();
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
  test("a partial write that fails is undone, and ends the session", async () => {
    const { root, folder, store } = fresh();
    // The limit is in units of 1,024 bytes. The first block of sixteen intents is larger.
    const { out } = await run(["append", root, "limit", "1000"], "ulimit -f 4;").ended;
    const failure = out.at(-1) ?? "";
    const why = "it would be larger than the system allows";
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

  test("the cost of an event does not depend on the number of menus", async () => {
    const costOf = async (menus: number) => {
      const session = await sessionOf(fresh().store);
      await session.append(begun("production"));
      await session.append(...Array.from({ length: menus }, (_, at) => intent(`k${at}`)));
      const before = bytesSoFar();
      for (let round = 0; round < 60; round += 1) await session.append(intent(`more${round}`));
      const bytes = bytesSoFar() - before;
      await session.close();
      return bytes;
    };
    const [few, many] = [await costOf(10), await costOf(10_000)];
    // Less than one byte for each menu, besides what the process writes anyway.
    expect(many - few).toBeLessThan(60 * 10_000);
  });
});

/** The events on record, as the child process prints them. */
async function recorded(store: StateStore): Promise<string[]> {
  const history = await store.history();
  return history.map(({ entry: { event } }) =>
    "key" in event ? `${event.kind} ${event.key}` : event.kind,
  );
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
