import { describe, expect, test } from "vitest";
import { type Stage, stage } from "../support/ci/stage.ts";
import type { Asked, Fault } from "../support/ci/world.ts";
import { menu } from "../support/project.ts";

const both = ["github", "gitlab"] as const;
const night = { "ivrs/night.yaml": menu("Night") };

const limited: Fault = { status: 403, headers: { "retry-after": "2" }, value: { message: "Slow" } };
const broken: Fault = { status: 500, value: { message: "Oops" } };
const cut: Fault = { cut: "after" };

/** Fails each request once. */
function onceEach(fault: Fault, concerns: (asked: Asked) => boolean) {
  const seen = new Set<string>();
  return (asked: Asked): Fault | undefined => {
    const request = `${asked.method} ${asked.path}?${asked.query.toString()}`;
    if (!concerns(asked) || seen.has(request)) return undefined;
    seen.add(request);
    return fault;
  };
}

const isPost = ({ method }: Asked) => method === "POST";

/** The log as one line, because messages are wrapped. */
function lineOf({ log }: { readonly log: string }): string {
  return log.replaceAll(/\s+/g, " ");
}

/** A part of the comment with the result. */
function part(body: string, title: "Next" | "Why"): string {
  return body.split("\n\n").find((text) => text.startsWith(`#### ${title}\n`)) ?? "";
}

/** Opens, reviews and merges a pull request. */
async function merged(place: Stage) {
  const pull = place.propose("night", night);
  await place.review(pull);
  place.merge(pull);
  return pull;
}

test.each([
  ["github", "fails with HTTP 500", broken],
  ["gitlab", "fails with HTTP 500", broken],
  ["github", "limits requests", limited],
  ["gitlab", "closes connections after a request", cut],
] as const)(
  "the API of %s %s: every request is repeated, and there is never a second comment",
  async (kind, _, fault) => {
    const place = await stage(kind);
    place.api.fault = onceEach(fault, () => true);
    const pull = place.propose("night", night);
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    // This one updates the comment.
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    place.merge(pull);
    expect(await place.apply()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
    expect(place.comments(pull)).toHaveLength(2);
  },
);

describe.each(both)("the API of %s", (kind) => {
  test("never creates a comment: the job says so and fails", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    place.api.fault = (asked) => (isPost(asked) ? broken : undefined);
    const run = await place.review(pull);
    expect(run).toMatchObject({ exit: 1 });
    expect(run.summary).toContain("Failed: the comment with the plan.");
    place.api.fault = () => undefined;
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    place.merge(pull);
    place.api.fault = (asked) => (isPost(asked) ? broken : undefined);
    const applied = await place.apply();
    expect(applied).toMatchObject({ exit: 1 });
    expect(applied.summary).toMatch(/The result is not on (?:pull|merge) request 1\./);
    expect(place.created()).toEqual(["Night"]);
    // The next run writes it.
    place.api.fault = () => undefined;
    expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  });

  test("fails at one of the requests for the plan: nothing is sent", async () => {
    const place = await stage(kind, { isInGit: true });
    const pull = await merged(place);
    const before = place.api.asked.length;
    // This apply cannot take the lock, so it only makes the requests.
    place.server.isReadOnly = true;
    const refused = await place.apply({ before: pull.base });
    expect(refused).toMatchObject({ exit: 1 });
    expect(lineOf(refused)).toContain("IVR604");
    place.server.isReadOnly = false;
    const asked = place.api.asked
      .slice(before)
      .filter(({ path }) => !/comments|notes|user/.test(path));
    const paths = new Set(asked.map(({ path }) => path));
    expect(paths.size).toBeGreaterThanOrEqual(4);
    const faults = [broken, { status: 200, value: "nonsense" }];
    if (kind === "gitlab") faults.reverse();
    for (const [at, path] of [...paths].entries()) {
      place.api.fault = (request) => (request.path === path ? faults[at % 2] : undefined);
      const run = await place.apply({ before: pull.base });
      expect({ path, exit: run.exit }).toEqual({ path, exit: 1 });
      expect(lineOf(run)).toMatch(/IVR681|has left no valid plan|IVR62/);
    }
    expect(place.created()).toEqual([]);
    place.api.fault = () => undefined;
    expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
  });

  test("refuses the token: the job says that it is not valid, or names the permission", async () => {
    const place = await stage(kind);
    place.api.fault = () => ({ status: 401, value: { message: "Bad credentials" } });
    const invalid = await place.apply();
    expect([invalid.exit, lineOf(invalid)]).toEqual([
      1,
      expect.stringContaining("The token is not valid."),
    ]);
    expect(lineOf(invalid)).not.toContain("permission");
    place.api.fault = ({ method }) =>
      method === "GET" ? undefined : { status: 403, value: { message: "No" } };
    const run = await place.review(place.propose("night", night));
    expect(run).toMatchObject({ exit: 1 });
    expect(lineOf(run)).toContain(
      kind === "github"
        ? "Give the token this permission: pull-requests: write."
        : "Give the token this permission: the scope api, and the role Developer.",
    );
  });
});

