import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bucket, freshPrefix, radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

/*
 * All tests here use users with the permissions of the policy in docs/state-s3.md.
 */
const prefix = freshPrefix();
const page = readFileSync(join(import.meta.dirname, "../../docs/state-s3.md"), "utf8");

const server = radosgw(async (server) => {
  const [, json = ""] = /This is `policy\.json`:\n+```json\n(.*?)```/s.exec(page) ?? [];
  const policy = json
    .replaceAll("my-ivr-state", bucket)
    .replaceAll("team-a", prefix)
    // Replace Amazon's roles by users of this store.
    .replaceAll("arn:aws:iam::111122223333:role/", "arn:aws:iam:::user/");
  for (const name of ["ivr-apply", "ivr-plan"]) server.user(name);
  const answer = await fetch(server.url("PUT", `/${bucket}`, { policy: "" }), {
    method: "PUT",
    body: policy,
  });
  if (!answer.ok) throw new Error(`The store refuses the policy: ${answer.status}`);
  as("ivr-apply");
});

function as(name: string): void {
  const keys = { accessKey: `AK-${name}`, secretKey: `SK-${name}` };
  useCredentials(keys);
}

const open = (environment: string) => storeAt(server().endpoint, prefix, { environment });

test("a waiting run learns who holds the lock, and gets it when it ends", async () => {
  const session = await sessionOf(open("a"));
  await session.append(begun("a"));
  expect(await open("a").lock(claim("run-2", { wait: 300 }))).toMatchObject({ kind: "held" });
  const waiting = locked(open("a"), "run-3", { wait: 300_000 });
  await session.append(intent("k"));
  await session.close();
  const next = await waiting;
  expect(next.session.state.serial).toBe(2);
  await next.session.close();
});

test("a suspended process that still holds its lock continues", async () => {
  const session = await sessionOf(open("b"));
  await session.append(begun("b"), intent("k"));
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 6000);
  onTestFinished(() => later.mockRestore());
  expect(session.isConfirmed).toBe(false);
  await session.confirm();
  await session.append(created("k"));
  await session.close();
  expect((await open("b").read()).state.serial).toBe(3);
});

test("a run notices that its lock was released, and `unlock` works while it writes", async () => {
  const session = await sessionOf(open("c"));
  await session.append(begun("c"));
  expect(await open("c").unlock("run-1")).toMatchObject({ id: "run-1" });
  await expect(session.append(intent("k"))).rejects.toMatchObject({ code: "IVR601" });
  await session.close();
});

test("a role that may only read can read state, history and lock; a missing object is reported", async () => {
  const session = await sessionOf(open("d"));
  await session.append(begun("d"));
  for (const key of ["k", "l"]) await session.append(intent(key));
  as("ivr-plan");
  onTestFinished(() => as("ivr-apply"));
  expect((await open("d").read()).state.serial).toBe(3);
  expect(await open("d").history()).toHaveLength(3);
  expect((await open("d").read()).holder).toMatchObject({ id: "run-1" });
  await expect(open("d").unlock("run-1")).rejects.toMatchObject({
    code: "IVR604",
    message: expect.stringContaining("(HTTP 403) to s3:PutObject"),
  });
  const gone = `/${bucket}/${prefix}/d/log/000000000003`;
  await fetch(server().url("DELETE", gone), { method: "DELETE" });
  await expect(open("d").read()).rejects.toMatchObject({
    code: "IVR603",
    message: expect.stringMatching(/d\/log\/000000000003 .*is missing/),
  });
});
