import { expect, test } from "vitest";
import { menu, namesOf } from "../../support/project.ts";
import { stage } from "../../support/ci/stage.ts";

test("takes a change from its pull request to its apply, and then the next one", async () => {
  const { github, sandbox, repository, ...place } = await stage();
  place.commit("night", { "ivrs/night.yaml": menu("Night") });
  const pull = place.open("night");

  const first = await place.pullRequest(pull, "night");
  expect(first).toMatchObject({ ok: true, job: "pull-request" });
  expect(github.comments).toHaveLength(1);
  const [comment] = github.comments;
  expect(comment?.body).toContain(
    "<!-- ivrctl:plan:production -->\n\n### Plan for production: 1 to create",
  );
  expect(comment?.body).toContain(repository.head("night"));
  expect(first.summary).toContain("### Plan for production: 1 to create");

  place.commit("night", { "ivrs/night.yaml": menu("Night", "Front Desk") });
  const second = await place.pullRequest(pull, "night");
  expect(second.ok).toBe(true);
  expect(github.comments).toHaveLength(1);
  expect(comment?.body).toContain(repository.head("night"));

  place.merge(pull, "night");
  const applied = await place.push();
  expect(applied).toMatchObject({ ok: true, job: "apply" });
  expect(applied.log).toContain(`Found the plan of run ${second.run}, for pull request 1`);
  expect(namesOf(sandbox.records)).toEqual(["Night"]);
  expect(sandbox.records[0]?.payload).toMatchObject({ destination: ["extension||500104"] });
  expect(repository.kept("state/production.journal.jsonl")).toContain("Night");
  expect(repository.kept("locks/production.json")).toBeUndefined();

  const next = await place.ship("day", { "ivrs/day.yaml": menu("Day") });
  expect(github.comments.at(-1)?.body).toContain("### Plan for production: 1 to create");
  expect(next.applied.ok).toBe(true);
  expect(namesOf(sandbox.records)).toEqual(["Night", "Day"]);
});
