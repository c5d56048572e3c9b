import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command, start } from "../support/cli.ts";
import { heldService } from "../support/held-service.ts";
import { isLocked, stateFolder } from "../support/file-log.ts";
import { created } from "../state/events.ts";
import { hasEvents, menu, project, service, until } from "../support/project.ts";
import { run as runHarmed } from "../search/process.ts";

test("an intent survives a power cut if its request has left", async () => {
  const held = await heldService();
  const { path, env, json } = project(held.url, { a: menu("A") });
  const { signal } = await runHarmed(["apply", "--auto-approve"], {
    cwd: path,
    token: "",
    variables: env,
    disturbance: { mode: "power-cut", at: 0 },
    started: (child) => void until(() => held.held === 1).then(() => child.kill("SIGUSR2")),
  });
  expect([signal, held.records.length]).toEqual(["SIGKILL", 1]);
  expect((await json("plan")).value.summary).toMatchObject({ create: 0, unknown: 1 });
});

describe("a state that cannot be written", () => {
  test("prevents the first request", async () => {
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    await run("state", "init");
    rmSync(join(path, ".ivrctl/state"), { recursive: true });
    writeFileSync(join(path, ".ivrctl/state"), "a file where the folder should be");
    const { exit, stderr } = await run("apply", "--auto-approve");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR604")]);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("sends nothing if the file of the intents cannot be written completely", async () => {
    const { url, requests } = await service();
    const { path, env, run, journal } = project(url, { a: menu("A"), b: menu("B") });
    await run("state", "init");
    // Files of this process cannot grow beyond 1 KiB, so the lock fits, but not the intents.
    const limited = `ulimit -f 1; exec "${process.execPath}" "${command}" apply --auto-approve`;
    const { exit, stderr } = await start("bash", ["-c", limited], { cwd: path, env }).finished;
    expect(exit).toBe(1);
    expect(stderr).toMatch(/IVR604.*it would be larger than the system allows\./);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(journal().map(({ event }) => event.kind)).toEqual(["begun"]);
    expect(isLocked(path)).toBe(false);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    expect((await run("plan")).stdout).toContain("2 unchanged");
  });

  test("stops further requests, and the known outcomes are printed", async () => {
    const { url, requests, records } = await service({ faults: ["latency=300 name=A1"] });
    const menus = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`m${String(n).padStart(2, "0")}`, menu(`A${n}`)]),
    );
    const { path, env, run, start } = project(url, menus, { service: "concurrency: 2" });
    const started = start("apply", "--auto-approve");
    await until(() => hasEvents(path, "done", 3));
    // Somebody moves the state away during the run.
    const folder = stateFolder(path);
    renameSync(folder, join(path, "aside"));
    const { exit, stdout, stderr } = await started.finished;
    renameSync(join(path, "aside"), folder);
    expect(stderr).toMatch(/IVR603.*\.jsonl is missing\. Another process changed the folder\./);
    expect(stdout).toContain("not attempted");
    expect([1, 3]).toContain(exit);
    const sent = requests.filter(({ method }) => method === "POST").length;
    expect(sent).toBeLessThan(30);
    // The state has every menu of the service, as current or unknown.
    const { stdout: plan } = await run("plan", "--format", "json");
    const { summary } = JSON.parse(plan);
    expect(summary.unchanged + summary.unknown).toBe(records.length);
    expect(exit).toBe(summary.unknown > 0 ? 3 : 1);
    // The rescue file is lost, but not the printed commands.
    rmSync(join(path, ".ivrctl/rescue"), { recursive: true, force: true });
    for (const [line] of stderr.matchAll(
      /ivrctl state resolve \S+ --created --evidence '[^']*' --env test/g,
    )) {
      execFileSync("sh", ["-c", line.replace("ivrctl", `"${process.execPath}" "${command}"`)], {
        cwd: path,
        env: { ...process.env, ...env },
      });
    }
    const after = JSON.parse((await run("plan", "--format", "json")).stdout);
    expect(after.summary.unchanged).toBe(records.length);
  });

  test("does not touch rescue files that are unreadable or belong to another state", async () => {
    const { url } = await service();
    const { run, path, write } = project(url, { a: menu("A") });
    const rescue = {
      rescue: 2,
      environment: "test",
      state: "L9",
      run: "job-1",
      at: "2026",
      outcomes: [{ sum: "d", outcome: created("a") }],
    };
    write(".ivrctl/rescue/test-half.json", "{");
    write(".ivrctl/rescue/test-other.json", JSON.stringify(rescue));
    write(".ivrctl/rescue/test-2-x.json", JSON.stringify({ ...rescue, environment: "test-2" }));
    mkdirSync(join(path, ".ivrctl/rescue/test-folder.json"));
    const { exit, stderr } = await run("apply", "--auto-approve");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/IVR673.*test-half\.json cannot be read/);
    expect(stderr).toMatch(/IVR673.*test-folder\.json cannot be read/);
    expect(stderr).toContain("belongs to a different state (L9)");
    expect(stderr).not.toContain("test-2-x");
    expect(readdirSync(join(path, ".ivrctl/rescue"))).toHaveLength(4);
  });

  test("is reported if the folder is read-only, and nothing is sent", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root may write everywhere");
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    await run("state", "init");
    chmodSync(join(path, ".ivrctl"), 0o500);
    expect((await run("apply", "--auto-approve")).stderr).toContain("IVR604");
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});
