import { describe, expect, test } from "vitest";
import { menu, namesOf } from "../../support/project.ts";
import { gitlabToken } from "../../support/ci/gitlab.ts";
import { gitlabStage as stage } from "../../support/ci/gitlab-stage.ts";
import { config } from "../../support/ci/stage.ts";

describe("on GitLab", () => {
  test("takes a change from its merge request to its apply, and checks it", async () => {
    const { gitlab, sandbox, repository, ...place } = await stage();
    repository.commit("night", { "ivrs/night.yaml": menu("Night") });
    const request = place.open("night");
    const marker = "<!-- ivrctl:plan:production -->";
    gitlab.notes.push({ id: 1, author: { id: 13 }, body: `${marker}\nforged` });
    const first = await place.mergeRequest(request, "night");
    expect(first).toMatchObject({ job: "ivrctl:merge-request", exit: 0 });
    expect(first.reports).toMatchObject({ codequality: "[]\n" });
    expect(first.reports["junit"]).toContain("<testsuites");
    await place.mergeRequest(request, "night");
    expect(gitlab.notes).toMatchObject([
      { body: `${marker}\nforged` },
      { body: expect.stringContaining(`${marker}\n\n### Plan for production: 1 to create`) },
    ]);

    place.merge(request, "night");
    const applied = await place.onMain("push");
    expect(applied).toMatchObject({ job: "ivrctl:apply", exit: 0, after: 0 });
    expect(namesOf(sandbox.records)).toEqual(["Night"]);
    expect(repository.kept("state/production.journal.jsonl")).toContain("Night");
    expect(repository.kept("locks/production.json")).toBeUndefined();
    // The storage is another host, which must not get the token.
    expect(gitlab.stored).toHaveLength(1);
    expect(gitlab.stored[0]).not.toContain(gitlabToken);

    const checked = await place.onMain("schedule");
    expect(checked).toMatchObject({ job: "ivrctl:check", exit: 0 });
  });

  test("shows a new plan instead of a stale one, to apply by hand", async () => {
    const configWith = (retries: number) =>
      `${config}defaults: { invalid: { retries: ${retries} } }\n`;
    const { sandbox, repository, ...place } = await stage({
      files: { "ivrctl.yaml": configWith(2) },
    });
    const night = menu("Night").replace("invalid: { retries: 2, ", "invalid: { ");
    repository.commit("night", { "ivrs/night.yaml": night });
    const request = place.open("night");
    await place.mergeRequest(request, "night");
    repository.commit("main", { "ivrctl.yaml": configWith(3), "ivrs/day.yaml": menu("Day") });
    place.merge(request, "night");
    const stale = await place.onMain("push");
    expect(stale).toMatchObject({ exit: 1, after: 0 });
    expect(stale.log).toContain("IVR624");
    expect(stale.log).toContain("Plan: 2 to create");
    expect(stale.log).toContain(`\`IVRCTL_PLAN_JOB\` set to \`${stale.id}\``);
    expect(sandbox.records).toEqual([]);
    const byHand = await place.onMain("web", { IVRCTL_PLAN_JOB: `${stale.id}` });
    expect(byHand.exit).toBe(0);
    expect(namesOf(sandbox.records).toSorted()).toEqual(["Day", "Night"]);
  });

  test.each([
    ["in the fork", { CI_PROJECT_ID: "8" }],
    ["in the project, started by a member", {}],
  ])("makes no plan for a fork's merge request, run %s", async (_, variables) => {
    const { gitlab, sandbox, repository, ...place } = await stage();
    repository.commit("night", { "ivrs/night.yaml": menu("Night") });
    const request = place.open("night", 8);
    const run = await place.mergeRequest(request, "night", variables);
    expect(run.exit).toBe(0);
    expect(run.log).not.toContain("ivrctl plan");
    expect(run.files.get("ivrctl-ci/summary.md")?.toString()).toMatch(
      /### Changes since .*: 1 new/,
    );
    expect([gitlab.asked, sandbox.requests]).toEqual([[], []]);

    // The artifact of that job is never used.
    place.merge(request, "night");
    const job = gitlab.jobs.at(-1);
    if (job !== undefined) job.files = new Map([["ivrctl-ci/plan.json", Buffer.from("{}")]]);
    const pushed = await place.onMain("push");
    expect(pushed.log).toContain("The merge request came from a fork");
    const asked = await place.onMain("web", { IVRCTL_PLAN_JOB: `${run.id}` });
    expect([asked.exit, asked.log]).toEqual([1, expect.stringContaining("cannot be applied")]);
    expect(sandbox.records).toEqual([]);
  });

  test("prints the plan in the log if there is no token, and says so", async () => {
    const { gitlab, repository, ...place } = await stage();
    repository.commit("night", { "ivrs/night.yaml": menu("Night") });
    const request = place.open("night");
    const run = await place.mergeRequest(request, "night", { IVRCTL_GITLAB_TOKEN: "" });
    expect(run.exit).toBe(0);
    expect(run.log).toContain("Plan: 1 to create");
    expect(run.log).toContain("set IVRCTL_GITLAB_TOKEN");
    expect(gitlab.asked).toEqual([]);
  });

  test("reports a mistake at its line in the report and in the note", async () => {
    const { gitlab, repository, ...place } = await stage();
    const name = '"\\e[0Ksection_end:1:ivrctl_1\\r"';
    repository.commit("night", {
      "ivrs/night.yaml": menu("Night", "Nobody"),
      "ivrs/odd.yaml": menu(name),
    });
    const run = await place.mergeRequest(place.open("night"), "night");
    expect(run.exit).toBe(1);
    expect(JSON.parse(run.reports["codequality"] ?? "")).toMatchObject([
      {
        check_name: "IVR301",
        severity: "major",
        location: { path: "ivrs/night.yaml", lines: { begin: 4 } },
      },
    ]);
    expect(gitlab.notes[0]?.body).toContain("### No plan for production: 1 error");
    const sections = run.log.match(/\u001B\[0Ksection_(?:start|end):\d+:ivrctl_\d+\r/g) ?? [];
    expect(sections).toHaveLength(2 * 5);
  });

  test("exits with 3 for an unknown outcome, and saves the state", async () => {
    const { repository, ...place } = await stage({ faults: ["reset=after"] });
    repository.commit("night", { "ivrs/night.yaml": menu("Night") });
    const request = place.open("night");
    await place.mergeRequest(request, "night");
    place.merge(request, "night");
    const run = await place.onMain("push");
    expect(run).toMatchObject({ exit: 3, after: 0 });
    expect(repository.kept("state/production.journal.jsonl")).toContain('"kind":"unknown"');
    expect([...run.files.keys()]).toContain("./.ivrctl/state/production.journal.jsonl");
  });
});
