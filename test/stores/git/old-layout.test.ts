import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileStore } from "../../../src/deploy/state/file/store.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";
import { gitRemote, storeIn } from "../../support/git-remote.ts";

/** A remote with the state of one menu as earlier pipelines kept it. */
async function oldRemote(lock?: object) {
  const remote = gitRemote();
  const clone = remote.clone();
  const folder = join(mkdtempSync(join(tmpdir(), "ivrctl-old-")), ".ivrctl/state");
  const session = await sessionOf(new FileStore(folder, "production"));
  await session.append(begun("production"), intent("a"));
  await session.append(created("a"));
  await session.close();
  cpSync(folder, join(clone, "state"), { recursive: true });
  if (lock !== undefined) {
    mkdirSync(join(clone, "locks"));
    writeFileSync(join(clone, "locks/production.json"), JSON.stringify(lock));
  }
  const author = ["-c", "user.name=Pipeline", "-c", "user.email=pipeline@example.com"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...author, ...args], { cwd: clone });
  git("checkout", "--quiet", "-b", "ivrctl-state");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Old state");
  git("push", "--quiet", "origin", "ivrctl-state");
  return { remote, clone: remote.clone() };
}

test("a state in the old layout is read, and copied by the first run that takes the lock", async () => {
  const { remote, clone } = await oldRemote();
  expect((await storeIn(clone).read()).state.serial).toBe(3);
  expect(remote.git("for-each-ref", "refs/heads/ivrctl-state-production")).toBe("");
  const { session, notes } = await locked(storeIn(clone), "run-2");
  expect(notes).toEqual([
    "The state was copied from origin#ivrctl-state, where earlier pipelines kept it, to origin#ivrctl-state-production.",
  ]);
  await session.append(intent("b"), created("b"));
  await session.close();
  const { state, notes: later } = await storeIn(remote.clone()).read();
  expect([...state.keys.keys()]).toEqual(["a", "b"]);
  expect(later).toEqual([]);
  expect((await storeIn(remote.clone()).history()).map(({ entry }) => entry.run)).toEqual([
    "run-1",
    "run-1",
    "run-1",
    "run-2",
    "run-2",
  ]);
});

test("the old branch is locked, so that an old pipeline does not continue there", async () => {
  const { remote, clone } = await oldRemote();
  const session = await sessionOf(storeIn(clone), "run-2");
  await session.close();
  const lock = JSON.parse(remote.git("show", "refs/heads/ivrctl-state:locks/production.json"));
  expect(lock).toMatchObject({
    format: "ivrctl-pipeline-lock",
    id: "moved to the branch ivrctl-state-production",
  });
});

test("an interrupted copy is completed by the next run", async () => {
  const { remote, clone } = await oldRemote();
  const session = await sessionOf(storeIn(clone), "run-2");
  await session.close();
  // As if the run had been killed after it locked the old branch.
  remote.git("update-ref", "-d", "refs/heads/ivrctl-state-production");
  const again = await sessionOf(storeIn(remote.clone()), "run-3");
  expect(again.state.serial).toBe(3);
  await again.close();
});

test("a state whose old pipeline is under way is not copied", async () => {
  const { remote, clone } = await oldRemote({ format: "ivrctl-pipeline-lock", id: "job-7" });
  await expect(storeIn(clone).lock(claim("run-2"))).rejects.toThrow(
    "A pipeline holds the lock job-7 of production on origin#ivrctl-state.",
  );
  expect(remote.git("for-each-ref", "refs/heads/ivrctl-state-production")).toBe("");
});
