import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent } from "../support/ci/agent.ts";
import { git } from "../support/ci/repository.ts";
import { configFor, stage } from "../support/ci/stage.ts";
import { folder } from "../support/cli.ts";
import { heldService } from "../support/held-service.ts";
import { menu, token, until } from "../support/project.ts";

const both = ["github", "gitlab"] as const;
const day = { "ivrs/day.yaml": menu("Day") };
const night = { "ivrs/night.yaml": menu("Night") };

describe("a plan", () => {
  test("that is stale is not sent, and a person can apply the new one", async () => {
    const place = await stage("github", { files: day });
    await place.person()("apply", "--auto-approve");
    const late = place.propose("wait", {
      "ivrs/day.yaml": menu("Day").replace("wait: 5", "wait: 6"),
    });
    await place.review(late);
    place.commit("main", { "ivrs/day.yaml": menu("Day").replace("A menu", "The menu") });
    await place.person()("apply", "--auto-approve");
    expect(place.created()).toEqual(["Day", "Day"]);

    place.merge(late);
    const stale = await place.apply();
    expect(stale).toMatchObject({ exit: 1 });
    expect(place.comments(late)[1]?.body).toContain("Nothing was sent: the plan is stale");
    expect(stale.summary).toContain("IVR622");
    expect(stale.summary).toContain("### Plan for production: 1 to replace");
    expect(stale.summary).toContain(`\`run: ${stale.id}\``);
    expect(place.created()).toHaveLength(2);

    // People copy the address of a run.
    const address = `https://github.com/acme/phone/actions/runs/${stale.id}/attempts/1`;
    expect(await place.applyRun(address)).toMatchObject({ exit: 0 });
    expect(place.created()).toHaveLength(3);
    // A person starts both jobs again.
    expect(await place.applyRun(stale.id)).toMatchObject({ exit: 0 });
    expect(await place.apply({ before: late.base })).toMatchObject({ exit: 0 });
    expect(place.created()).toHaveLength(3);
  });

  test.each(both)("that nobody could read before the merge is not sent, on %s", async (kind) => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    const { id } = await place.review(pull);
    const [job] = place.world.jobs;
    const { artifact, ended } = job ?? {};
    // The job is in progress when the apply starts, or when the pull request is merged.
    place.merge(pull);
    Object.assign(job ?? {}, { isOver: false, artifact: undefined });
    const early = await place.apply();
    const inProgress = {
      github: "has left no plan, or its plan has expired.",
      gitlab: "has not ended yet.",
    };
    expect(place.result(pull)).toContain(`${id} ${inProgress[kind]}`);
    const late = new Date(Date.parse(pull.mergedAt ?? "") + 60_000).toISOString();
    Object.assign(job ?? {}, { isOver: true, artifact, ended: late });
    const again = await place.apply({ before: pull.base });
    expect(place.result(pull)).toContain(`was merged before run ${id} had left its plan.`);
    for (const run of [early, again]) {
      expect(run).toMatchObject({ exit: 1 });
      expect(run.summary).toContain("### Plan for production: 1 to create");
    }
    expect(place.result(pull)).toContain(String(again.id));
    expect(place.created()).toEqual([]);
    Object.assign(job ?? {}, { ended });
    expect(await place.applyRun(again.id)).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
    expect(place.result(pull)).toContain("### Applied (production)");
  });

  test.each(both)("for a different branch is not sent, on %s", async (kind) => {
    const place = await stage(kind);
    place.commit("release", {});
    place.commit("night", night);
    const pull = place.open("night", { into: "release" });
    await place.review(pull);
    place.merge(pull);
    // main gets the same commits without a pull request of its own.
    place.repository.merge("release", { how: "fast-forward" });
    const run = await place.apply();
    expect([run.exit, place.created()]).toEqual([1, []]);
    expect(place.result(pull)).toContain("request 1 was merged into release, not into main.");
    expect(run.summary).toContain("### Plan for production: 1 to create");
    expect(await place.applyRun(run.id)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  });
});