test.each(both)(
  "a plan that cannot be read holds back no other one, and its pull request says so, on %s",
  async (kind) => {
    const place = await stage(kind);
    const first = place.propose("night", night);
    const second = place.propose("day", { "ivrs/day.yaml": menu("Day") });
    for (const pull of [first, second]) await place.review(pull);
    for (const pull of [first, second]) place.merge(pull);
    const message = `No ${place.secrets[0]}`;
    place.api.fault = ({ path }) =>
      /(?:artifacts\/1001\/zip|jobs\/1001\/artifacts\/.*)$/.test(path)
        ? { status: 403, value: { message } }
        : undefined;
    // The stage finds the token in every text that a job writes.
    expect(await place.apply({ before: first.base })).toMatchObject({ exit: 1 });
    expect(place.created()).toEqual(["Day"]);
    expect(place.result(second)).toContain("### Applied (production)");
    expect(place.result(first)).toContain("### Apply failed (production)");
    expect(place.result(first)).toContain("IVR681");
    expect(place.result(first)).toContain("- Run this job again.");
    place.api.fault = () => undefined;
    expect(await place.apply({ before: first.base })).toMatchObject({ exit: 0 });
    expect(place.result(first)).toContain("### Applied (production)");
    expect(place.created()).toEqual(["Day", "Night"]);
  },
);

test.each(both)("a result says why there is no new plan either, on %s", async (kind) => {
  const place = await stage(kind);
  const failing =
    'tests: [{ name: "![x](http://evil.invalid) <img>", press: 1, reaches: Front Desk }]\n';
  const pull = place.propose("night", { "ivrs/night.yaml": menu("Night", "Asha Rao", failing) });
  const reviewed = await place.review(pull);
  place.merge(pull);
  place.server.isDown = true;
  const run = await place.apply();
  expect([run.exit, place.created()]).toEqual([1, []]);
  expect(part(place.result(pull), "Next")).toContain("There is no new plan either.");
  const body = place.result(pull);
  expect(body).toContain("### Nothing was sent: it was merged although checks failed (production)");
  // What caused it comes before what to do.
  expect(body.split("#### Next")[0]).toContain("IVR681: Nothing was sent, because the last");
  expect(part(body, "Why")).toContain("It was merged although these failed");
  place.server.isDown = false;
  const again = await place.apply({ before: pull.base });
  expect(again).toMatchObject({ exit: 1 });
  // The name of the test is only text, also on the pages of the runs.
  for (const { summary } of [reviewed, run, again]) expect(summary).not.toMatch(/!\[|<img/);
});

test("an API that cannot be reached fails the job", async () => {
  const place = await stage("github");
  const run = await place.apply({ env: { GITHUB_API_URL: "http://127.0.0.1:9" } });
  expect(run).toMatchObject({ exit: 1 });
  expect(lineOf(run)).toContain("IVR681");
});

test("the storage of GitHub fails: nothing is sent", async () => {
  const place = await stage("github");
  const pull = await merged(place);
  const damaged = { status: 200, value: Buffer.from("PK\u0003\u0004nonsense") };
  for (const fault of [{ status: 403 }, cut, damaged]) {
    if (place.storage !== undefined) place.storage.fault = () => fault;
    const run = await place.apply({ before: pull.base });
    expect(run).toMatchObject({ exit: 1 });
    expect(lineOf(run)).toContain("IVR681");
  }
  expect(place.created()).toEqual([]);
});
