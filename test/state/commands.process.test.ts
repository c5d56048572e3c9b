import { describe, expect, test } from "vitest";
import { hasEvents, menu, project, service, until } from "../support/project.ts";
import { applied, lockElsewhere, threeUnknown } from "../support/state.ts";
import { atTerminal } from "../support/terminal.ts";

test("state resolve keeps the answers before it is killed at a question", async () => {
  const { path, journal, run } = await threeUnknown();
  const before = journal().length;
  // Ctrl-\ ends the process at once.
  const { exit } = await atTerminal({
    cwd: path,
    args: ["state", "resolve"],
    answers: ["no\n", "\u001C"],
    prompt: "[skip]: ",
    env: { NO_COLOR: "1" },
  });
  expect(exit).not.toBe(0);
  expect(journal().slice(before)).toMatchObject([{ event: { key: "c", as: "not-done" } }]);
  expect((await run("state", "resolve", "c", "shops/a", "--created")).exit).toBe(1);
  expect((await run("state", "resolve", "shops/a", "--created")).exit).toBe(0);
});

describe("the lock", () => {
  test("of a running apply is respected, and that of a killed apply is taken over with a note", async () => {
    const server = await service({ faults: ["silence name=B created=yes"] });
    const { start, run, json, path } = project(server.url, { a: menu("A"), b: menu("B") });
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => server.records.length === 2 && hasEvents(path, "done"));
    const held = await run("state", "resolve", "b", "--created");
    expect(held.exit).toBe(4);
    expect(held.stderr).toContain(`process ${child.pid}`);
    child.kill("SIGKILL");
    await finished;
    const { exit, stdout, stderr } = await run("state", "resolve", "b", "--created");
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: "b: resolved as created.\n",
    });
    expect(stderr).toContain("Took over the lock of");
    expect((await json("plan")).value.summary).toMatchObject({ create: 0, unchanged: 2 });
  });

  test("can be waited for, and Ctrl-C ends the waiting", async () => {
    const { start, path, journal } = await applied();
    lockElsewhere(path);
    const before = journal();
    const { child, finished, said } = start("apply", "--auto-approve", "--lock-timeout", "500");
    await until(() => said().includes("Waiting up to 500 s for the lock."));
    child.kill("SIGINT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(130);
    expect(stderr).toContain(
      "The state of test is locked by meera@elsewhere (apply on elsewhere␛[2J,",
    );
    expect(stderr).not.toContain("bug");
    expect(journal()).toEqual(before);
  });
});
