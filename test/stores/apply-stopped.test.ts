import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { Cable } from "../support/cable.ts";
import type { Finished, startIvrctl } from "../support/cli.ts";
import { databaseProject } from "../support/postgres-project.ts";
import { postgres } from "../support/postgres.ts";
import { menu, namesOf, project, service, until } from "../support/project.ts";
import { secureService } from "../support/secure-service.ts";

// For the state in an object store see state-s3-lost.test.ts.

const server = postgres();

const three = {
  "front-desk": menu("Front desk"),
  night: menu("Night"),
  sales: menu("Sales"),
};

/** A run that was stopped with the intent of `night` on record, and before it is sent. */
interface Stopped {
  readonly sandbox: Sandbox;
  readonly finished: Promise<Finished>;
  /** Another process of the same project. */
  readonly run: (...args: string[]) => Promise<Finished>;
  /** Once what the store said is too old to be believed. */
  readonly goOn: () => Promise<void>;
}

type Started = ReturnType<typeof startIvrctl>;
const firstRun = ["apply", "--auto-approve", "--lock-id", "first"] as const;

/** Stopped while it connects to the service. */
async function whileConnecting(backend: "file" | "postgres"): Promise<Stopped> {
  const { sandbox, url, env, greeting } = await secureService();
  const own =
    backend === "file"
      ? project(url, three, "timeout: 300, concurrency: 1", env)
      : databaseProject(url, server().url(), three, { concurrency: 1, env });
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  let isStopped = false;
  greeting.greeted = async () => {
    if (isStopped || sandbox.records.length === 0) return;
    isStopped = true;
    started.child.kill("SIGSTOP");
    await promise;
  };
  const started: Started = own.start(...firstRun);
  await until(() => isStopped);
  return {
    sandbox,
    finished: started.finished,
    run: (...args) => own.start(...args).finished,
    goOn: async () => {
      await sleep(5000);
      resolve();
      started.child.kill("SIGCONT");
    },
  };
}

/** Stopped when the database has answered, and before it has seen the answer. */
async function beforeTheAnswer(): Promise<Stopped> {
  const sandbox = await service();
  const cable = new Cable(server().port);
  await cable.mend();
  onTestFinished(() => cable.unplug());
  const direct = server().url();
  const through = `postgresql://postgres@127.0.0.1:${cable.port}/postgres`;
  const own = databaseProject(sandbox.url, through, three, { concurrency: 1 });
  let isAsked = false;
  let isStopped = false;
  cable.asked = (bytes) => {
    const text = bytes.toString("latin1").replaceAll("\\", "");
    isAsked ||= text.includes('"event":{"kind":"intent","key":"night"');
    return "pass";
  };
  cable.answered = () => {
    if (isAsked && !isStopped) isStopped = started.child.kill("SIGSTOP");
    return "pass";
  };
  const started: Started = own.start(...firstRun);
  await until(() => isStopped);
  return {
    sandbox,
    finished: started.finished,
    run: (...args) => own.runAt(direct, ...args),
    goOn: async () => {
      await sleep(5000);
      started.child.kill("SIGCONT");
    },
  };
}

describe.each([
  ["with its state in files, while it connects", () => whileConnecting("file")],
  ["with its state in PostgreSQL, while it connects", () => whileConnecting("postgres")],
  ["with its state in PostgreSQL, before it sees the answer", beforeTheAnswer],
])("a run that is stopped between an intent and its create, %s", (_, stopped) => {
  test("sends nothing when it goes on, where a person released its lock and settled it", async () => {
    const { sandbox, run, finished, goOn } = await stopped();
    expect((await run("apply", "--auto-approve")).exit).toBe(4);
    expect((await run("unlock", "first")).exit).toBe(0);
    // It is not on the service, says a person, and lets it be created.
    expect((await run("state", "resolve", "night", "--absent")).exit).toBe(0);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    await goOn();
    const { exit, stdout, stderr } = await finished;
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
    expect(stderr).toContain("IVR601");
    expect(stdout).toMatch(/1 created.*2 not attempted/);
    expect(exit).toBe(1);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  test("sends nothing where its lock was released, and says that it did not", async () => {
    const { sandbox, run, finished, goOn } = await stopped();
    expect((await run("unlock", "first")).exit).toBe(0);
    await goOn();
    const { exit, stderr } = await finished;
    expect(namesOf(sandbox.records)).toEqual(["Front desk"]);
    expect(stderr).toContain("IVR601");
    expect(stderr).toContain("the request was not sent");
    expect(exit).toBe(3);
    const next = await run("apply", "--auto-approve");
    expect(next.exit).toBe(0);
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("goes on where the lock is still its own", async () => {
    const { sandbox, finished, goOn } = await stopped();
    await goOn();
    const { exit, stderr } = await finished;
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(sandbox.records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});
