import { expect, test } from "vitest";
import { bucketProject } from "../support/bucket-project.ts";
import { heldService } from "../support/held-service.ts";
import { objectsOf } from "../support/objects.ts";
import { lockIn, menu, namesOf, service, until } from "../support/project.ts";
import { radosgw } from "../support/radosgw.ts";

const server = radosgw();

test("every command refuses a log whose end was deleted, and no menu is created again", async () => {
  const { url, records } = await service();
  const own = bucketProject(url, server(), { day: menu("Day"), night: menu("Night") });
  const { names, get, put, remove } = objectsOf(server(), "test", own.prefix);
  // A refused apply before this one would add its lock to the log.
  expect((await own.run("apply", "--auto-approve", "--new-state")).exit).toBe(0);
  const before = (await own.run("state", "pull")).stdout;
  const kept = await Promise.all(
    names("log/").map(async (name) => [name, await get(name)] as const),
  );
  for (const [name] of kept.slice(1).toReversed()) {
    await remove(name);
    const refused = await own.run("apply", "--auto-approve");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain(`IVR603]: The object test/${name} of `);
    expect(refused.stderr).toMatch(/would be created again[^]*Restore it from a backup/);
  }
  expect((await own.run("plan")).exit).toBe(1);
  expect((await own.run("state", "list")).exit).toBe(1);
  expect(namesOf(records)).toEqual(["Day", "Night"]);
  for (const [name, bytes] of kept.slice(1)) await put(name, bytes);
  expect((await own.run("state", "pull")).stdout).toBe(before);
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  expect(namesOf(records)).toHaveLength(2);
});

test("a cleanup step on the machine of a killed run releases its lock for all machines", async () => {
  const { url } = await heldService();
  const own = bucketProject(url, server(), { day: menu("Day") });
  const { names, get } = objectsOf(server(), "test", own.prefix);
  const { child, finished } = own.start("apply", "--auto-approve");
  await until(() => names("log/").length > 1);
  child.kill("SIGKILL");
  await finished;
  const id = await lockIn(own.run);
  const { exit, stdout } = await own.run("unlock", id);
  expect(exit).toBe(0);
  expect(stdout).toContain(id);
  expect((await get(names("log/").at(-1) ?? "")).toString()).toContain('"kind":"released"');
  expect((await own.json("state", "list")).value.lock ?? null).toBeNull();
});
