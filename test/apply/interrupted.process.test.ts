import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isLocked } from "../support/file-log.ts";
import { command, start } from "../support/cli.ts";
import { heldService } from "../support/held-service.ts";
import { hasEvents, menu, project, service, until } from "../support/project.ts";

describe("an interrupted apply", () => {
  const menus = Object.fromEntries(["a", "b", "c"].map((key) => [key, menu(key)]));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "finishes the requests in flight after one %s",
    async (signal) => {
      const { url, records, release } = await heldService();
      const { start, journal, json } = project(url, menus, { service: "concurrency: 1" });
      const { child, finished, said } = start("apply", "--auto-approve", "--format", "json");
      await until(() => records.length === 1);
      child.kill(signal);
      await until(() => said().includes("Interrupted"));
      release();
      const { exit, stdout } = await finished;
      expect(exit).toBe(130);
      expect(JSON.parse(stdout).summary).toMatchObject({ created: 1, not_attempted: 2 });
      expect(records).toHaveLength(1);
      expect(journal().at(-1).event).toMatchObject({ kind: "outcome", as: "done" });
      expect((await json("plan")).value.summary).toMatchObject({ create: 2, unchanged: 1 });
    },
  );

  test("says that it did not read the list after a create", async () => {
    const { url, records, release } = await heldService({ operations: ["list"] });
    const { start } = project(url, menus, { service: "concurrency: 1", operations: ["list"] });
    const { child, finished, said } = start("apply", "--auto-approve");
    await until(() => records.length === 1);
    child.kill("SIGINT");
    await until(() => said().includes("Interrupted"));
    release();
    const { exit, stdout } = await finished;
    expect(exit).toBe(130);
    expect(stdout).toContain("a: created, but the id is not known yet.");
  });

  test("stops at once after a second signal, and the requests in flight are unknown", async () => {
    const { url, requests } = await service({ faults: ["silence on=create"] });
    const { start, json } = project(url, menus, { service: "concurrency: 2" });
    const { child, finished, said } = start("apply", "--auto-approve", "--format", "json");
    await until(() => requests.filter(({ method }) => method === "POST").length === 2);
    child.kill("SIGINT");
    // The system may merge two signals that are sent together.
    await until(() => said().includes("Interrupted"));
    child.kill("SIGINT");
    const { exit, stdout } = await finished;
    expect(exit).toBe(3);
    expect(JSON.parse(stdout).summary).toMatchObject({ unknown: 2, not_attempted: 1 });
    expect((await json("plan")).value.summary).toMatchObject({ create: 1, unknown: 2 });
  });

  test("leaves no unknown outcome if the signal comes between two attempts", async () => {
    const { url } = await service({ faults: ["status=429 retry-after=20"] });
    const { start, json, path } = project(url, { a: menu("a") });
    const { child, finished } = start("apply", "--auto-approve", "--format", "json");
    await until(() => hasEvents(path, "not-done"));
    child.kill("SIGINT");
    const { exit, stdout } = await finished;
    expect(exit).toBe(130);
    expect(JSON.parse(stdout).results).toMatchObject([{ outcome: "failed", attempts: 1 }]);
    expect((await json("plan")).value.summary).toMatchObject({ create: 1, unknown: 0 });
  });

  test("leaves a lock after kill -9, which the next run takes over", async () => {
    const { url, requests } = await service({
      faults: ["silence created=yes name=a", "silence name=b"],
    });
    const { start, run, path, json } = project(url, menus, { service: "concurrency: 2" });
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => requests.filter(({ method }) => method === "POST").length === 2);
    child.kill("SIGKILL");
    await finished;
    expect(isLocked(path)).toBe(true);
    const before = await json("plan");
    expect(before.value.summary).toMatchObject({ create: 1, unknown: 2 });
    const { exit, stderr } = await run("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(stderr).toContain("Took over the lock");
    expect(isLocked(path)).toBe(false);
    const sent = requests.flatMap(({ name }) => name ?? []);
    expect(new Set(sent).size).toBe(sent.length);
  });
});

describe("a signal before the first request", () => {
  test("ends the wait for the agent list", async () => {
    const { url, requests } = await service({ faults: ["silence on=agents"] });
    const { start, path } = project(url, { a: menu("A") });
    const { child, finished } = start("apply", "--auto-approve", "--format", "json");
    await until(() => requests.length === 1);
    child.kill("SIGINT");
    const { exit, stdout } = await finished;
    expect([exit, JSON.parse(stdout).results]).toEqual([130, []]);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(isLocked(path)).toBe(false);
  });

  test("ends the wait for a token", async () => {
    const { url } = await service();
    const { start, write, path } = project(url, { a: menu("A") });
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    const waits = "{ command: [sh, -c, 'touch asked; exec sleep 300'] }";
    write("ivrctl.yaml", config.replace('"${TOKEN}"', waits));
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => existsSync(join(path, "asked")));
    child.kill("SIGTERM");
    expect((await finished).exit).toBe(130);
  });
});

describe("apply if its output cannot be printed", () => {
  const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));

  test.each([
    ["a reader that stops reading", "2>&1 | head -n1"],
    ["a closed log", "2>&-"],
    ["a log on a full disk", "2>/dev/full"],
  ])("continues with %s", async (_, redirection) => {
    const { url, records } = await service({ faults: ["latency=100"] });
    const { path, env, run } = project(url, menus, { service: "concurrency: 1" });
    await run("state", "init");
    const line = `"${process.execPath}" "${command}" apply --auto-approve ${redirection}`;
    await start("bash", ["-c", line], { cwd: path, env }).finished;
    expect(records).toHaveLength(4);
    expect(isLocked(path)).toBe(false);
    expect((await run("plan")).stdout).toContain("4 unchanged");
  });

  test("reports that the result could not be printed", async () => {
    const { url, records } = await service();
    const { path, env, run } = project(url, menus);
    await run("state", "init");
    const line = `"${process.execPath}" "${command}" apply --auto-approve --quiet --format json >/dev/full`;
    const { exit, stderr } = await start("bash", ["-c", line], { cwd: path, env }).finished;
    expect([exit, records.length]).toEqual([1, 4]);
    expect(stderr).toMatch(/^ivrctl: Cannot write to stdout: [^\n]*\n$/);
  });
});
