import { describe, expect, test } from "vitest";
import { type Stage, stage } from "../support/ci/stage.ts";
import type { Kind } from "../support/ci/world.ts";
import { heldService } from "../support/held-service.ts";
import { menu, namesOf, service, token, until } from "../support/project.ts";

/** As many as can be in flight at once in the project of the stage. */
const concurrency = 2;
const keys = ["a", "b", "c", "d", "e"];
const menus = Object.fromEntries(keys.map((key) => [`ivrs/${key}.yaml`, menu(key)]));

/** Starts an apply, and waits until its first requests are in flight. */
async function amidst(kind: Kind) {
  const sandbox = await heldService({ token });
  const place = await stage(kind, { sandbox, isInGit: true });
  const pull = place.propose("all", menus);
  await place.review(pull);
  place.merge(pull);
  const apply = place.startApply();
  await until(() => sandbox.held === concurrency);
  return { ...place, held: sandbox, pull, apply };
}

describe("an apply that is canceled", () => {
  test.each([
    ["github", "SIGINT"],
    ["gitlab", "SIGTERM"],
  ] as const)("on %s, by %s, lets requests finish and records them", async (kind, signal) => {
    const { held, apply, pull, ...place } = await amidst(kind);
    apply.child.kill(signal);
    await until(() => apply.printed().includes("in flight"));
    held.release();
    expect(await apply.ended).toMatchObject({ exit: 130 });
    expect(place.result(pull)).toContain("### Apply was interrupted: 2 of 5 done (production)");
    expect(place.result(pull)).toContain(": 2 created, 3 not attempted.");
    expect(namesOf(held.records)).toEqual(["a", "b"]);
    expect(place.isLocked()).toBe(false);
    expect(await planned(place)).toMatchObject({ unchanged: 2, create: 3, unknown: 0 });
  });
});

/** What a person sees in a new clone. */
async function planned(place: Pick<Stage, "person">) {
  const { stdout } = await place.person()("plan", "--format", "json");
  return JSON.parse(stdout).summary;
}

/** A moment in an apply: before or after a push is accepted, or when the service has created a menu. */
type Person = ReturnType<Stage["person"]>;

type Moment = readonly ["push", number, "before" | "after"] | readonly ["create", number];

/** There are at least 6 pushes, because 5 menus need 3 pushes of intents. */
const moments: readonly Moment[] = [
  // The lock.
  ["push", 1, "after"],
  // The first intents.
  ["push", 2, "before"],
  ["push", 2, "after"],
  ["create", 2],
  // Outcomes and the next intents.
  ["push", 3, "after"],
  // The release of the lock.
  ["push", 6, "before"],
];

/** Merges a pull request with all menus, and loses the runner of its apply at this moment. */
async function losing(kind: Kind, [what, count, when]: Moment) {
  let kill = () => {};
  const sandbox = await service({
    token,
    onRequest: ({ method }) => {
      if (method === "POST" && what === "create" && sandbox.records.length === count) kill();
    },
  });
  const place = await stage(kind, { sandbox, isInGit: true });
  const pull = place.propose("all", menus);
  await place.review(pull);
  place.merge(pull);
  const apply = place.startApply();
  kill = () => void apply.child.kill("SIGKILL");
  place.server.pushed = (number, at) => {
    if (what !== "push" || number !== count || at !== when) return undefined;
    kill();
    return "cut";
  };
  expect(await apply.ended).toMatchObject({ exit: null });
  place.server.pushed = () => {};
  const run = kind === "github" ? `github-run-${apply.id}-1` : `gitlab-job-${apply.id}`;
  return { ...place, pull, created: namesOf(sandbox.records), lockId: `${run}-production` };
}

/** Resolves unknown outcomes, as a person does who has looked at the console. */
async function resolve(person: Person, unknown: readonly string[], created: readonly string[]) {
  for (const as of ["created", "absent"]) {
    const keys = unknown.filter((key) => created.includes(key) === (as === "created"));
    if (keys.length === 0) continue;
    expect(await person("state", "resolve", ...keys, `--${as}`)).toMatchObject({ exit: 0 });
  }
}