describe.each(both)("an apply on %s", (kind) => {
  test("shows first what waits, and for which environments", async () => {
    const place = await stage(kind, {
      environments: "staging,production",
      files: { "ivrctl.yaml": configFor("staging", "production") },
    });
    const show = { args: ["--show"], env: { TELEPHONY_TOKEN: "" } };
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull);
    const first = await place.apply(show);
    expect(first).toMatchObject({ exit: 0 });
    expect(first.summary).toMatch(/### Plan for staging: 1 to create[^]*### Plan for production/);
    expect([place.created(), place.result(pull)]).toEqual([[], ""]);
    if (kind === "github") expect(first.outputs).toContain('environments=["staging","production"]');
    expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
    // A push that touches no menu asks nobody. A plan that cannot be read is for the job that applies.
    place.commit("main", { "README.md": "Phone menus" });
    const none = await place.apply(show);
    expect([none.exit, none.summary]).toEqual([
      0,
      expect.stringContaining("Nothing to apply to production."),
    ]);
    if (kind === "github") expect(none.outputs).toContain("environments=[]");
  });

  test("of a plan that is not merged is refused", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    const { id } = await place.review(pull);
    const run = await place.applyRun(id);
    expect(run).toMatchObject({ exit: 1 });
    expect(run.log.replaceAll(/\s+/g, " ")).toMatch(/request 1 is not merged\./);
    expect(place.created()).toEqual([]);
  });

  test("asks again if the platform does not know the pull request yet", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull);
    let asked = 0;
    place.api.fault = ({ path }) =>
      /commits\/[0-9a-f]+\/(?:pulls|merge_requests)$/.test(path) && (asked += 1) < 3
        ? { status: 200, value: [] }
        : undefined;
    expect(await place.apply()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
  });

  test("that cannot find its pull request says so where people look", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull, "squash");
    const reference = kind === "github" ? "Night (#1)" : "Night\n\nSee merge request a/b!1";
    git(place.repository.clone, "commit", "--quiet", "--amend", "--message", reference);
    pull.merged = place.repository.head("main");
    place.api.fault = ({ path }) =>
      /\/(?:pulls|merge_requests)$/.test(path) ? { status: 403 } : undefined;
    const refused = await place.apply();
    expect([refused.exit, place.created()]).toEqual([1, []]);
    expect(place.result(pull)).toContain("### Apply failed (production)");
    expect(place.result(pull)).toContain("IVR681");
    place.api.fault = () => undefined;
    // A forced push: git does not have the commit before it.
    const forced = await place.apply({ before: "1".repeat(40) });
    expect([forced.exit, place.created()]).toEqual([1, []]);
    expect(forced.summary).toContain("git cannot list the commits of this push");
    expect(place.result(pull)).toContain("### Nothing was sent");
    expect(place.result(pull)).toContain(String(forced.id));
    expect(await place.applyRun(forced.id)).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  });

  test("that has no project says so on the pull request", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull);
    place.commit("main", { "ivrctl.yaml": null });
    expect(await place.apply()).toMatchObject({ exit: 1 });
    expect(place.result(pull)).toContain("### Apply failed (production)");
    expect(place.result(pull)).toContain("IVR680: The folder . of the repository has no");
  });
});

test.each(both)(
  "phone numbers that a person has to point stay open until then, on %s",
  async (kind) => {
    const numbered = menu("Day", "Asha Rao", 'numbers: ["+912241234567"]\n');
    const place = await stage(kind);
    const status = () =>
      place.world.statuses.get(`${place.repository.head("main")} ivrctl/production`);
    const shows = (state: string, words: string) =>
      expect(status()).toEqual(kind === "github" ? { state, words } : undefined);

    const { pull, applied } = await place.ship("day", { "ivrs/day.yaml": numbered });
    expect(applied).toMatchObject({ exit: 0 });
    shows("pending", "1 phone number to point");
    expect(place.result(pull)).toContain("### Applied (production)");
    expect(place.result(pull)).toMatch(/point the number.*ivrctl state done \+912241.*234567/i);

    expect(await place.check()).toMatchObject({ exit: 1 });
    shows("pending", "1 phone number to point");
    expect(place.world.issues).toMatchObject([{ isOpen: true }]);

    expect(await place.person()("state", "done", "--all", "--auto-approve")).toMatchObject({
      exit: 0,
    });
    expect(await place.check()).toMatchObject({ exit: 0 });
    shows("success", "applied");
    expect(place.world.issues).toMatchObject([{ isOpen: false }]);
  },
);

