import { describe, expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { type Stage, config, stage } from "../support/ci/stage.ts";
import type { Pull } from "../support/ci/world.ts";
import { heldService } from "../support/held-service.ts";
import { menu, service, token, until } from "../support/project.ts";

const both = ["github", "gitlab"] as const;
const day = { "ivrs/day.yaml": menu("Day") };
const night = { "ivrs/night.yaml": menu("Night") };
const changedDay = { "ivrs/day.yaml": menu("Day", "Front Desk") };
const movedDay = {
  "ivrs/day.yaml": null,
  "ivrs/noon.yaml": menu("Day", "Asha Rao", "moved_from: day\n"),
};

/** Opens, reviews and merges a pull request, whose apply waits. */
async function merged(place: Stage, branch: string, changes: Parameters<Stage["propose"]>[1]) {
  const pull = place.propose(branch, changes);
  const { id } = await place.review(pull);
  place.merge(pull);
  return { ...pull, id, merged: pull.merged ?? "" };
}

/** Applies a pull request after others were merged: it was approved late, or runs again. */
function applyLate(place: Stage, { base, merged: commit }: Pull, ...args: readonly string[]) {
  return place.apply({ before: base, commit: commit ?? "", args });
}

describe("an apply after others were merged", () => {
  test.each(both)("does not create a menu that was reverted since, on %s", async (kind) => {
    const place = await stage(kind, { files: day });
    await place.person()("apply", "--auto-approve");
    const first = await merged(place, "night", night);
    const revert = await merged(place, "revert", { "ivrs/night.yaml": null });
    const after = await place.apply({ before: revert.base });
    expect([after.exit, after.summary]).toEqual([0, expect.stringContaining("Nothing to apply")]);

    for (const args of [[], ["--run", String(first.id)]]) {
      const late = await applyLate(place, first, ...args);
      expect(late.summary).toContain("the files on main have changed since it was made: night.");
      expect(late.summary).toContain("The reviewed plan is stale. There is nothing to do.");
      expect([late.exit, place.created()]).toEqual([0, ["Day"]]);
    }
    expect(place.result(first)).toContain("### Nothing to do (production)");
    expect(place.isLocked()).toBe(false);
    expect(place.server.refused).toEqual([]);
  });

  test("does not send an old version again after an error, and offers the new one", async () => {
    const faults = ["status=400 success=false message=No times=1"];
    const place = await stage("gitlab", { faults });
    const first = await merged(place, "night", night);
    expect(await place.apply()).toMatchObject({ exit: 1 });
    expect(place.comments(first)[1]?.body).toContain("### Apply failed");
    await merged(place, "desk", { "ivrs/night.yaml": menu("Night", "Front Desk") });

    const again = await applyLate(place, first);
    expect([again.exit, place.created()]).toEqual([1, []]);
    expect(place.comments(first)[1]?.body).toContain("Nothing was sent: the plan is stale");
    expect(again.summary).toContain("### Plan for production: 1 to create");
    expect(await place.applyRun(again.id)).toMatchObject({ exit: 0 });
    expect(place.sandbox.records.map(({ payload }) => payload)).toMatchObject([
      { name: "Night", destination: ["extension||500104"] },
    ]);
  });

  test.each([
    ["replace a menu whose file was deleted", "github", changedDay, { "ivrs/day.yaml": null }],
    ["forget a menu whose file is back", "gitlab", { "ivrs/day.yaml": null }, day],
    ["move a menu whose file is back", "github", movedDay, { "ivrs/noon.yaml": null, ...day }],
  ] as const)("does not %s since", async (_, kind, reviewed, since) => {
    const files = { ...day, "ivrs/other.yaml": menu("Other") };
    const place = await stage(kind, { files });
    await place.person()("apply", "--auto-approve");
    const first = await merged(place, "first", reviewed);
    place.commit("main", since);
    const before = place.events();
    const late = await applyLate(place, first);
    expect(late.summary).toContain("The plan is stale: the files on main have changed since");
    expect(late.summary).toMatch(/### (?:Nothing was sent: the plan is stale|Nothing to do) /);
    expect(late.summary).not.toContain("Make a new plan");
    expect(place.created()).toEqual(["Day", "Other"]);
    expect(place.events()).toBe(before);
  });

  test("is not held back by changes of other menus", async () => {
    const place = await stage("gitlab", { files: day });
    await place.person()("apply", "--auto-approve");
    const first = await merged(place, "night", night);
    await merged(place, "day", changedDay);
    const late = await applyLate(place, first);
    expect(late).toMatchObject({ exit: 0 });
    expect(late.log).toContain(`Its files at ${place.repository.head("main")} count.`);
    expect(place.created()).toEqual(["Day", "Night"]);
    expect(place.comments(first)[1]?.body).toContain("### Applied (production)");
  });

  test("sends nothing if the default branch cannot be fetched", async () => {
    const place = await stage("github");
    const first = await merged(place, "night", night);
    git(place.repository.bare, "update-ref", "-d", "refs/heads/main");
    const late = await applyLate(place, first);
    expect([late.exit, late.summary]).toEqual([
      1,
      expect.stringContaining("Nothing was sent, because the last"),
    ]);
    expect(late.summary).toContain("couldn't find remote ref refs/heads/main.");
    expect(late.log).toContain("IVR681");
    expect(place.created()).toEqual([]);
    expect(place.isLocked()).toBe(false);
    expect(place.result(first)).toContain("### Apply failed (production)");
    expect(place.result(first)).toContain("IVR681: Nothing was sent, because the last");
  });
});

test.each(both)("a shallow checkout applies every pull request of a push, on %s", async (kind) => {
  const place = await stage(kind);
  const { base } = await merged(place, "night", night);
  const last = await merged(place, "day", day);
  const late = await place.apply({ before: base, commit: last.merged });
  expect([late.exit, place.created()]).toEqual([0, ["Day", "Night"]]);
  await merged(place, "noon", { "ivrs/noon.yaml": menu("Noon") });
  const next = await merged(place, "dusk", { "ivrs/dusk.yaml": menu("Dusk") });
  place.server.isDown = true;
  const failed = await place.apply({ before: last.merged, commit: next.merged });
  expect([failed.exit, failed.summary]).toEqual([
    1,
    expect.stringContaining("git cannot list the commits of this push"),
  ]);
  expect(place.created()).toEqual(["Day", "Night"]);
});

test("a plan is not sent to a service that main has left since", async () => {
  const sandbox = await service({ token });
  const env = { OTHER_URL: sandbox.url.replace("127.0.0.1", "localhost") };
  const place = await stage("github", { sandbox, env });
  const first = await merged(place, "night", night);
  place.commit("main", { "ivrctl.yaml": config.replace("TELEPHONY_BASE_URL", "OTHER_URL") });
  const moved = await applyLate(place, first);
  expect([moved.exit, moved.summary]).toEqual([1, expect.stringContaining("IVR623")]);
  // Also not after the state has left it too.
  const words = ["state", "rebind", "--to", env.OTHER_URL, "--evidence", "ticket 4711"];
  expect(await place.person()(...words)).toMatchObject({ exit: 0 });
  const late = await applyLate(place, first);
  expect([late.exit, late.summary]).toEqual([1, expect.stringContaining("IVR623")]);
  expect(place.created()).toEqual([]);
});

test("an apply that waited for the lock sees what was merged meanwhile", async () => {
  const sandbox = await heldService({ token });
  const place = await stage("github", { sandbox, isInGit: true });
  await merged(place, "day", day);
  const first = place.startApply();
  await until(() => sandbox.held === 1);
  await merged(place, "night", night);
  const second = place.startApply();
  await until(() => second.printed().includes("Waiting up to 1800 s for the lock"));
  place.commit("main", { "ivrs/night.yaml": null });
  sandbox.release();
  const ended = await Promise.all([first.ended, second.ended]);
  expect(ended.map(({ exit }) => exit)).toEqual([0, 0]);
  expect(place.created()).toEqual(["Day"]);
});
