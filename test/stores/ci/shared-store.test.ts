import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, ivrctl } from "../../support/cli.ts";
import { heldService } from "../../support/held-service.ts";
import { freshSchema, postgres } from "../../support/postgres.ts";
import { menu, namesOf, token, until } from "../../support/project.ts";
import { gitlabStage } from "../../support/ci/gitlab-stage.ts";
import { config } from "../../support/ci/stage.ts";
import { git } from "../../support/ci/repository.ts";
import { stage } from "../../support/ci/stage.ts";
import { workflowPath } from "../../support/ci/workflow.ts";

/*
 * A state in a store that all runs share. The pipeline uses no state branch.
 */

const server = postgres();

/** The pipeline's project, with its state in the database. */
function inDatabase(): string {
  const state = `state: { backend: postgres, url: "\${STATE_URL}", schema: ${freshSchema()} }`;
  return `${config}    ${state}\n`;
}

/** What `init` writes for a project with this configuration. */
async function workflowFor(text: string): Promise<string> {
  const cwd = folder({ "ivrctl.yaml": text });
  const { exit, stderr } = await ivrctl(["init", "--ci", "github"], { cwd });
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  return readFileSync(join(cwd, workflowPath), "utf8");
}

const branches = (bare: string) => git(bare, "branch", "--list", "--format=%(refname:short)");

/** A stage whose jobs have the variables that `init` lists. */
async function place(
  changed = (workflow: string) => workflow,
  options: Parameters<typeof stage>[0] = {},
) {
  const text = inDatabase();
  const own = await stage({ files: { "ivrctl.yaml": text }, ...options });
  const workflow = changed(await workflowFor(text));
  const secrets = { TELEPHONY_TOKEN: token, STATE_URL: server().url() };
  return { ...own, wishes: { workflow, secrets } };
}

describe.each([
  ["as `init` writes it", (workflow: string) => workflow],
  [
    "where the input `state` is missing",
    (workflow: string) => workflow.replaceAll(/^ +state: .*\n/gm, ""),
  ],
])("on GitHub, %s", (_, changed) => {
  test("takes a change from its pull request to its apply, and then the next one", async () => {
    const { repository, sandbox, wishes, ...own } = await place(changed);
    for (const [key, planned] of [
      ["night", "1 to create; 0 unchanged"],
      ["day", "1 to create; 1 unchanged"],
    ] as const) {
      own.commit(key, { [`ivrs/${key}.yaml`]: menu(key) });
      const pull = own.open(key);
      const run = await own.pullRequest(pull, key, wishes);
      expect([run.ok, run.summary]).toEqual([true, expect.stringContaining(planned)]);
      own.merge(pull, key);
      expect(await own.push(wishes)).toMatchObject({ ok: true, exits: { apply: 0, keep: 0 } });
    }
    expect(namesOf(sandbox.records)).toEqual(["night", "day"]);
    const checked = await own.onMain("schedule", wishes);
    expect([checked.ok, checked.summary]).toEqual([true, expect.stringContaining("2 menus")]);
    expect(branches(repository.bare).split("\n").sort()).toEqual(["day", "main", "night"]);
    expect(checked.log + checked.summary).not.toContain(server().url());
  });

  test("killed during an apply: unknown outcomes are reported, without commands for a state branch", async () => {
    const sandbox = await heldService({ token });
    const { repository, wishes, ...own } = await place(changed, { sandbox });
    own.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = own.open("night");
    await own.pullRequest(pull, "night", wishes);
    own.merge(pull, "night");
    let ended: Promise<void> | undefined;
    const applied = await own.push({
      ...wishes,
      started: (step, child) => {
        if (step !== "apply") return;
        ended = until(() => sandbox.records.length === 1).then(() => {
          const file = "run-1002/workspace/ivrctl-ci/ivrctl-plan-production.held.json";
          const { pid } = JSON.parse(readFileSync(join(own.place, file), "utf8"));
          // First the script, which would otherwise report the end of ivrctl itself.
          child.kill("SIGKILL");
          process.kill(pid, "SIGKILL");
        });
      },
    });
    await ended;
    expect(applied).toMatchObject({ ok: false, exits: { apply: null, keep: 0 } });
    expect(applied.summary).toContain("ivrctl state resolve night --created --env production");
    expect(applied.summary).not.toMatch(/ci\/state\.mjs|on its branch/);
    expect(branches(repository.bare).split("\n").sort()).toEqual(["main", "night"]);
  });
});

test("outcomes that could not be recorded are saved with the run", async () => {
  const { github, wishes, ...own } = await place();
  own.commit("night", { "ivrs/night.yaml": menu("Night") });
  const pull = own.open("night");
  await own.pullRequest(pull, "night", wishes);
  own.merge(pull, "night");
  await own.push({
    ...wishes,
    started: (step) => {
      if (step !== "keep") return;
      const rescue = join(own.place, "run-1002/workspace/.ivrctl/rescue");
      mkdirSync(rescue, { recursive: true });
      writeFileSync(join(rescue, "production-job.json"), "{}\n");
    },
  });
  const kept = github.artifacts.find(({ name }) => name === "ivrctl-rescue-production");
  expect([...(kept?.files.keys() ?? [])]).toEqual(["production-job.json"]);
});

test.each(["store", undefined])("on GitLab, with IVRCTL_CI_STATE %s", async (word) => {
  const { repository, sandbox, ...own } = await gitlabStage({
    files: { "ivrctl.yaml": inDatabase() },
    variables: {
      STATE_URL: server().url(),
      ...(word === undefined ? {} : { IVRCTL_CI_STATE: word }),
    },
  });
  repository.commit("night", { "ivrs/night.yaml": menu("Night") });
  const request = own.open("night");
  expect(await own.mergeRequest(request, "night")).toMatchObject({ exit: 0 });
  own.merge(request, "night");
  expect(await own.onMain("push")).toMatchObject({ exit: 0, after: 0 });
  expect(namesOf(sandbox.records)).toEqual(["Night"]);
  expect(await own.onMain("schedule")).toMatchObject({ exit: 0 });
  expect(branches(repository.bare).split("\n").sort()).toEqual(["main", "night"]);
});
