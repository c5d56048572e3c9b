import { join } from "node:path";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../../support/cli.ts";
import { menu, namesOf, token } from "../../support/project.ts";
import { agent } from "../../support/ci/agent.ts";
import { git } from "../../support/ci/repository.ts";
import { stage } from "../../support/ci/stage.ts";

const name = "ivrctl-plan-production";

describe("a stale plan", () => {
  test("sends nothing and shows a new plan, which can be applied by hand", async () => {
    const { github, sandbox, ...place } = await stage();
    await place.ship("day", { "ivrs/day.yaml": menu("Day") });
    place.commit("wait", { "ivrs/day.yaml": menu("Day").replace("wait: 5", "wait: 6") });
    const late = place.open("wait");
    await place.pullRequest(late, "wait");
    await place.ship("text", { "ivrs/day.yaml": menu("Day").replace("A menu", "The menu") });
    expect(namesOf(sandbox.records)).toEqual(["Day", "Day"]);

    place.merge(late, "wait");
    const stale = await place.push();
    expect(stale).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(stale.summary).toContain("Nothing was sent: the plan is stale");
    expect(stale.summary).toContain("IVR622");
    expect(stale.summary).toContain("### Plan for production: 1 to replace");
    expect(stale.summary).toContain(`\`plan-run: ${stale.run}\``);
    expect(sandbox.records).toHaveLength(2);

    const byHand = await place.byHand({ "plan-run": `${stale.run}`, "new-state": false });
    expect(byHand.ok).toBe(true);
    expect(sandbox.records).toHaveLength(3);

    const again = await place.byHand({ "plan-run": `${stale.run}`, "new-state": false });
    expect(again.ok).toBe(true);
    expect(again.summary).toContain("There is nothing to do.");
    expect(sandbox.records).toHaveLength(3);
  });

  test("is not one whose menus are unrelated to what was applied since", async () => {
    const { github, sandbox, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const late = place.open("night");
    await place.pullRequest(late, "night");
    await place.ship("day", { "ivrs/day.yaml": menu("Day") });
    place.merge(late, "night");
    const applied = await place.push();
    expect(applied).toMatchObject({ ok: true, exits: { apply: 0, keep: 0 } });
    expect(namesOf(sandbox.records)).toEqual(["Day", "Night"]);
  });

  test("shows why no new plan can be made, if an agent was blocked since", async () => {
    const { sandbox, repository, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    await place.pullRequest(pull, "night");
    place.merge(pull, "night");
    await place.withAgents([agent(101, "Asha Rao", 1), agent(104, "Front Desk", 0)]);
    const run = await place.push();
    expect(run.ok).toBe(false);
    expect(run.summary).toContain("IVR625");
    expect(run.summary).toContain("### No plan for production");
    expect(repository.kept("locks/production.json")).toBeUndefined();
  });
});

describe("a state that would be lost", () => {
  test("`store` with a state in files of the project: nothing is planned, checked or sent", async () => {
    const { sandbox, ...place } = await stage();
    const wishes = { wishes: { state: "store" } };
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    const planned = await place.pullRequest(pull, "night", wishes);
    const words = "It would be lost when this job ends";
    expect([planned.ok, planned.summary]).toEqual([false, expect.stringContaining(words)]);
    await place.pullRequest(pull, "night");
    place.merge(pull, "night");
    const applied = await place.push(wishes);
    expect([applied.ok, applied.summary]).toEqual([false, expect.stringContaining(words)]);
    expect(sandbox.records).toEqual([]);
    const checked = await place.onMain("schedule", wishes);
    expect([checked.ok, checked.summary]).toEqual([false, expect.stringContaining(words)]);
  });

  test.each([
    ["forced back", ["update-ref", "refs/heads/ivrctl-state", "ivrctl-state~2"]],
    ["deleted", ["update-ref", "-d", "refs/heads/ivrctl-state"]],
  ])("a state branch that was %s since the plan: sends and offers nothing", async (_, args) => {
    const { sandbox, repository, ...place } = await stage();
    await place.ship("day", { "ivrs/day.yaml": menu("Day") });
    await place.ship("noon", { "ivrs/noon.yaml": menu("Noon") });
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    await place.pullRequest(pull, "night");
    git(repository.bare, ...args);
    place.merge(pull, "night");
    const run = await place.push();
    expect(run).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(run.summary).toContain("Nothing was sent: the state is older than the plan");
    expect(run.summary).toContain("The branch ivrctl-state was reset or deleted");
    expect(run.summary).not.toContain("plan-run");
    expect(namesOf(sandbox.records)).toEqual(["Day", "Noon"]);
  });
});

describe("without a reviewed plan", () => {
  test("a push that changes a menu is not applied", async () => {
    const { github, sandbox, ...place } = await stage();
    place.commit("main", { "ivrs/night.yaml": menu("Night") });
    const run = await place.push();
    expect(run.ok).toBe(false);
    expect(run.summary).toContain(
      "This commit does not belong to a merged pull request. Nothing was sent.",
    );
    expect(github.artifacts).toMatchObject([{ run: run.run, name }]);
    expect(sandbox.records).toEqual([]);
    const byHand = await place.byHand({ "plan-run": `${run.run}`, "new-state": false });
    expect(byHand.ok).toBe(true);
    expect(namesOf(sandbox.records)).toEqual(["Night"]);
  });

  test("a push that changes nothing succeeds", async () => {
    const { github, ...place } = await stage();
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    place.commit("main", { "README.md": "Phone menus\n" });
    const kept = github.artifacts.length;
    const run = await place.push();
    expect(run.ok).toBe(true);
    expect(run.summary).toContain("There is nothing to do.");
    expect(github.artifacts).toHaveLength(kept);
  });

  test("an expired plan does not count", async () => {
    const { github, sandbox, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    await place.pullRequest(pull, "night");
    for (const artifact of github.artifacts) artifact.expired = true;
    place.merge(pull, "night");
    const run = await place.push();
    expect(run.summary).toContain("has no plan, or its plan has expired");
    expect([run.ok, sandbox.records]).toEqual([false, []]);
  });

  test("the plan of a failed run does not count", async () => {
    const { sandbox, ...place } = await stage();
    const tests = "tests:\n  - { press: 1, reaches: Front Desk }\n";
    const { planned, applied } = await place.ship("night", {
      "ivrs/night.yaml": menu("Night", "Asha Rao", tests),
    });
    expect([planned.ok, applied.ok, sandbox.records]).toEqual([false, false, []]);
    expect(applied.summary).toContain("The last run for pull request 1, 1001, did not succeed.");
  });

  test("a plan from before the last failed run does not count", async () => {
    const { sandbox, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    expect((await place.pullRequest(pull, "night")).ok).toBe(true);
    place.commit("main", {
      "ivrs/night.test.yaml": "menu: night\ntests:\n  - { press: 1, reaches: Front Desk }\n",
    });
    const failed = await place.pullRequest(pull, "night");
    expect([failed.ok, failed.summary]).toEqual([false, expect.stringContaining("ivrctl test")]);
    place.merge(pull, "night");
    const run = await place.push();
    expect(run.summary).toContain("The last run for pull request 1, 1002, did not succeed.");
    expect([run.ok, sandbox.records]).toEqual([false, []]);
  });
});

describe("a plan from a fork", () => {
  test("the merge of a fork gets a new plan", async () => {
    const { github, sandbox, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night", "stranger/phone");
    const forged = await place.pullRequest(pull, "night", { secrets: {} });
    github.artifacts.push({ run: forged.run, name, files: forgery, expired: false });
    place.merge(pull, "night");
    const run = await place.push();
    expect(run.ok).toBe(false);
    expect(run.summary).toContain("The pull request came from a fork");
    expect(run.summary).toContain("### Plan for production: 1 to create");
    expect(sandbox.records).toEqual([]);
  });

  test("a fork's run for the same commit is ignored", async () => {
    const { github, sandbox, repository, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    const own = await place.pullRequest(pull, "night");
    const stranger = place.open("night", "stranger/phone");
    const forged = await place.pullRequest(stranger, "night", { secrets: {} });
    github.artifacts.push({ run: forged.run, name, files: forgery, expired: false });
    place.merge(pull, "night");
    const run = await place.push();
    expect(run.ok).toBe(true);
    expect(run.log).toContain(`Found the plan of run ${own.run}`);
    expect(namesOf(sandbox.records)).toEqual(["Night"]);
    const asked = await place.byHand({ "plan-run": `${forged.run}`, "new-state": false });
    expect(asked.ok).toBe(false);
    expect(asked.log).toContain(`The plan of run ${forged.run} cannot be applied`);
  });

  test.each([
    ["1; rm -rf /", "`plan-run` must be the number of a run."],
    ["99", "GitHub refused the request (HTTP 404)"],
  ])("refuses plan-run %s", async (asked, words) => {
    const { sandbox, ...place } = await stage();
    const run = await place.byHand({ "plan-run": asked, "new-state": false });
    expect([run.ok, sandbox.requests]).toEqual([false, []]);
    expect(run.log).toContain(words);
  });
});

describe("an apply", () => {
  test("with an unknown outcome exits with 3, says what to do, and records it", async () => {
    const { repository, ...place } = await stage({ faults: ["reset=after"] });
    const { applied } = await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    expect(applied).toMatchObject({ ok: false, exits: { apply: 3, keep: 0 } });
    expect(applied.summary).toContain("Sent, but an outcome is unknown");
    expect(applied.summary).toContain("Look for “Night” on the console");
    expect(applied.summary).toContain("ivrctl state resolve night --created --env production");
    expect(applied.summary).toContain("ci/state.mjs pull --env production\n");
    expect(repository.kept("state/production.journal.jsonl")).toContain('"kind":"unknown"');
    expect(repository.kept("locks/production.json")).toBeUndefined();
    place.commit("main", { "README.md": "Phone menus\n" });
    expect((await place.push()).summary).toContain("1 unknown");
  });

  test("with an unknown outcome: every later run without a plan reports it, even for a project in a folder", async () => {
    const place = await stage({ faults: ["reset=after"], directory: "phones" });
    await place.ship("night", { "ivrs/-night.yaml": menu("Night") });
    place.commit("main", { "README.md": "Phone menus\n" });
    const { summary } = await place.push();
    expect(summary).toContain("-night  “Night”, unknown");
    expect(summary).toContain("ivrctl state resolve --created --env production -- -night");
    expect(summary).toContain("ci/state.mjs pull --env production -C phones\n");
  });

  test("that the service refuses exits with 1", async () => {
    const { ...place } = await stage({ faults: ["status=400 success=false message=No"] });
    const { applied } = await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    expect(applied).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(applied.summary).toContain("Apply failed");
    expect(applied.summary).not.toContain("stale");
  });

  test("without a state says how to begin one, and begins one if asked", async () => {
    const { github, repository, place: folder, ...place } = await stage({ newState: false });
    const vars = { TELEPHONY_BASE_URL: "https://telephony.invalid" };
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    const planned = await place.pullRequest(pull, "night");
    // A plan for a service that cannot be reached from here.
    const plan = join(folder, "plan.json");
    await ivrctl(["plan", "--env", "production", "--agents", "agents.lock.json", "--out", plan], {
      cwd: repository.clone,
      env: { ...vars, TELEPHONY_TOKEN: token },
    });
    const files = new Map([["plan.json", readFileSync(plan)]]);
    github.artifacts.splice(0, 1, { run: planned.run, name, files, expired: false });
    place.merge(pull, "night");
    const refused = await place.push({ vars });
    expect(refused).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(refused.summary).toContain("IVR608");
    expect(refused.summary).toContain(`\`plan-run: ${planned.run}\` and \`new-state: true\``);
    const asked = { "plan-run": `${planned.run}`, "new-state": true };
    const meant = await place.byHand(asked, { vars });
    expect(meant.summary).not.toContain("IVR608");
    expect(meant.summary).toContain("IVR503");
  });

  test("runs only on the default branch", async () => {
    const { repository, ...place } = await stage();
    const run = await place.onMain("workflow_dispatch", {}, {}, "refs/heads/other");
    expect(run.ok).toBe(false);
    expect(run.log).toContain("Only the default branch can be applied.");
  });
});

const forgery = new Map([["plan.json", Buffer.from("{}")]]);
