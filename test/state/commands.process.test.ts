import { describe, expect, test } from "vitest";
import { isLocked } from "../support/file-log.ts";
import { hasEvents, menu, project, service, until } from "../support/project.ts";
import { applied, atTerminal, lastOf, lockElsewhere, replaced } from "../support/state.ts";
import { atTerminal as typedAt } from "../support/terminal.ts";

describe("state history", () => {
  test("fits 80 columns without losing text", async () => {
    const { path, run } = await applied();
    const evidence = `${"seen on the console by two of us ".repeat(8)}END`;
    await run("state", "resolve", "night", "--absent", "--evidence", evidence);
    const { screen } = await atTerminal(path, ["state", "history"], "");
    const lines = screen.trimEnd().split(/\r?\n/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(screen.replace(/\s+/g, " ")).toContain(evidence);
  });
});

describe("state rm", () => {
  test('asks at a terminal, and accepts only "yes"', async () => {
    const { path, journal } = await applied();
    const before = journal();
    const no = await atTerminal(path, ["state", "rm", "sales"], "y\n");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("sales  “Sales”, created ");
    expect(no.screen).toContain("The service keeps the menu");
    expect(no.screen).toContain("Nothing was deleted.");
    const interrupted = await atTerminal(path, ["state", "rm", "sales"], "\u0003");
    expect(interrupted.exit).toBe(130);
    // A question that was not answered leaves no lock.
    expect(isLocked(path)).toBe(false);
    expect(journal()).toEqual(before);
    expect((await atTerminal(path, ["state", "rm", "sales"], "yes\n")).exit).toBe(0);
    expect(lastOf(journal())).toMatchObject({ kind: "dropped", key: "sales" });
  });
});

describe("state resolve", () => {
  async function threeUnknown() {
    const faults = ["cut name=A times=1", "cut name=B times=1", "cut name=C times=1"];
    const { url } = await service({ faults });
    const newProject = project(url, { "shops/a": menu("A"), "shops/b": menu("B"), c: menu("C") });
    expect((await newProject.run("apply", "--auto-approve")).exit).toBe(3);
    const walk = (...answers: string[]) =>
      typedAt({
        cwd: newProject.path,
        args: ["state", "resolve"],
        answers,
        prompt: "[skip]: ",
        env: { NO_COLOR: "1" },
      });
    return { ...newProject, walk };
  }

  test("without arguments shows each unknown menu and asks", async () => {
    const { walk, journal, path } = await threeUnknown();
    const before = journal();
    const { exit, screen } = await walk("Created\n", "perhaps\n", "n\n", "\n");
    expect(exit).toBe(0);
    expect(screen.replace(/\s+/g, " ")).toMatch(
      /1 of 3: c “C”, create sent: [^“]* UTC answer: HTTP 200, .* key 1: Asha Rao .* look for: “C” on the console,/,
    );
    expect(screen).toContain("Type one of created, absent, skip");
    expect(screen).toContain("c: resolved as created.");
    expect(screen).toContain("shops/a: resolved as not created; the next plan offers it again.");
    expect(screen).not.toContain("shops/b: recorded");
    const added = journal().slice(before.length);
    expect(added.map(({ event }) => event)).toMatchObject([
      { kind: "outcome", key: "c", as: "done" },
      { kind: "outcome", key: "shops/a", as: "not-done" },
    ]);
    expect(isLocked(path)).toBe(false);
  });

  test("keeps each answer, also if it is interrupted or killed at the next question", async () => {
    const { walk, journal, path } = await threeUnknown();
    const before = journal().length;
    const skipped = await walk("s\n", "skip\n", "\n");
    expect(skipped.exit).toBe(0);
    expect(skipped.screen).toContain("Nothing was recorded.");
    expect(journal()).toHaveLength(before);
    const interrupted = await walk("yes\n", "\u0003");
    expect(interrupted.exit).toBe(130);
    expect(interrupted.screen).toContain("Interrupted. Your answers so far are recorded.");
    expect(journal().slice(before)).toMatchObject([{ event: { key: "c", as: "done" } }]);
    expect(isLocked(path)).toBe(false);
    // Ctrl-\ ends the process at once.
    const killed = await walk("no\n", "\u001C");
    expect(killed.exit).not.toBe(0);
    expect(journal().slice(before + 1)).toMatchObject([
      { event: { key: "shops/a", as: "not-done" } },
    ]);
    expect((await walk("created\n")).screen).toContain("1 of 1: shops/b");
    expect(journal()).toHaveLength(before + 3);
  });

  test("lists what a pattern matches, and asks once", async () => {
    const { path, journal } = await threeUnknown();
    const before = journal();
    const args = ["state", "resolve", "shops/*", "--absent"];
    const no = await atTerminal(path, args, "no\n");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("shops/a  “A”, sent ");
    expect(no.screen).toContain(
      "Record in the state of test that the console does not show these 2 menus?",
    );
    expect(no.screen).toContain("Nothing was recorded.");
    expect(journal()).toEqual(before);
    expect((await atTerminal(path, args, "yes\n")).exit).toBe(0);
    expect(journal()).toHaveLength(before.length + 2);
    // Nothing is asked about a key that is named.
    expect((await atTerminal(path, ["state", "resolve", "c", "--absent"], "")).exit).toBe(0);
    const { screen } = await atTerminal(path, ["state", "resolve"], "");
    expect(screen).toContain("The state of test has no menu with an unknown outcome.");
  });
});

describe("state done", () => {
  test("lists the follow-ups of a pattern, and asks once", async () => {
    const { path, journal, id } = await replaced();
    const before = journal();
    const no = await atTerminal(path, ["state", "done", "s*"], "\n");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain(`${id}  sales  “Sales” created `);
    expect(no.screen).toContain("Continue only if the old menu is out of service.");
    expect(journal()).toEqual(before);
    expect((await atTerminal(path, ["state", "done", "s*"], "yes\n")).exit).toBe(0);
    expect(lastOf(journal())).toMatchObject({ kind: "done", follow_up: id });
  });
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
