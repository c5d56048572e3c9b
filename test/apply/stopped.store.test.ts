import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { opened } from "../support/listen.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { type Finished, folder, type startIvrctl } from "../support/cli.ts";
import { databaseProject } from "../support/stored-project.ts";
import { postgres } from "../support/postgres.ts";
import { lockIn, namesOf, project, service, until, threeMenus } from "../support/project.ts";
import { secureService } from "../support/secure-service.ts";

const server = postgres();

/** A process that is suspended after the intent of `night` is recorded, and before it is sent. */
interface Stopped {
  readonly sandbox: Sandbox;
  readonly finished: Promise<Finished>;
  /** Another process of the same project. */
  readonly run: (...args: string[]) => Promise<Finished>;
  /** Lets the confirmation of the lock expire, and continues the run. */
  readonly goOn: () => void;
}

type Started = ReturnType<typeof startIvrctl>;

/**
 * Returns an `env` for commands. When the test calls `jump`, six seconds pass on their clock at once.
 * The other clock goes back. So a command does not give up waiting because the test was slow while
 * the command was suspended.
 */
function jumpingClock() {
  const file = join(folder({}), "jumped");
  const preload = join(import.meta.dirname, "../support/jumping-clock.cjs");
  return {
    env: { NODE_OPTIONS: `--require=${preload}`, TEST_CLOCK_JUMPED: file },
    jump: () => writeFileSync(file, ""),
  };
}

/** Starts an apply, and suspends it while it connects to the service. */
async function whileConnecting(backend: "file" | "postgres"): Promise<Stopped> {
  const { sandbox, url, greeting, ...secure } = await secureService();
  const clock = jumpingClock();
  const env = { ...secure.env, ...clock.env };
  const newProject =
    backend === "file"
      ? project(url, threeMenus, { service: "concurrency: 1", env })
      : databaseProject(url, server().url(), threeMenus, { concurrency: 1, env });
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  let isStopped = false;
  greeting.greeted = async () => {
    if (isStopped || sandbox.records.length === 0) return;
    isStopped = true;
    started.child.kill("SIGSTOP");
    await promise;
  };
  const started: Started = newProject.start("apply", "--auto-approve");
  await until(() => isStopped);
  return {
    sandbox,
    finished: started.finished,
    run: (...args) => newProject.start(...args).finished,
    goOn: () => {
      clock.jump();
      resolve();
      started.child.kill("SIGCONT");
    },
  };
}

/** Starts an apply, and suspends it after the database has answered, before it has read the answer. */
async function beforeTheAnswer(): Promise<Stopped> {
  const sandbox = await service();
  const clock = jumpingClock();
  const proxy = await opened(new TcpProxy(server().port));
  const direct = server().url();
  const through = `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`;
  const newProject = databaseProject(sandbox.url, through, threeMenus, {
    concurrency: 1,
    env: clock.env,
  });
  let isAsked = false;
  let isStopped = false;
  proxy.asked = (bytes) => {
    const text = bytes.toString("latin1").replaceAll("\\", "");
    isAsked ||= text.includes('"event":{"kind":"intent","key":"night"');
    return "pass";
  };
  proxy.answered = () => {
    if (isAsked && !isStopped) isStopped = started.child.kill("SIGSTOP");
    return "pass";
  };
  const started: Started = newProject.start("apply", "--auto-approve");
  await until(() => isStopped);
  return {
    sandbox,
    finished: started.finished,
    run: (...args) => newProject.runWith({ STATE_URL: direct }, ...args),
    goOn: () => {
      clock.jump();
      started.child.kill("SIGCONT");
    },
  };
}

describe("a process suspended between an intent and its request", () => {
  test.each([
    ["with its state in files, while it connects", () => whileConnecting("file")],
    ["with its state in PostgreSQL, while it connects", () => whileConnecting("postgres")],
    ["with its state in PostgreSQL, before it sees the answer", beforeTheAnswer],
  ])("sends nothing later if a person has resolved the outcome, %s", async (_, stopped) => {
    const { sandbox, run, finished, goOn } = await stopped();
    expect((await run("apply", "--auto-approve")).exit).toBe(4);
    expect((await run("unlock", await lockIn(run))).exit).toBe(0);
    // A person resolves it as absent and applies again.
    expect((await run("state", "resolve", "night", "--absent")).exit).toBe(0);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    goOn();
    const { exit, stdout, stderr } = await finished;
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
    expect(stderr).toContain("IVR601");
    expect(stdout).toMatch(/1 created.*2 not attempted/);
    expect(exit).toBe(1);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  test("sends nothing later if its lock was released, and reports that", async () => {
    const { sandbox, run, finished, goOn } = await beforeTheAnswer();
    expect((await run("unlock", await lockIn(run))).exit).toBe(0);
    goOn();
    const { exit, stderr } = await finished;
    expect(namesOf(sandbox.records)).toEqual(["Front desk"]);
    expect(stderr).toContain("IVR601");
    expect(stderr).toContain("the request was not sent");
    expect(exit).toBe(3);
    const next = await run("apply", "--auto-approve");
    expect(next.exit).toBe(0);
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("continues if it still holds the lock", async () => {
    const { sandbox, finished, goOn } = await beforeTheAnswer();
    goOn();
    const { exit, stderr } = await finished;
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});