test("on GitLab, a plan that nobody has started is not waited for, and a job has an address", async () => {
  const place = await stage("gitlab");
  const pull = place.propose("night", night);
  await place.review(pull);
  Object.assign(place.world.jobs[0] ?? {}, { isManual: true });
  place.merge(pull);
  const run = await place.apply();
  expect(place.result(pull)).toContain("Job 1001 has not ended yet.");
  expect(place.result(pull)).toContain(`/jobs/${run.id}/artifacts/file/ivrctl-ci/summary.md`);
  const address = `https://gitlab.invalid/acme/phone/-/jobs/${run.id}`;
  expect(await place.applyRun(address)).toMatchObject({ exit: 0 });
  expect(place.created()).toEqual(["Night"]);
});

test("on GitLab, a manual run sends no plan of a different project of the repository", async () => {
  const place = await stage("gitlab");
  const pull = place.propose("night", night);
  const { id } = await place.review(pull);
  place.merge(pull);
  const other = { CI_JOB_NAME: "ivrctl-phones:apply" };
  const run = await place.apply({ args: ["--run", String(id)], env: other });
  expect(run.summary).toContain(`Job ${id} is for a different project of this repository.`);
  expect([place.created(), place.result(pull)]).toEqual([[], ""]);
  expect(await place.applyRun(id)).toMatchObject({ exit: 0 });
  expect(place.created()).toEqual(["Night"]);
});