describe("a runner that is lost", () => {
  test.each(moments.map((moment, at) => [moment, at % 2 === 0 ? "github" : "gitlab"] as const))(
    "at %j, on %s, leaves a state that a person can continue from",
    async (moment, kind) => {
      const { created, lockId, sandbox, ...place } = await losing(kind, moment);
      const person = place.person();
      const plan = JSON.parse((await person("plan", "--format", "json")).stdout);
      // Every create whose outcome was pushed is known, and the others were in flight.
      const journal = place.events();
      const recorded = journal.split('"as":"done"').length - 1;
      const intended = journal.split('"kind":"intent"').length - 1;
      expect(plan.summary).toMatchObject({ unchanged: recorded, unknown: intended - recorded });
      expect(intended - recorded).toBeLessThanOrEqual(concurrency);
      expect(created.length).toBeLessThanOrEqual(intended);

      const isLocked = place.isLocked();
      const refused = await person("apply", "--auto-approve");
      expect(refused.exit).toBe(isLocked ? 4 : 0);
      if (isLocked) {
        expect(refused.stderr).toContain(lockId);
        expect(await person("unlock", lockId)).toMatchObject({ exit: 0 });
      }
      await resolve(person, unknownIn(plan), created);
      expect(await person("apply", "--auto-approve")).toMatchObject({ exit: 0 });
      expect(namesOf(sandbox.records)).toEqual(keys);
    },
  );

  test.each(["github", "gitlab"] as const)(
    "is reported by the check and the next pull request on %s, and running the job again continues",
    async (kind) => {
      const { created, lockId, sandbox, pull, ...place } = await losing(kind, ["create", 4]);
      // On GitHub, the job of a second environment keeps the run open.
      Object.assign(place.world.jobs.at(-1) ?? {}, { isWaiting: true });
      const checked = await place.check();
      expect(checked).toMatchObject({ exit: 1 });
      expect(checked.summary).toMatch(
        /\w: the outcome of a create is unknown|The outcomes of \w, \w are unknown/,
      );

      const next = place.propose("more", { "ivrs/more.yaml": menu("more") });
      await place.review(next);
      const said = place.comments(next)[0]?.body ?? "";
      expect(said).toContain("That run has ended. The next apply releases its lock.");
      expect(said).toMatch(/[Tt]he outcomes? of .* (?:is|are) unknown/);

      // The next job does not wait for the lock, and does what is left of the reviewed plan.
      const again = await place.apply({ before: pull.base });
      expect(again).toMatchObject({ exit: 3 });
      expect(again.log).toContain("Released the lock of");
      expect(again.log).toContain(lockId);
      expect(again.log).not.toContain("Waiting up to");
      const plan = JSON.parse((await place.person()("plan", "--format", "json")).stdout);
      const unknown = unknownIn(plan);
      expect(plan.summary).toMatchObject({ create: 0, unknown: unknown.length });
      expect(unknown.length).toBeGreaterThan(0);
      expect(place.result(pull)).toContain("### Applied, but an outcome is unknown (production)");
      expect(place.result(pull).match(/<b>created<\/b>/g)).toHaveLength(5 - unknown.length);

      await resolve(place.person(), unknown, created);
      expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
      expect(place.result(pull)).toContain("### Applied (production)");
      place.merge(next);
      expect(await place.apply()).toMatchObject({ exit: 0 });
      expect(namesOf(sandbox.records)).toEqual([...keys, "more"]);
      expect(await place.check()).toMatchObject({ exit: 0 });
    },
  );
});

function unknownIn(plan: { readonly changes: readonly { action: string; key: string }[] }) {
  return plan.changes.flatMap(({ action, key }) => (action === "unknown" ? key : []));
}
