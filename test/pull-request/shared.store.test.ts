import { expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { config, stage } from "../support/ci/stage.ts";
import { freshSchema, postgres } from "../support/postgres.ts";
import { menu } from "../support/project.ts";

const server = postgres();

test("a state in a database is used by all jobs, and no branch is made for it", async () => {
  const state = `{ backend: postgres, url: "\${STATE_URL}", schema: ${freshSchema()} }`;
  const url = server().url();
  const place = await stage("github", {
    files: { "ivrctl.yaml": config.replace(/state: .*/, `state: ${state}`) },
    env: { STATE_URL: url },
  });
  for (const name of ["Night", "Day"]) {
    const pull = place.propose(name, { [`ivrs/${name}.yaml`]: menu(name) });
    const planned = await place.review(pull);
    place.merge(pull);
    const applied = await place.apply();
    expect([planned.exit, applied.exit]).toEqual([0, 0]);
    expect(planned.log + applied.log + applied.summary).not.toContain(url);
  }
  const checked = await place.check();
  expect([checked.exit, checked.summary]).toEqual([0, expect.stringContaining("2 unchanged")]);
  expect(place.created()).toEqual(["Day", "Night"]);
  expect(git(place.repository.bare, "branch", "--list", "ivrctl-state*")).toBe("");
});