describe("a push", () => {
  test("with two pull requests of a merge queue applies both plans", async () => {
    const place = await stage("github");
    const pulls = [place.propose("day", day), place.propose("night", night)];
    for (const pull of pulls) await place.review(pull);
    for (const pull of pulls) place.merge(pull, "squash");
    expect(await place.apply()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
    for (const pull of pulls) {
      expect(place.comments(pull)[1]?.body).toContain("### Applied (production)");
    }
    // A person starts the pipeline without the number of a run.
    expect(await place.applyRun("")).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
  });

  test.each(both)(
    "with a stale pull request applies the others, and offers one plan for what is left, on %s",
    async (kind) => {
      const place = await stage(kind, { files: { ...day, "ivrs/dusk.yaml": menu("Dusk") } });
      await place.person()("apply", "--auto-approve");
      const waits = (name: string) => menu(name).replace("wait: 5", "wait: 6");
      const pulls = [
        place.propose("day", { "ivrs/day.yaml": waits("Day") }),
        place.propose("night", night),
        place.propose("dusk", { "ivrs/dusk.yaml": waits("Dusk") }),
        place.propose("noon", { "ivrs/noon.yaml": menu("Noon") }),
      ] as const;
      for (const pull of pulls) await place.review(pull);
      place.commit("main", {
        "ivrs/day.yaml": menu("Day").replace("A menu", "The menu"),
        "ivrs/dusk.yaml": menu("Dusk").replace("A menu", "The menu"),
      });
      await place.person()("apply", "--auto-approve");
      const before = place.repository.head("main");
      for (const pull of pulls) place.merge(pull);
      const run = await place.apply({ before });
      expect(run).toMatchObject({ exit: 1 });
      expect(place.created()).toEqual(["Day", "Day", "Dusk", "Dusk", "Night", "Noon"]);
      const results = pulls.map((pull) => /^### (.*)$/m.exec(place.result(pull))?.[1]);
      const stale = "Nothing was sent: the plan is stale (production)";
      expect(results).toEqual([stale, "Applied (production)", stale, "Applied (production)"]);
      for (const pull of [pulls[0], pulls[2]]) {
        expect(place.result(pull)).toMatch(/It is for \w+ request 1 and \w+ request 3 together\./);
        expect(place.result(pull)).toContain(String(run.id));
      }
      // The plan that is offered has both, and its result is on both.
      expect(await place.applyRun(run.id)).toMatchObject({ exit: 0 });
      for (const pull of [pulls[0], pulls[2]]) {
        expect(place.result(pull)).toContain("### Applied (production)");
      }
      expect(place.created()).toHaveLength(8);
    },
  );

  test.each(both)(
    "during an apply sees its requests, and waits for its lock, on %s",
    async (kind) => {
      const sandbox = await heldService({ token });
      const place = await stage(kind, { sandbox, isInGit: true });
      const pulls = [place.propose("day", day), place.propose("night", night)] as const;
      await place.review(pulls[0]);
      place.merge(pulls[0]);
      const first = place.startApply();
      await until(() => sandbox.held === 1);
      expect(await place.review(pulls[1])).toMatchObject({ exit: 0 });
      const body = place.comments(pulls[1])[0]?.body;
      expect(body).toContain(
        "That run is in progress. Its requests in flight are shown as unknown.",
      );
      expect(body).not.toContain("until you resolve this");
      expect(await place.check()).toMatchObject({ exit: 0 });
      // The plan is still valid after the first apply.
      place.merge(pulls[1]);
      const second = place.startApply();
      await until(() => second.printed().includes("Waiting up to 1800 s for the lock"));
      const third = await place.apply({
        before: pulls[0].merged ?? "",
        args: ["--lock-timeout", "0"],
      });
      expect([third.exit, third.log]).toEqual([4, expect.stringContaining("IVR601")]);
      expect(place.result(pulls[1])).toContain("Nothing was sent: another run holds the lock");
      expect(place.result(pulls[1])).toContain(
        "in progress. Run this job again when it has ended.",
      );
      expect(place.result(pulls[1])).not.toContain("unlock");
      sandbox.release();
      const ended = await Promise.all([first.ended, second.ended]);
      expect(ended.map(({ exit }) => exit)).toEqual([0, 0]);
      expect(place.created()).toEqual(["Day", "Night"]);
    },
  );

  test("without a pull request sends nothing, unless a person applies its plan", async () => {
    const place = await stage("github");
    place.commit("main", night);
    const run = await place.apply();
    expect(run).toMatchObject({ exit: 1 });
    const summary = run.summary.replaceAll(/<\/?span>/g, "");
    expect(summary).toMatch(/Commit [0-9a-f]{12} belongs to no merged pull request\./);
    expect(place.created()).toEqual([]);
    expect(await place.applyRun(run.id)).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
  });
});

describe("nothing is sent", () => {
  test("to a service without a state", async () => {
    const place = await stage("github", { begins: false });
    const { planned, applied } = await place.ship("night", night);
    expect([planned.exit, applied.exit]).toEqual([1, 1]);
    expect(planned.summary).toContain("REFUSED");
    const checked = await place.check();
    expect([checked.exit, checked.summary]).toEqual([1, expect.stringContaining("IVR608")]);
    expect(place.created()).toEqual([]);
  });

  test.each(["forced back", "deleted"])(
    "if the state branch was %s since the plan",
    async (how) => {
      const ref = "refs/heads/ivrctl-state-production";
      const place = await stage("github", { files: day, isInGit: true });
      const { bare } = place.repository;
      await place.person()("apply", "--auto-approve");
      const older = git(bare, "rev-parse", ref);
      place.commit("main", { "ivrs/noon.yaml": menu("Noon") });
      await place.person()("apply", "--auto-approve");
      const pull = place.propose("night", night);
      await place.review(pull);
      git(bare, "update-ref", ...(how === "deleted" ? ["-d", ref] : [ref, older]));
      const left = git(bare, "for-each-ref", ref);
      place.merge(pull);
      const run = await place.apply();
      expect(run).toMatchObject({ exit: 1 });
      expect(git(bare, "for-each-ref", ref)).toBe(left);
      expect(run.summary).toContain("Nothing was sent: the state is gone or was set back");
      expect(run.summary).not.toContain("`run:");
      expect(place.created()).toEqual(["Day", "Noon"]);
      const checked = await place.check();
      expect(checked.exit).toBe(1);
      expect(checked.summary).toContain("### Problems found (production)");
      expect(checked.summary).toContain("IVR629");
    },
  );

  test("if an agent was blocked since the plan, and the check reports that too", async () => {
    const place = await stage("github", { files: day });
    await place.person()("apply", "--auto-approve");
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull);
    await place.withAgents([agent(101, "Asha Rao", 1), agent(104, "Front Desk", 0)]);
    const run = await place.apply();
    expect(run).toMatchObject({ exit: 1 });
    expect(run.summary).toContain("IVR625");
    expect(run.summary).toContain("### Plan for production: 1 held back");
    expect(place.created()).toEqual(["Day"]);
    expect(place.isLocked()).toBe(false);
    const checked = await place.check();
    expect([checked.exit, checked.summary]).toEqual([1, expect.stringContaining("Asha Rao")]);
  });

  test("for the plan that the run of a fork left for the same commit", async () => {
    const place = await stage("github");
    const pull = place.propose("night", night);
    await place.review(pull);
    const stranger = place.open("night", { isFork: true });
    const forged = await place.review(stranger);
    const files = new Map([["job.json", Buffer.from("{}")]]);
    Object.assign(place.world.jobs[1] ?? {}, { artifact: { name: "ivrctl-plan", files } });
    const refused = await place.applyRun(forged.id);
    expect([refused.exit, refused.log]).toEqual([1, expect.stringContaining("IVR682")]);
    place.merge(pull);
    expect(await place.apply()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
  });

  test.each([
    ["github", "1; rm -rf /", "GitHub refused GET /repos/acme/phone/actions/runs/99 (HTTP 404)"],
    ["gitlab", "../../8/jobs/1", "GitLab refused GET /projects/7/jobs/99 (HTTP 404)"],
  ] as const)("on %s, for the run %s or for a missing one", async (kind, run, refused) => {
    const place = await stage(kind);
    for (const [id, words] of [
      [run, "`--run` must be the id or the address of a run."],
      ["99", refused],
    ] as const) {
      const { exit, log } = await place.applyRun(id);
      expect([exit, log.replaceAll(/\s+/g, " ")]).toEqual([1, expect.stringContaining(words)]);
    }
    expect(place.sandbox.requests).toEqual([]);
  });

  test.each([
    ["github", { GITHUB_REF: "refs/heads/other" }],
    ["gitlab", { CI_COMMIT_BRANCH: "other" }],
  ] as const)("on %s, from another branch", async (kind, env) => {
    const place = await stage(kind);
    const { exit, log } = await place.apply({ env });
    expect([exit, log]).toEqual([1, expect.stringContaining("Only the default branch, main,")]);
    expect([place.sandbox.requests, place.api.asked]).toEqual([[], []]);
  });
});

test("outcomes that could not be pushed stay in a file, which a person can push", async () => {
  const place = await stage("github", { isInGit: true });
  const pull = place.propose("night", night);
  await place.review(pull);
  place.merge(pull);
  const hook = join(place.repository.bare, "hooks/update");
  // The server accepts the lock and the intent, and then no other push.
  place.server.pushed = (count, moment) => {
    if (count !== 2 || moment !== "after") return;
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\nexit 1\n");
    chmodSync(hook, 0o755);
  };
  const run = await place.apply();
  expect(run).toMatchObject({ exit: 3 });
  rmSync(hook);
  expect(run.summary).toContain("hook declined");
  expect(place.comments(pull)[1]?.body).toContain("ivrctl state push");
  expect(place.created()).toEqual(["Night"]);
  expect(place.events()).not.toContain('"kind":"outcome"');
  const [[name, content] = ["", ""]] = run.rescued;
  const file = join(folder({ [name]: content }), name);
  const person = place.person();
  await person("unlock", `github-run-${run.id}-1-production`);
  expect(await person("state", "push", file)).toMatchObject({ exit: 0 });
  const plan = JSON.parse((await person("plan", "--format", "json")).stdout);
  expect(plan.summary).toMatchObject({ unchanged: 1, unknown: 0, create: 0 });
});
