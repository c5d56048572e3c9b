import { expect, test } from "vitest";
import { applied, lockElsewhere, lockHere } from "../support/state.ts";

test("unlock warns if the process of the lock is still running on this machine", async () => {
  const { path, json, run } = await applied();
  lockHere(path, { isDead: false });
  const { exit, value } = await json("unlock", "abc123");
  expect([exit, value.released.id]).toEqual([0, "abc123"]);
  expect(value.diagnostics).toEqual([
    expect.objectContaining({
      code: "IVR601",
      severity: "warning",
      message: `The process ${process.pid} (apply) that held this lock is still running on this machine. It cannot record anything more.`,
      hint: expect.stringContaining("ivrctl state list --env test"),
    }),
  ]);
  lockHere(path, { isDead: false });
  const { stdout, stderr } = await run("unlock", "abc123");
  expect(stdout).toContain("Released the lock of meera@here (apply on ");
  expect(stderr).toContain("warning[IVR601]: The process ");
});

test("unlock does not warn about a process that has ended or runs on another machine", async () => {
  const { path, json } = await applied();
  lockHere(path, { isDead: true });
  const dead = await json("unlock", "abc123");
  lockElsewhere(path);
  const elsewhere = await json("unlock", "abc123");
  for (const { exit, value } of [dead, elsewhere]) {
    expect([exit, value.released.id, value.diagnostics]).toEqual([0, "abc123", []]);
  }
});
