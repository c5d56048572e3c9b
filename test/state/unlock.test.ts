import { expect, test } from "vitest";
import { applied, lockElsewhere, lockHere } from "../support/state.ts";

test("unlock warns if the process of the lock is still running on this machine", async () => {
  const { path, run } = await applied();
  lockHere(path, { isDead: false });
  const { exit, stdout, stderr } = await run("unlock", "abc123");
  expect(exit).toBe(0);
  expect(stdout).toMatch(/Released the lock of meera@here \(apply on .*lock abc123/);
  expect(stderr).toContain(
    `warning[IVR601]: The process ${process.pid} (apply) that held this lock is still running on this machine. It cannot record anything more.`,
  );
  expect(stderr).toContain("ivrctl state list --env test");
});

test("state list shows the lock of a process that has ended, and its id", async () => {
  const { path, run } = await applied();
  for (const isDead of [true, false]) {
    lockHere(path, { isDead });
    const { stdout } = await run("state", "list", "--format", "json");
    expect(JSON.parse(stdout).lock).toMatchObject({ id: "abc123", has_ended: isDead });
    await run("unlock", "abc123");
  }
});

test("unlock does not warn about a process that has ended or runs on another machine", async () => {
  const { path, run } = await applied();
  lockHere(path, { isDead: true });
  const dead = await run("unlock", "abc123");
  lockElsewhere(path);
  const elsewhere = await run("unlock", "abc123");
  for (const { exit, stdout, stderr } of [dead, elsewhere]) {
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain("lock abc123");
  }
});
