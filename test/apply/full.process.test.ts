import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stateFolder } from "../support/file-log.ts";
import { heldService } from "../support/held-service.ts";
import { lockIn, menu, project, until } from "../support/project.ts";

const menus = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, menu(`M${n}`)]));

/** A project whose state is on its own small disk; undefined if this user cannot mount one. */
async function onSmallDisk(count: number, kilobytes = 1024) {
  const service = await heldService();
  const newProject = project(service.url, menus(count), { service: "concurrency: 2" });
  const folder = join(newProject.path, ".ivrctl/state");
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], {
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  const ballast = join(folder, "ballast");
  /** Fills the disk to the last byte. */
  const fill = () => {
    for (const size of [4096, 1]) {
      for (;;) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
        } catch {
          break;
        }
      }
    }
  };
  return {
    ...newProject,
    service,
    free: () => rmSync(ballast),
    /** Starts an apply whose disk fills up while two creates are in flight. */
    paused: async () => {
      const started = newProject.start("apply", "--auto-approve");
      await until(() => service.held === 2);
      fill();
      service.release();
      await until(() => started.said().includes("Sending is paused"));
      return started;
    },
  };
}

describe("a disk that fills up while creates are in flight", () => {
  test("does not lose outcomes, and apply continues when there is space", async ({ skip }) => {
    const disk = await onSmallDisk(60);
    if (disk === undefined) return skip("it takes root to mount a disk");
    const { service, free, json, path } = disk;
    // Each attempt creates the ballast file, and removes it if there is no space.
    const changedAt = () => statSync(stateFolder(path)).ctimeMs;
    const started = await disk.paused();
    const { summary } = (await json("plan")).value;
    expect([summary.unknown, summary.unchanged]).toEqual([0, service.records.length]);
    expect(service.records.length).toBeGreaterThanOrEqual(2);
    // Two more attempts fail.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const before = changedAt();
      await until(() => changedAt() !== before);
    }
    free();
    const { exit, stderr } = await started.finished;
    expect(stderr).toContain("The state backend is back");
    expect([exit, service.records.length]).toEqual([0, 60]);
    expect(readdirSync(join(path, ".ivrctl"))).not.toContain("rescue");
    const after = (await json("plan")).value;
    expect([after.summary.unchanged, after.diagnostics]).toEqual([60, []]);
    return undefined;
  });

  test("does not lose outcomes after a second Ctrl-C", async ({ skip }) => {
    const disk = await onSmallDisk(60);
    if (disk === undefined) return skip("it takes root to mount a disk");
    const { service, json, path } = disk;
    const started = await disk.paused();
    started.child.kill("SIGINT");
    await until(() => started.said().includes("Interrupted"));
    started.child.kill("SIGINT");
    const { exit, stderr } = await started.finished;
    expect([exit, stderr]).toEqual([130, expect.stringContaining("Free space on that disk")]);
    const { summary } = (await json("plan")).value;
    expect([summary.unknown, summary.unchanged]).toEqual([0, service.records.length]);
    expect(readdirSync(join(path, ".ivrctl"))).not.toContain("rescue");
    return undefined;
  });
});

test("prints outcomes that cannot be saved, and state push accepts them", async () => {
  const service = await heldService();
  const { path, run, start, write } = project(service.url, { a: menu("A") });
  const { finished } = start("apply", "--auto-approve");
  await until(() => service.held === 1);
  await run("unlock", await lockIn(run));
  write(".ivrctl/rescue", "a file where the folder should be");
  service.release();
  const { exit, stderr } = await finished;
  expect(exit).toBe(3);
  expect(stderr).toContain("Save the long line below in a file");
  const line = stderr.split("\n").find((text) => text.startsWith('{"rescue":')) ?? "";
  writeFileSync(join(path, "saved.json"), `${line}\n`);
  const pushed = await run("state", "push", "saved.json");
  expect([pushed.exit, pushed.stderr]).toEqual([0, expect.stringContaining("a created")]);
  expect(service.records).toHaveLength(1);
});
