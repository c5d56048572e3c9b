import { describe, expect, test } from "vitest";
import { type Stage, stage } from "../../support/ci/stage.ts";
import { heldService } from "../../support/held-service.ts";
import { menu, namesOf, service, token, until } from "../../support/project.ts";

/** As many as can be in flight at once in the project of the stage. */
const concurrency = 2;
const keys = ["a", "b", "c", "d", "e"];
const menus = Object.fromEntries(keys.map((key) => [`ivrs/${key}.yaml`, menu(key)]));

describe.each(["github", "gitlab"] as const)("on %s, an apply that is canceled", (kind) => {
  test("by one signal lets requests finish, and records them", async () => {
    const sandbox = await heldService({ token });
    const place = await stage(kind, { sandbox });
    const pull = place.propose("all", menus);
    await place.review(pull);
    place.merge(pull);
    const apply = place.startApply();
    await until(() => sandbox.held === concurrency);
    apply.child.kill(kind === "github" ? "SIGINT" : "SIGTERM");
    await until(() => apply.printed().includes("in flight"));
    sandbox.release();
    expect(await apply.ended).toMatchObject({ exit: 130 });
    expect(place.comments(pull)[1]?.body).toContain("### Apply was interrupted (production)");
    expect(namesOf(sandbox.records)).toEqual(["a", "b"]);
    expect(place.repository.state("lock.json")).toBeUndefined();
    expect(await planned(place)).toMatchObject({ unchanged: 2, create: 3, unknown: 0 });
  });

  test("by a second signal records unknown outcomes, and releases the lock", async () => {
    const sandbox = await heldService({ token });
    const place = await stage(kind, { sandbox });
    const pull = place.propose("all", menus);
    await place.review(pull);
    place.merge(pull);
    const apply = place.startApply();
    await until(() => sandbox.held === concurrency);
    apply.child.kill("SIGINT");
    await until(() => apply.printed().includes("in flight"));
    apply.child.kill("SIGTERM");
    expect(await apply.ended).toMatchObject({ exit: 3 });
    expect(place.comments(pull)[1]?.body).toContain("Look for “a” on the console");
    expect(place.repository.state("lock.json")).toBeUndefined();
    expect(await planned(place)).toMatchObject({ create: 3, unknown: 2 });
  });
});

/** What a person sees in a new clone. */
async function planned(place: Stage) {
  const { stdout } = await place.person()("plan", "--format", "json");
  return JSON.parse(stdout).summary;
}

/** A moment in an apply: before or after a push is accepted, or when the service has created a menu. */
type Moment = readonly ["push", number, "before" | "after"] | readonly ["create", number];

const moments: readonly Moment[] = [
  // The lock.
  ["push", 1, "before"],
  ["push", 1, "after"],
  // The first intents.
  ["push", 2, "before"],
  ["push", 2, "after"],
  ["create", 1],
  ["create", 2],
  // Outcomes and the next intents.
  ["push", 3, "before"],
  ["push", 3, "after"],
  ["create", 3],
  ["push", 4, "after"],
  ["create", 5],
  // The last outcomes, and the release of the lock.
  ["push", 5, "before"],
  ["push", 5, "after"],
  ["push", 6, "before"],
  ["push", 6, "after"],
];

test.each(moments.map((moment, at) => [moment, at % 2 === 0 ? "github" : "gitlab"] as const))(
  "a runner that is lost at %j, on %s, leaves a state that a person can continue from",
  async (moment, kind) => {
    const [what, count, when] = moment;
    let kill = () => {};
    const sandbox = await service({
      token,
      onRequest: ({ method }) => {
        if (method === "POST" && what === "create" && sandbox.records.length === count) kill();
      },
    });
    const place = await stage(kind, { sandbox });
    const pull = place.propose("all", menus);
    await place.review(pull);
    place.merge(pull);
    const apply = place.startApply();
    let isLost = false;
    kill = () => {
      isLost = true;
      apply.child.kill("SIGKILL");
    };
    place.server.pushed = (number, at) => {
      if (what !== "push" || number !== count || at !== when || isLost) return undefined;
      kill();
      return "cut";
    };
    const { exit } = await apply.ended;
    expect({ isLost, exit }).toEqual({ isLost: true, exit: null });
    place.server.pushed = () => {};

    // Every create whose outcome was pushed is known, and the others were in flight.
    const person = place.person();
    const plan = JSON.parse((await person("plan", "--format", "json")).stdout);
    const journal = place.repository.state("journal.jsonl") ?? "";
    const recorded = journal.split('"kind":"created"').length - 1;
    const intended = journal.split('"kind":"intent"').length - 1;
    expect(plan.summary).toMatchObject({ unchanged: recorded, unknown: intended - recorded });
    expect(intended - recorded).toBeLessThanOrEqual(concurrency);
    const created = namesOf(sandbox.records);
    expect(created.length).toBeLessThanOrEqual(intended);

    // The check and the next pull request report the lock and the unknown outcomes.
    const lock = place.repository.state("lock.json");
    const id = `${kind === "github" ? `github-run-${apply.id}-1` : `gitlab-job-${apply.id}`}-production`;
    const checked = await place.check();
    const next = place.propose("more", { "ivrs/more.yaml": menu("more") });
    await place.review(next);
    const said = place.comments(next)[0]?.body.replaceAll(/<\/?span>|&#\d+;/g, "") ?? "";
    expect(checked.exit).toBe(lock === undefined && intended === recorded ? 0 : 1);
    if (lock !== undefined) {
      expect(checked.summary).toContain("The run that holds the lock has ended");
      expect(checked.summary).toContain(`ivrctl unlock ${id} --env production`);
      expect(said).toContain("That run has ended. Release its lock");
      expect(await person("unlock", id)).toMatchObject({ exit: 0 });
    } else expect(said).not.toContain("lock");

    // A person looks at the console and resolves what is unknown. Then the pipeline goes on.
    const unknown: string[] = plan.changes
      .filter(({ action }: { action: string }) => action === "unknown")
      .map(({ key }: { key: string }) => key);
    for (const as of ["created", "absent"]) {
      const some = unknown.filter((key) => created.includes(key) === (as === "created"));
      if (some.length === 0) continue;
      expect(said).toContain("is unknown");
      expect(await person("state", "resolve", ...some, `--${as}`)).toMatchObject({ exit: 0 });
    }
    place.merge(next);
    const after = await place.apply();
    if (created.length === keys.length) expect(after.exit).toBe(0);
    else expect(await place.applyRun(after.id)).toMatchObject({ exit: 0 });
    expect(namesOf(sandbox.records).toSorted()).toEqual([...keys, "more"]);
    expect(await place.check()).toMatchObject({ exit: 0 });
  },
);
