import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heldService } from "../support/held-service.ts";
import { lockIn, menu, project, until } from "../support/project.ts";

/** A run with a create in flight, whose lock a person has released. */
async function denied() {
  const service = await heldService();
  const first = project(service.url, { a: menu("A") });
  const started = first.start("apply", "--auto-approve");
  await until(() => service.held === 1);
  expect((await first.run("unlock", await lockIn(first.run))).exit).toBe(0);
  const resolve = (...how: string[]) => first.run("state", "resolve", "a", "--by", "asha", ...how);
  return { service, first, finished: started.finished, resolve };
}

/** The folder of another user, with the same state. */
function elsewhere({ path, env }: ReturnType<typeof project>) {
  const other = project(env.BASE_URL, { a: menu("A") });
  other.write("ivrctl.yaml", readFileSync(join(path, "ivrctl.yaml"), "utf8"));
  mkdirSync(join(other.path, ".ivrctl"));
  symlinkSync(join(path, ".ivrctl/state"), join(other.path, ".ivrctl/state"));
  return other;
}

async function createdAgain() {
  const { service, first, finished, resolve } = await denied();
  expect((await resolve("--absent")).exit).toBe(0);
  const other = elsewhere(first);
  const second = other.start("apply", "--auto-approve");
  await until(() => service.held === 2);
  service.releaseNewest();
  expect((await second.finished).exit).toBe(0);
  service.release();
  return { service, first, other, ended: await finished };
}

const rescues = (path: string) => readdirSync(join(path, ".ivrctl/rescue"));

describe("a create that was recorded as absent while it was in flight", () => {
  test("becomes a follow-up if another run created the menu again", async () => {
    const { service, first, ended } = await createdAgain();
    expect(service.records).toHaveLength(2);
    expect(ended.exit).toBe(1);
    // `--created` would be about the create of the second run.
    expect(ended.stderr).toMatch(/If that file is lost, run:\n  ivrctl state show a --env test/);
    expect(rescues(first.path)).toHaveLength(1);

    const { matters } = (await first.json("plan")).value;
    expect(matters).toMatchObject([{ kind: "unrecorded" }]);
    const next = await first.run("apply", "--auto-approve");
    expect([next.exit, next.stderr]).toEqual([0, expect.stringContaining("two menus exist")]);
    expect(service.records).toHaveLength(2);
    expect(rescues(first.path)).toEqual([]);

    const { value } = await first.json("state", "list");
    const [followUp] = value.follow_ups;
    expect(value.follow_ups).toMatchObject([{ key: "a", name: "A", reason: "duplicate" }]);
    expect(value.menus).toMatchObject([{ key: "a", status: "live" }]);
    expect((await first.run("state", "show", "a")).stdout).toContain("found to be a second menu");
    expect((await first.run("state", "history")).stdout).toMatch(
      /a: a second menu “A” was created .*although it was recorded as not created; the second menu is follow-up F\d+/s,
    );
    expect((await first.run("plan")).stdout).toContain("Two menus exist for a.");
    expect((await first.run("state", "list", "--follow-ups")).stdout).toContain(
      "which of the two the phone number uses",
    );
    const done = await first.run("state", "done", followUp.id, "--evidence", "removed");
    expect([done.exit, (await first.json("plan")).value.follow_ups]).toEqual([0, []]);
  });

  test("is recorded once with state push on another machine", async () => {
    const { first, other, ended } = await createdAgain();
    const [file = ""] = rescues(first.path);
    expect(ended.stderr).toContain(`ivrctl state push .ivrctl/rescue/${file} --env test`);
    other.write("first.json", readFileSync(join(first.path, ".ivrctl/rescue", file), "utf8"));
    const events = () => other.journal().length;
    const before = events();
    expect((await other.run("state", "push", "first.json")).exit).toBe(0);
    expect(events()).toBe(before + 1);
    expect((await other.run("state", "push", "first.json")).exit).toBe(0);
    expect(events()).toBe(before + 1);
    // The folder of the first run has nothing to add.
    const next = await first.run("apply", "--auto-approve");
    expect([next.exit, next.stderr]).toEqual([0, expect.stringContaining("Already recorded: ")]);
    expect((await first.json("state", "list")).value.follow_ups).toHaveLength(1);
  });
});
